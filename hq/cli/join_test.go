package cli

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

// playSSH returns an environment in which ssh runs its command on this machine: everything about
// joining except ssh itself.
func playSSH(t *testing.T) []string {
	t.Helper()
	ssh := filepath.Join(t.TempDir(), "ssh")
	const script = "#!/bin/sh\nfor command; do :; done\nexec sh -c \"$command\"\n"
	if err := exectest.WriteFile(ssh, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"FERRUS_SSH_COMMAND=" + ssh, "USER=ann"}
}

// joins opens an HQ that joins another one by its directory.
func joins(t *testing.T, dir string, env []string) *termtest.Terminal {
	t.Helper()
	return openWith(t, t.TempDir(), 80, 24, env, "--join", "ssh://big"+dir)
}

// TestJoin joins an HQ as from another machine: it shows the same at its own size, the first one
// carries out what is typed, each can leave, and each can be killed.
func TestJoin(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	playsJoin(t, dir, playSSH(t))
}

// TestJoinOverSSH is like [TestJoin] with a real sshd.
func TestJoinOverSSH(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	createAskedTask(t, dir)
	playsJoin(t, dir, startSSHD(t))
}

func playsJoin(t *testing.T, dir string, env []string) {
	first := open120(t, dir)
	first.WaitFor("executor asks:")
	notified := first.Expect("has joined from another machine")
	joined := joins(t, dir, env)
	joined.WaitFor("executor asks:")
	joined.WaitFor("watching")
	notified()
	joined.Resize(100, 30)
	joined.Type("/nonsense\r")
	joined.WaitFor("Unknown command /nonsense")
	left := first.Expect("has left")
	joined.Type("\x03/quit\r")
	joined.WaitExit(0)
	joined.WaitFor("you have left the HQ on big; it continues there")
	left()

	killed := joins(t, dir, env)
	killed.WaitFor("executor asks:")
	if err := killed.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.WaitEnd()
	first.WaitFor("has left")

	answers := joins(t, dir, env)
	answers.WaitFor("executor asks:")
	answered := first.Expect("Answered by ")
	answers.Type("No, only GET and HEAD.\r")
	answered()
	by := journalOf(t, dir, core.KindAnswer).By
	if !core.IsHuman(by) || by == core.HumanID {
		t.Errorf("it was answered by %q", by)
	}
	answers.WaitGone("executor asks:")
	if shown := answers.ScreenText(); strings.Contains(shown, "Answered by") {
		t.Errorf("their own answer is shown to them:\n%s", shown)
	}
	if raw := answers.Raw(); strings.Contains(raw, "\x1b]") || strings.Contains(raw, "\x1bP") {
		t.Errorf("more reaches the terminal than what is drawn: %q", raw)
	}
	first.Type("\x03\x03")
	first.WaitExit(0)
	answers.WaitExit(0)
	answers.WaitFor("the HQ on big has ended")
}

// journalOf returns the newest entry of the journal with an event.
func journalOf(t *testing.T, dir string, event machine.Kind) (found store.Entry) {
	t.Helper()
	d, err := store.Open[core.World](dir, store.UserHeads())
	if err != nil {
		t.Fatal(err)
	}
	all, err := d.Journal(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Event == string(event) {
			found = e
		}
	}
	return found
}

// TestJoinLeavesAtOnce leaves again and again: output in transit in either direction delays no
// exit.
func TestJoinLeavesAtOnce(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	createAskedTask(t, dir)
	env := startSSHD(t)
	first := open120(t, dir)
	first.WaitFor("executor asks:")
	for range 30 {
		joined := joins(t, dir, env)
		joined.WaitFor("executor asks:")
		joined.Type("/quit\r")
		joined.WaitExit(0)
		joined.WaitFor("you have left")
	}
	first.Type("\x03\x03")
	first.WaitExit(0)
}

