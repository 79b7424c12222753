package adversary

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ferrus/agent/process"
)

// unprivileged is the user who runs both processes if the tests run as root, because root may trace
// everything.
const unprivileged = 65534

// HQ and ferrus run protect themselves: a session of the same user can neither attach to the
// process nor read its memory or environment, which would let it act as you.
func TestNoSessionTracesAProtectedProcess(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "trace") // another user must reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"protected", "plain", "tracer"} {
		if err := copySelf(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := traced(t, dir, "plain"); got != "attach read environ" {
		t.Skipf("this system already isolates one user's processes: only %q worked", got)
	}
	if got := traced(t, dir, "protected"); got != "" {
		t.Errorf("a session can %s the protected process", got)
	}
}

// traced starts a process, and returns what another process of the same user can do to it.
func traced(t *testing.T, dir, name string) string {
	t.Helper()
	target := asUnprivileged(filepath.Join(dir, name))
	stop, err := target.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := target.StdoutPipe()
	if err == nil {
		err = target.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer target.Wait() //nolint:errcheck // it ends with its input
	defer stop.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%s: %q, %v; want ready", name, line, err)
	}
	got, err := asUnprivileged(filepath.Join(dir, "tracer"), strconv.Itoa(target.Process.Pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(got))
}

func asUnprivileged(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"SECRET=x"}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	return cmd
}

// traceMain plays this test's programs. It returns false if this process is none of them.
func traceMain() bool {
	switch filepath.Base(os.Args[0]) {
	case "protected":
		process.Protect()
		fallthrough
	case "plain":
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "tracer":
		pid, _ := strconv.Atoi(os.Args[1])
		trace(pid)
	default:
		return false
	}
	return true
}

// trace prints what this process can do to another.
func trace(pid int) {
	runtime.LockOSThread() // one thread must make all ptrace calls
	if unix.PtraceAttach(pid) == nil {
		var status unix.WaitStatus
		_, _ = unix.Wait4(pid, &status, unix.WALL, nil)
		_ = unix.PtraceDetach(pid)
		fmt.Print("attach ")
	}
	if file, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid)); err == nil {
		_ = file.Close()
		fmt.Print("read ")
	}
	if _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil {
		fmt.Print("environ ")
	}
}
