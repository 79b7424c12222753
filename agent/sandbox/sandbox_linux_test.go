package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/loader"
	"ferrus/agent/proxy"
)

func TestMain(m *testing.M) {
	Main(os.Args[1:])
	state, err := os.MkdirTemp("", "ferrus-sandbox-") // what is kept for later processes
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("XDG_STATE_HOME", state) // It fails for a malformed name only.
	code := m.Run()
	_ = os.RemoveAll(state)
	os.Exit(code)
}

// walls returns walls of a kind, or skips the test where this machine has none.
func walls(t *testing.T, kind Kind, network Network) Walls {
	t.Helper()
	w, err := probe(t, kind, network)
	if err != nil && network == Proxied {
		if _, without := probe(t, kind, Open); without == nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Skipf("no %s walls here: %v", kind, err)
	}
	return w
}

// probe returns walls of a kind.
func probe(t testing.TB, kind Kind, network Network) (Walls, error) {
	switch kind {
	case Namespace:
		return probeNamespace(t.Context(), network)
	case Landlock:
		return probeSecond(t.Context())
	}
	return Walls{Kind: None, Network: network}, nil
}

// run runs a shell script inside.
func run(t *testing.T, w Walls, p Policy, script string) (string, error) {
	t.Helper()
	argv, err := w.Command(p, "/bin/sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = p.Dir
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// TestBuildsWorkInside tries what builds and tests do all the time.
func TestBuildsWorkInside(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for _, c := range columns {
		t.Run(c.title, func(t *testing.T) {
			w := walls(t, c.kind, c.network)
			work := t.TempDir()
			outside, err := w.StartProxy(proxy.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			defer outside.Close()
			p := outside.Policy(Policy{Dir: work, Write: []string{work}, Network: c.network,
				Env: []string{"TMPDIR=" + work}})
			out, err := run(t, w, p, `set -e
				mkdir -p a b; echo x > a/x; mv a/x b/x; ln b/x a/hard; ln -s b/x link; cat link a/hard; rm -r b
				mkfifo pipe; (echo through > pipe &) ; cat pipe; chmod +x a/hard; touch -d @1 a/hard
				echo x > /dev/null; head -c 1 /dev/urandom > random; test -r /proc/self/status; sh -c 'kill -TERM $$' || true`)
			if err != nil || strings.TrimSuffix(out, "\nTerminated") != "x\nx\nthrough" {
				t.Errorf("the script ended with %v, want x, x and through:\n%s", err, out)
			}
		})
	}
}

func TestVariablesOfAPolicyReplaceOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	t.Setenv("HOME", "/mine")
	for _, kind := range []Kind{Namespace, Landlock} {
		for _, env := range []string{"", "/usr/bin/env"} {
			w := walls(t, kind, Open)
			if w.Env != "" {
				w.Env = env
			}
			argv, err := w.Command(Policy{Env: []string{"HOME=/its"}}, "printenv", "HOME")
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
			if err != nil || string(out) != "/its\n" {
				t.Errorf("%s, env %q: %v, want /its:\n%s", kind, env, err, out)
			}
		}
	}
}

func TestSignalsReachTheProgramInside(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := walls(t, Namespace, Open)
	argv, err := w.Command(Policy{}, "/bin/sh", "-c", `trap 'echo ended; exit 7' TERM; echo ready; while :; do sleep 1; done`)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, 6)
	if _, err := out.Read(ready); err != nil || string(ready) != "ready\n" {
		t.Fatalf("the program printed %q %v, want ready", ready, err)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var rest bytes.Buffer
	_, _ = rest.ReadFrom(out)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 || !strings.Contains(rest.String(), "ended") {
		t.Errorf("the program ended with %v and %q, want code 7", err, rest.String())
	}
}

// TestEverythingInsideEnds starts processes that leave their session, their parents and
// their environment, and kills only the process that was started.
func TestEverythingInsideEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := walls(t, Namespace, Open)
	work := t.TempDir()
	script := `i=0; while [ $i -lt 200 ]; do
		(env -i setsid /bin/sh -c 'while :; do echo >> beat; sleep 0.2; done' >/dev/null 2>&1 &) ; i=$((i+1)); done
		echo started; exec sleep 1000`
	argv, err := w.Command(Policy{Dir: work, Write: []string{work}}, "/bin/sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 8)
	if _, err := out.Read(line); err != nil {
		t.Fatal(err)
	}
	if n := len(inside(t, work)); n < 2 {
		t.Fatalf("%d processes inside", n)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for len(inside(t, work)) > 0 {
		if ctx.Err() != nil {
			t.Fatalf("still there: %v", inside(t, work))
		}
	}
}

// inside returns the processes whose working directory is a directory.
func inside(t *testing.T, dir string) (all []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if at, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); at == dir {
				all = append(all, pid)
			}
		}
	}
	return all
}

