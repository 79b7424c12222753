package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/store/longtest"
)

func TestEndingIsSentAndRecorded(t *testing.T) {
	s := newFixture(t)
	c, p := s.start("exit")
	if exit := s.done(c); exit.Code != 3 || exit.Err != nil {
		t.Errorf("the exit is %+v, want code 3", exit)
	}
	p.await(t, "here and gone")
	if log, err := os.ReadFile(filepath.Join(string(s.dir), "executor.log")); string(log) != "here and gone\r\n" {
		t.Errorf("the log is %q, %v; want here and gone", log, err)
	}
	r := s.dir.record(t)
	if r.Exit == nil || r.Exit.Code != 3 {
		t.Errorf("the recorded exit is %+v, want code 3", r.Exit)
	}
	if _, err := os.Lstat(r.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket still exists: %v", err)
	}
	if _, err := os.Lstat(filepath.Dir(r.Socket)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket's directory still exists: %v", err)
	}
	if got := s.done(Ended(r)); got.Code != 3 {
		t.Errorf("read from the record the exit is %+v, want code 3", got)
	}
}

// The last message that a stream marks is sent to the connected clients, and not recorded.
func TestTheLastMessageIsSent(t *testing.T) {
	s := newFixture(t)
	l := s.launch("result", "executor")
	l.Renderer, l.Invocation.Headless = agent.Default("supervisor"), true
	c, p := s.run(l)
	if exit := s.done(c); exit.Final == nil || *exit.Final != "I am DONE." {
		t.Errorf("the exit is %+v, want the final message I am DONE.", exit)
	}
	p.await(t, "I am DONE.")
	if r := s.dir.record(t); r.Exit == nil || r.Exit.Final != nil {
		t.Errorf("the recorded exit is %+v, want no final message", r.Exit)
	}
	if exit := s.done(Ended(s.dir.record(t))); exit.Final != nil {
		t.Errorf("read from the record the exit is %+v, want no final message", exit)
	}
}

func TestNothingStarts(t *testing.T) {
	s := newFixture(t)
	l := s.launch("exit", "executor")
	l.Invocation.Path = "/nowhere/to/be/found"
	if _, err := Start(os.Args[0], l, newPane()); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("start: %v, want an error that names nowhere", err)
	}
}

// An agent that floods keeps running while its conductor is replaced, and the new one gets the same
// scrollback and the same screen.
func TestAdoptedInTheMiddleOfAFlood(t *testing.T) {
	longtest.Only(t)
	s := newFixture(t)
	const lines = 200_000
	first, p := s.start("count", fmt.Sprintf("LINES=%d", lines), "STAY=1")
	p.await(t, "line 3")
	first.Detach()
	second, q := s.adopt()
	q.await(t, "END")
	var want strings.Builder
	for i := lines - 10_000; i < lines; i++ {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	kept, _, _ := strings.Cut(q.String(), "END")
	if n := 9_000 * len("line 100000\n"); !strings.HasSuffix(want.String(), kept[len(kept)-n:]) {
		t.Errorf("the scrollback does not end with the last lines but with %q", kept[len(kept)-100:])
	}
	second.Detach()
	third, r := s.adopt()
	if r.String() != q.String() {
		t.Error("the redrawn screen and scrollback differ")
	}
	if got := third.PID(); got != first.PID() {
		t.Errorf("the agent's PID is %d, want %d", got, first.PID())
	}
}

// A stopped host never blocks a caller of Input or Resize. Once a conductor connects, it continues
// or ends its agent.
func TestHostStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it stops a host for seconds")
	}
	s := newFixture(t)
	first, p := s.start("echo")
	p.await(t, "ready")
	if err := syscall.Kill(first.Record().Host.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	text, taken := bytes.Repeat([]byte("0123456789abcdef"), 4<<10), 0
	for ; first.Input(text) == nil; taken++ {
		if taken > 100 {
			t.Fatal("a stopped host accepted more than 100 inputs")
		}
	}
	if err := syscall.Kill(first.Record().Host.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for n := 0; first.Input([]byte(" and more")) != nil; n++ {
		if n > 1000 {
			t.Fatal("a continued host accepts no input")
		}
	}
	p.await(t, "and more")
	first.Detach()
	if err := syscall.Kill(first.Record().Host.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second, q := s.adopt()
	q.await(t, "and more")
	if err := syscall.Kill(second.Record().Host.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if exit := second.End(t.Context(), 100*time.Millisecond); exit.Err != nil {
		t.Errorf("the exit is %+v, want no error", exit)
	}
}

func TestHostSignalled(t *testing.T) {
	s := newFixture(t)
	c, p := s.start("hang")
	p.await(t, "ready")
	if err := syscall.Kill(c.Record().Host.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if exit := s.done(c); exit.Signal != syscall.SIGINT && exit.Code != 2 {
		t.Errorf("the exit is %+v, want SIGINT or code 2", exit)
	}
}

// The host of a session that was never recorded is found by the session's name.
func TestFoundByItsSession(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	s := newFixture(t)
	c, p := s.start("stone")
	p.await(t, "ready")
	c.Detach()
	if err := agent.KillTree(0, c.Record().Session); err != nil {
		t.Error(err)
	}
	s.checkNoProcessLeft()
}

func TestTethered(t *testing.T) {
	s := newFixture(t)
	l := s.launch("hang", "executor")
	l.StopOnExit = true
	c, p := s.run(l)
	p.await(t, "ready")
	c.Detach()
	s.checkNoProcessLeft()
}

func TestSocketMadeAnew(t *testing.T) {
	s := newFixture(t)
	c, p := s.start("hang")
	p.await(t, "ready")
	c.Detach()
	if err := os.RemoveAll(filepath.Dir(c.Record().Socket)); err != nil {
		t.Fatal(err)
	}
	_, q := s.adopt()
	q.await(t, "ready")
}

func TestManyAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it starts many hosts")
	}
	s := newFixture(t)
	var all sync.WaitGroup
	for i := range 32 {
		c, p := s.run(s.launch("flood", fmt.Sprintf("slot%02d", i)))
		all.Go(func() {
			p.await(t, "dull boy")
			if exit := c.End(context.Background(), time.Second); exit.Err != nil {
				t.Errorf("the exit is %+v, want no error", exit)
			}
		})
	}
	all.Wait()
}

func TestPlace(t *testing.T) {
	short, err := os.MkdirTemp("/tmp", "xdg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	t.Setenv("XDG_RUNTIME_DIR", short)
	socket, err := socketPath("/some/project", "executor")
	if want := filepath.Join(short, "ferrus", "7fb5a16bd2c25c57", "executor.sock"); err != nil ||
		len(socket) != len(want) {
		t.Errorf("socketPath = %s, %v; want the length of %s", socket, err, want)
	}
	if _, err := socketPath("/some/project", strings.Repeat("x", 100)); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprint(len(filepath.Dir(socket))+1+100+5)) {
		t.Errorf("a long slot: %v, want an error with the path's length", err)
	}
	dir := filepath.Dir(socket)
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := socketPath("/some/project", "executor"); err == nil ||
		!strings.Contains(err.Error(), "accessible to others") {
		t.Errorf("a directory that others can access: %v, want an error", err)
	}
	if err := errors.Join(os.Remove(dir), os.Symlink(short, dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := socketPath("/some/project", "executor"); err == nil ||
		!strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a symbolic link: %v, want that it is not a directory", err)
	}
}
