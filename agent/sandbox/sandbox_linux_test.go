package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// A long directory for temporary files leaves the probe its sockets.
func TestTheProbeFitsALongTemporaryDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	s, err := newProbeTargets()
	if err != nil {
		t.Fatal(err)
	}
	s.close()
}

func TestAProbeLooksFromOutside(t *testing.T) {
	s, err := newProbeTargets()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	// Without walls nothing but the writable tree and the terminal is as it must be.
	argv, err := stageCommand(probeCommand, s.targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.findings(report{Secret: s.secret, Vsock: "it worked", Calls: "it worked"}) {
		if without := f.Name == findWrite || f.Name == findTerminal; f.Holds != without {
			t.Errorf("without walls: %s: %v (%s)\n%s", f.Name, f.Holds, f.Got, out)
		}
	}
}

func TestLandlockHolds(t *testing.T) {
	w := walls(t, Landlock, Open)
	fails := func(f Finding) bool { return !f.Holds }
	if !slices.ContainsFunc(w.Findings, fails) {
		t.Errorf("%s has no limits: %+v", w, w.Findings)
	}
}

func TestChooseNeverDropsSilently(t *testing.T) {
	w, err := Choose(t.Context(), Auto, Open)
	if err != nil {
		t.Fatal(err)
	}
	if w.Kind != Namespace && w.Reason == "" {
		t.Errorf("%s without a reason", w)
	}
	saved := bubblewraps
	defer func() { bubblewraps = saved }()
	bubblewraps = nil
	w, err = Choose(t.Context(), Auto, Unshared)
	if err != nil {
		t.Fatal(err)
	}
	if w.Kind == Namespace || !strings.Contains(w.Reason, "not installed") ||
		!strings.Contains(w.Cure, "bubblewrap") || w.Network != Open {
		t.Errorf("without bubblewrap: %+v", w)
	}
	_, err = Choose(t.Context(), Require, Open)
	if err == nil || Cure(err) != w.Cure {
		t.Errorf("required without bubblewrap: %v, cure %q", err, Cure(err))
	}
}

func TestABubblewrapThatFailsIsNotUsed(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "bwrap")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	saved := bubblewraps
	defer func() { bubblewraps = saved }()
	bubblewraps = []string{fake}
	w, err := Choose(t.Context(), Auto, Open)
	if err != nil || w.Kind == Namespace || !strings.Contains(w.Reason, "uid map: Permission denied") || w.Cure == "" {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestProtectedPathsAreMadeAndHeld(t *testing.T) {
	w := walls(t, Namespace, Open)
	work := t.TempDir()
	p := Policy{Dir: work, Write: []string{work}, Protect: []string{work + "/svc/.ferrus/", work + "/a/b/settings"}}
	out, err := run(t, w, p, `mv svc x; mv svc/.ferrus x; mv a x; mv a/b x; mkdir svc/.ferrus/y; echo forged > a/b/settings
		rm -rf svc a; rmdir svc; touch svc/new && echo made`)
	if !strings.HasSuffix(out, "made") {
		t.Errorf("beside a protected path: %v\n%s", err, out)
	}
	for _, name := range []string{"svc/.ferrus", "a/b/settings", "svc/new"} {
		if _, err := os.Stat(filepath.Join(work, name)); err != nil {
			t.Error(err)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(work, "a/b/settings")); len(data) > 0 {
		t.Errorf("forged: %q", data)
	}
}

func TestALinkOnTheWayToAProtectedPathIsRefused(t *testing.T) {
	work, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(work, "svc")); err != nil {
		t.Fatal(err)
	}
	w := Walls{Kind: Namespace, Bwrap: "/usr/bin/bwrap"}
	_, err := w.Command(Policy{Write: []string{work}, Protect: []string{work + "/svc/.ferrus/"}}, "true")
	if err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("error %v", err)
	}
	if entries, _ := os.ReadDir(elsewhere); len(entries) > 0 {
		t.Error("something was made behind the link")
	}
}

func TestAMountCoversAFile(t *testing.T) {
	w := walls(t, Namespace, Open)
	work, other := t.TempDir(), t.TempDir()
	if err := errors.Join(os.WriteFile(work+"/.git", []byte("outside"), 0o600),
		os.WriteFile(other+"/git", []byte("inside"), 0o600)); err != nil {
		t.Fatal(err)
	}
	p := Policy{Dir: work, Write: []string{work}, Mounts: []Mount{{From: other + "/git", To: work + "/.git"}}}
	out, _ := run(t, w, p, `cat .git; mv .git x 2>/dev/null || rm .git 2>/dev/null || echo forged 2>/dev/null > .git || echo " held"`)
	if out != "inside held" {
		t.Errorf("output %q", out)
	}
	if data, _ := os.ReadFile(work + "/.git"); string(data) != "outside" {
		t.Errorf("outside: %q", data)
	}
}

func TestHiddenPartsAreNotRead(t *testing.T) {
	for _, kind := range []Kind{Namespace, Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			w := walls(t, kind, Open)
			tools := t.TempDir()
			if err := errors.Join(os.MkdirAll(tools+"/deep/private", 0o755), os.MkdirAll(tools+"/bin", 0o755),
				os.WriteFile(tools+"/deep/private/key", []byte("secret"), 0o644),
				os.WriteFile(tools+"/deep/token", []byte("secret"), 0o644),
				os.WriteFile(tools+"/deep/open", []byte("visible"), 0o644),
				os.WriteFile(tools+"/bin/tool", []byte("tool"), 0o644)); err != nil {
				t.Fatal(err)
			}
			p := Policy{Read: []string{tools}, Hide: []string{tools + "/deep/private", tools + "/deep/token"}}
			out, _ := run(t, w, p, fmt.Sprintf(`cd %s; cat deep/open bin/tool; cat deep/private/key deep/token 2>/dev/null`, tools))
			if out != "visibletool" {
				t.Errorf("output %q", out)
			}
		})
	}
}