// An error that keeps you from joining says what to do about it.
func TestWhyNobodyJoins(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	env := playSSH(t)
	says := func(script string) []string {
		ssh := filepath.Join(t.TempDir(), "ssh")
		if err := exectest.WriteFile(ssh, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return []string{"FERRUS_SSH_COMMAND=" + ssh}
	}
	for _, c := range []struct {
		url  string
		env  []string
		code int
		want []string
	}{
		{"ssh://big" + dir, env, 1, []string{"no HQ is open there", "&& ferrus"}},
		{"ssh://big/nowhere", env, 1, []string{"there is no ferrus project", "name the directory"}},
		{"ssh://big", env, 2, []string{"names no directory", "ssh://me@big/home/me/project"}},
		{"https://big/x", env, 2, []string{"starts with ssh://", "ssh://me@big/home/me/project"}},
		{"ssh://me:secret@big/x", env, 2, []string{"takes no password"}},
		{"ssh://-oProxyCommand=x/x", env, 2, []string{"names no machine"}},
		{"ssh://big/x", says("echo 'sh: ferrus: not found'; exit 127"), 1,
			[]string{"ferrus is not installed there", "scp "}},
		{"ssh://big/x", says("echo 'ferrus: unknown command'; exit 2"), 1, []string{"is too old to be joined", "scp "}},
		{"ssh://me@big:7/x", says("echo 'me@big: Permission denied' >&2; exit 255"), 1,
			[]string{"Permission denied", "ssh -o Port=7 me@big"}},
		{"ssh://big/x", says(`echo 'motd'; printf 'ferrus join, protocol 1\n'; echo nonsense; sleep 1`), 1, []string{"join the HQ"}},
	} {
		x := openWith(t, t.TempDir(), 160, 24, c.env, "--join", c.url)
		x.WaitExit(c.code)
		for _, want := range c.want {
			if shown := x.ScreenText(); !strings.Contains(shown, want) {
				t.Errorf("%s says:\n%s\nwant: %s", c.url, strings.TrimSpace(shown), want)
			}
		}
	}
}

// startSSHD starts a real sshd, and returns an environment in which ssh logs in there.
func startSSHD(t *testing.T) []string {
	t.Helper()
	const program = "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		t.Skip("openssh-server is not installed")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	_ = os.Mkdir("/run/sshd", 0o755) // where packages have it made at boot
	for _, key := range []string{"host", "user"} {
		make := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(key))
		if out, err := make.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	config := fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\n"+
		"UsePAM no\n"+
		"PermitRootLogin yes\nPidFile none\nSetEnv", port, at("host"), at("user.pub"))
	for _, e := range os.Environ() {
		if name, value, _ := strings.Cut(e, "="); name != "TERM" && value != "" &&
			!strings.ContainsAny(value, "\" \t\n\\") {
			config += " " + e
		}
	}
	config += "\n"
	ssh := fmt.Sprintf("#!/bin/sh\nexec ssh -p %s -i %s "+
		"-oStrictHostKeyChecking=no -oUserKnownHostsFile=%s \"$@\" <&0\n",
		port, at("user"), at("known"))
	ssh = strings.Replace(ssh, "\"$@\"", "-oHostName=127.0.0.1 \"$@\"", 1)
	for name, text := range map[string]string{"config": config, "ssh": ssh} {
		if err := exectest.WriteFile(at(name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	var log bytes.Buffer
	sshd := exec.Command(program, "-D", "-e", "-f", at("config"))
	sshd.Stderr = &log
	if err := sshd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sshd.Process.Signal(os.Interrupt)
		_ = sshd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	for end := time.Now().Add(30 * time.Second); ; {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_, err = io.ReadFull(conn, make([]byte, 4))
			conn.Close()
		}
		if err == nil {
			return []string{"FERRUS_SSH_COMMAND=" + at("ssh"), "USER=ann"}
		}
		if time.Now().After(end) {
			t.Fatal("sshd does not answer")
		}
	}
}

// TestEachHQHasItsOwnTask checks that selecting a task in one HQ changes nothing in another, and
// that each HQ types into its own pane.
func TestEachHQHasItsOwnTask(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := twoTasks(t)
	first := openWith(t, dir, 120, 40, env)
	first.WaitFor("│I am t-") // of the one that began first
	first.Type("\x1b7\x1b[A\r")
	first.WaitFor("│I am t-1-one")
	joined := openWith(t, t.TempDir(), 140, 44, append(env, playSSH(t)...), "--join", "ssh://big"+dir)
	joined.WaitFor("│I am t-")
	joined.Type("\x1b7\x1b[B\r")
	joined.WaitFor("│I am t-2-two")
	joined.Type("\x1b2the second") // Alt+2: into the pane
	joined.WaitFor("│the second")
	if shown := first.ScreenText(); !strings.Contains(shown, "│I am t-1-one") || strings.Contains(shown, "the second") {
		t.Errorf("the first shows what was selected and typed in the second:\n%s", shown)
	}
	first.Type("\x1b2the first")
	first.WaitFor("│the first")
	if shown := joined.ScreenText(); !strings.Contains(shown, "│the second") || strings.Contains(shown, "the first") {
		t.Errorf("the second shows what was typed in the first:\n%s", shown)
	}
	first.Type("\x1d\x1b7\x1b[B\r") // both look at one task now
	first.WaitFor("│the second")
	first.Type("\x03\x03")
	first.WaitExit(0)
	joined.WaitExit(0)
}

// twoTasks returns a project with two tasks that run at the same time and whose sessions name their
// task.
func twoTasks(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir, env = echoProject(t, "[hq]\nworkspace = \"worktree\"\n[limits]\nmin_free_memory_mb = 0\n")
	toml, err := os.ReadFile(filepath.Join(dir, "ferrus.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"agent.sh":    "echo I am $FERRUS_TASK\nstty raw -echo\nexec cat -v\n",
		"ferrus.toml": strings.ReplaceAll(string(toml), "../agent.sh", "agent.sh"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"ferrus trust --yes", "git add -A",
		"git -c user.name=a -c user.email=a@b commit --quiet -m second", "ferrus task add One", "ferrus task add Two"} {
		words := strings.Fields(line)
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = dir, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	return dir, env
}