// TestTheProxyServesAsLongAsAProgramRuns asks it twice, has a port of its own loopback, and finds
// the proxy by variables. A port that cannot be opened inside does not keep it from running.
func TestTheProxyServesAsLongAsAProgramRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := walls(t, Namespace, Proxied)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	answer := func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "reached as", r.Host) }
	go http.Serve(l, http.HandlerFunc(answer)) //nolint:errcheck // until it is closed
	_, port, _ := net.SplitHostPort(l.Addr().String())
	outside, err := w.StartProxy(proxy.Rules{Ports: []string{port, "9"}})
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	script := `exec 2>&1; get() { exec 3<>/dev/tcp/127.0.0.1/$1; printf "GET $2 HTTP/1.0\r\nHost: direct\r\n\r\n" >&3; tail -n 1 <&3; }
		get 61128 http://localhost:` + port + `/; get ` + port + ` /; get 61128 http://localhost:1/; echo $HTTPS_PROXY $no_proxy`
	argv, err := w.Command(outside.Policy(Policy{}), "/bin/bash", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		want := "ferrus: sandbox: port 9 of your loopback cannot be opened inside\n" +
			"reached as localhost:" + port + "\nreached as direct\nferrus: localhost:1 is not public; " +
			"[sandbox] ports in ferrus.toml can name it\nhttp://127.0.0.1:61128 localhost,127.0.0.1,::1\n"
		if err != nil || string(out) != want {
			t.Errorf("%v, want %q\n%s", err, want, out)
		}
	}
}

// What builds the walls is not loaded by variables that are for the program inside: they may name files that an
// agent wrote. The loader would write the file of LD_DEBUG_OUTPUT.
func TestNoVariableLoadsCodeOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for _, kind := range []Kind{Namespace, Landlock} {
		for _, env := range []string{"", "/usr/bin/env"} {
			w := walls(t, kind, Open)
			if w.Env != "" {
				w.Env = env
			}
			outside := t.TempDir()
			variables := []string{"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + filepath.Join(outside, "loaded")}
			for i, p := range []Policy{{}, {Env: variables}} {
				argv, err := w.Command(p, "/usr/bin/printenv", "LD_DEBUG")
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.Env = []string{"PATH=/usr/bin:/bin"}
				if i == 0 {
					cmd.Env = append(cmd.Env, variables...)
				}
				cmd.Env = loader.Hide(cmd.Env)
				if out, err := cmd.Output(); err != nil || !strings.Contains("\n"+string(out), "\nfiles\n") {
					t.Errorf("%s, env %q: inside: %v\n%.300s", kind, env, err, out)
				}
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
				t.Errorf("%s, env %q: %d programs outside were loaded with it (%v)", kind, env, len(left), err)
			}
		}
	}
}

// A file as a standard stream could be opened inside once more, for anything; a directory leads outside.
func TestStandardStreamsAreNoFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "given")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{Namespace, Landlock} {
		for given, want := range map[string]string{file: "descriptor 0 is a file", dir: "descriptor 0 is a directory"} {
			argv, err := walls(t, kind, Open).Command(Policy{}, "/bin/sh", "-c", "echo forged >/proc/self/fd/0")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(argv[0], argv[1:]...)
			if cmd.Stdin, err = os.Open(given); err != nil {
				t.Fatal(err)
			}
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%s, %s: %v, want %q\n%s", kind, given, err, want, out)
			}
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("the file: %q, %v", data, err)
	}
}