// TestBuildsWorkInside tries what builds and tests do all the time.
func TestBuildsWorkInside(t *testing.T) {
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
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestVariablesOfAPolicyReplaceOthers(t *testing.T) {
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
				t.Errorf("%s, env %q: %v\n%s", kind, env, err, out)
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
		t.Fatalf("%q %v", ready, err)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var rest bytes.Buffer
	_, _ = rest.ReadFrom(out)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 || !strings.Contains(rest.String(), "ended") {
		t.Errorf("%v: %q", err, rest.String())
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

// TestFullDirectoriesLeaveHalfOfTheMemory fills nothing: it asks the kernel, from inside, how large what can be
// written in memory may get.
func TestFullDirectoriesLeaveHalfOfTheMemory(t *testing.T) {
	w := walls(t, Namespace, Open)
	argv, err := w.Command(Policy{}, "/bin/sh", "-c", `while read dev at type rest; do
		[ "$type" = tmpfs ] && [ -w "$at" ] && stat -f -c "$at %S %b" "$at"; done </proc/mounts; true`)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var total uint64
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		var at string
		var block, blocks uint64
		if _, err := fmt.Sscan(line, &at, &block, &blocks); err != nil {
			t.Fatal(err)
		}
		found[at], total = true, total+block*blocks
	}
	if !found["/tmp"] || !found["/dev/shm"] {
		t.Errorf("found %s", out)
	}
	if atOnce*total > memory()/2 {
		t.Errorf("%d programs keep up to %d MiB of %d:\n%s", atOnce, atOnce*total>>20, memory()>>20, out)
	}
}

func TestAFullTmpHurtsNothingOutside(t *testing.T) {
	w := walls(t, Namespace, Open)
	before, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A limit of the test's own: what is allowed takes long to fill.
	flags := Policy{}.bubblewrapFlags(Policy{}.mounts())
	for i, f := range flags {
		if f == "--size" {
			flags[i+1] = "1000000"
		}
	}
	cmd := exec.Command(w.Bwrap, append(flags, "--", "/bin/sh", "-c",
		"dd if=/dev/zero of=/tmp/full bs=1M count=4 2>&1; dd if=/dev/zero of=/dev/shm/full bs=1M count=4 2>&1")...)
	out, _ := cmd.CombinedOutput()
	if strings.Count(string(out), "No space left on device") != 2 {
		t.Errorf("output %s", out)
	}
	after, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range after {
		if e.Name() == "full" {
			t.Errorf("%s is outside; there were %d files", e.Name(), len(before))
		}
	}
}

// TestTheProxyServesAsLongAsAProgramRuns asks it twice, has a port of its own loopback, and finds
// the proxy by variables. A port that cannot be opened inside does not keep it from running.
func TestTheProxyServesAsLongAsAProgramRuns(t *testing.T) {
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
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// What builds the walls is not loaded by variables that are for the program inside: they may name files that an
// agent wrote. The loader would write the file of LD_DEBUG_OUTPUT.
func TestNoVariableLoadsCodeOutside(t *testing.T) {
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
				t.Errorf("%s, %s: %v\n%s", kind, given, err, out)
			}
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("the file: %q, %v", data, err)
	}
}
