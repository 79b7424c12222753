package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestDaemonOf(t *testing.T) {
	for line, want := range map[string][]string{
		"codex": {"/home/x/.codex/packages/bin/codex", "app-server", "--listen"},
		"":      {"codex", "exec", "the app-server is down"},
	} {
		if got := vendorOfDaemon(want); got != line {
			t.Errorf("%q is of %q", want, got)
		}
	}
	if vendorOfDaemon(nil) != "" || vendorOfDaemon([]string{"bash", "app-server"}) != "" {
		t.Error("an ordinary process is taken for a daemon")
	}
}

func TestDaemonsAreListed(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "codex")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	const mark = marker + "0123456789abcdef0123456789abcdaa"
	cmd := exec.Command(program, "app-server")
	cmd.Env = append(os.Environ(), "PLAY=hang", mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	out.Read(make([]byte, 5))
	if err := KillTree(0, mark); err != nil {
		t.Error(err)
	}
	listed := func(d Daemon) bool {
		return d.PID == cmd.Process.Pid && d.Agent == "codex" && d.Command == "codex app-server"
	}
	for deadline := time.Now().Add(time.Minute); !slices.ContainsFunc(Daemons(), listed); {
		if time.Now().After(deadline) {
			t.Fatalf("not listed: %+v", Daemons())
		}
	}
}
