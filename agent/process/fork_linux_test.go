package process

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// headless has this program end its first thread, and wait for the end of its input.
const headless = "FERRUS_TEST_HEADLESS"

func init() {
	if os.Getenv(headless) != "" {
		runtime.LockOSThread() // main, too, is on the first thread then
	}
}

// waits has this program wait for the end of its input, as its own child.
const waits = "FERRUS_TEST_WAITS"

func TestMain(m *testing.M) {
	if os.Getenv(headless) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0) // ends this thread alone
	}
	if os.Getenv(waits) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A child that is this very program has its files because it was forked from it. A child with
// another command line is another process, and so is its descendant.
func TestForkIsNoUser(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want bool
	}{{os.Args, false}, {[]string{os.Args[0], "-other"}, true}} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Args, cmd.Dir, cmd.Env = c.args, dir, append(os.Environ(), waits+"=1")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		users, err := UsersSince(Time{}, dir)
		if _, found := users.Find(cmd.Process.Pid); err != nil || found != c.want {
			t.Errorf("%q: found in %+v: %v; want %v, error %v", c.args, users, found, c.want, err)
		}
		_ = in.Close()
		_ = cmd.Wait()
	}
}

// A child has the files of this program until it becomes another one, which may be between two questions about it.
func TestAChildThatBecomesAnotherProgramIsNoUser(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "open"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for asked := 0; asked < 3000; {
		cmd := exec.Command("true")
		started := make(chan error, 1)
		go func() { started <- cmd.Start() }()
		var buffer []byte
		for len(started) == 0 {
			pid := lastPID()
			if is, _ := isProcess(pid); !is { // a thread of this program
				continue
			}
			if user := userOf(Time{}, pid, dir, &buffer); user != nil {
				t.Errorf("after %d questions: %+v", asked, *user)
			}
			asked++
		}
		if err := <-started; err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}

// A process that started before a time is left out, and one that started later never is.
func TestUsersSince(t *testing.T) {
	dir := t.TempDir()
	start := func() (pid int) {
		cmd := exec.Command("/proc/self/exe")
		cmd.Args, cmd.Dir, cmd.Env = []string{os.Args[0], "-other"}, dir, append(os.Environ(), waits+"=1")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
		return cmd.Process.Pid
	}
	old := start()
	p, err := Lookup(old)
	if err != nil {
		t.Fatal(err)
	}
	since := Now()
	for ; since.start <= p.Start; runtime.Gosched() {
		since = Now()
	}
	for range 5 {
		young := start()
		users, err := UsersSince(since, dir)
		_, found := users.Find(young)
		if _, early := users.Find(old); err != nil || !found || early {
			t.Errorf("users since %+v: %+v, %v; want %d and not %d", since, users, err, young, old)
		}
	}
	if users, err := UsersSince(Time{start: p.Start}, dir); err != nil || len(users) != 6 {
		t.Errorf("users since the first: %+v, %v", users, err)
	}
}

// TestRecentProcessesAreFoundByTheirPids checks that the table is not read for a time that has just been, and that it
// is where pids do not tell.
func TestRecentProcessesAreFoundByTheirPids(t *testing.T) {
	self := os.Getpid()
	for recent := false; !recent; { // So much may start at once that the table is read.
		pids, err := Now().pids()
		if err != nil {
			t.Fatal(err)
		}
		recent = !slices.Contains(pids, self)
	}
	for name, m := range map[string]Time{
		"the beginning":               {},
		"a time long ago":             {pid: lastPID(), at: time.Now().Add(-pidTime)},
		"pids that have begun again":  {pid: lastPID() + pidCount, at: time.Now()},
		"a time before many have run": {pid: lastPID() - pidCount - 1, at: time.Now()},
		"a time without a pid":        {at: time.Now()},
	} {
		if pids, err := m.pids(); err != nil || !slices.Contains(pids, self) {
			t.Errorf("pids since %s: %v, %v; want all", name, pids, err)
		}
	}
}

// TestThreadsAreNoProcesses checks that a thread that has started since is not taken for a process: a signal to it
// would end the whole process, whenever that started.
func TestThreadsAreNoProcesses(t *testing.T) {
	for recent := false; !recent; { // As above.
		since, started, end := Now(), make(chan int), make(chan struct{})
		go func() {
			runtime.LockOSThread() // The thread ends with its goroutine.
			started <- unix.Gettid()
			<-end
		}()
		thread := <-started
		pids, err := since.pids()
		close(end)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(pids, thread) {
			t.Fatalf("pids since then: %v, with the thread %d", pids, thread)
		}
		// The runtime may have had a thread already.
		recent = thread > since.pid && !slices.Contains(pids, os.Getpid())
	}
}

// A process whose first thread has ended looks like a zombie in the table, and still runs.
func TestAProcessWithoutItsFirstThread(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), headless+"=1")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), cmd.Wait() }()
	for stat := []byte{}; !bytes.Contains(stat, []byte(") Z ")); runtime.Gosched() {
		if stat, err = os.ReadFile(file(cmd.Process.Pid, "stat")); err != nil {
			t.Fatal(err)
		}
	}
	if !Exists(cmd.Process.Pid) {
		t.Error("it does not exist")
	}
	users, err := UsersSince(Time{}, dir)
	if err != nil || len(users) != 1 || users[0].PID != cmd.Process.Pid || users[0].Zombie {
		t.Errorf("users of its directory: %v, %v", users, err)
	}
	all, err := List(headless)
	if err != nil || !slices.ContainsFunc(all, func(p Process) bool {
		return p.PID == cmd.Process.Pid && p.Env[headless] == "1"
	}) {
		t.Errorf("its environment is not read: %v", err)
	}
	if err := EndUsers(t.Context(), dir, Time{}, 0); err != nil {
		t.Error(err)
	}
}
