package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// play starts the test binary in a part. At the end of the test no process of it is running, and
// the numbers of goroutines and descriptors are as before.
func play(t *testing.T, part string, options ...func(*Invocation)) (*Session, *memoryScreen, *bytes.Buffer) {
	t.Helper()
	mark := marker + rand.Text()
	inv := Invocation{Path: os.Args[0], Env: []string{"PLAY=" + part, mark}}
	for _, option := range options {
		option(&inv)
	}
	goroutines, descriptors := runtime.NumGoroutine(), openFiles()
	screen, log := newMemoryScreen(), &bytes.Buffer{}
	screen.limit = 1 << 20
	s, err := Start(inv, t.TempDir(), 80, 24, screen, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		exit := End(context.Background(), s, 0)
		if exit.Err != nil {
			t.Errorf("the session ended with %v, want no error", exit.Err)
		}
		all, err := processes()
		if left := family(all, 0, nil, carries(mark)); err != nil || len(left) > 0 {
			t.Errorf("still alive: %v, %v", left, err)
		}
		waitForCount(t, "goroutines", goroutines, runtime.NumGoroutine)
		waitForCount(t, "descriptors", descriptors, openFiles)
	})
	return s, screen, log
}

func headless(inv *Invocation) { inv.Headless = true }

func openFiles() int {
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return 0
	}
	return len(names)
}

// waitForCount waits until a count is back to what it was.
func waitForCount(t *testing.T, what string, was int, count func() int) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); count() > was; <-tick.C {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d %s, want at most %d\n%s", count(), what, was, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func done(t *testing.T, s *Session) Exit {
	t.Helper()
	select {
	case <-s.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the session does not end")
	}
	return s.Exit()
}

func TestExitsAtOnce(t *testing.T) {
	s, screen, log := play(t, "exit")
	exit := done(t, s)
	if exit.Code != 3 || exit.Signal != 0 || exit.Err != nil {
		t.Errorf("the exit is %+v, want code 3", exit)
	}
	screen.await(t, "here and gone")
	if log.String() != "here and gone\r\n" {
		t.Errorf("the log is %q, want here and gone", log)
	}
	if err := s.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("Signal after the end: %v, want ErrProcessDone", err)
	}
	if s.Input([]byte("x")) == nil {
		t.Error("input is taken after the end")
	}
	if err := s.Resize(10, 10); err != nil {
		t.Error(err)
	}
}

func TestTerminalKeptOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for a terminal")
	}
	s, screen, _ := play(t, "cling")
	before := time.Now()
	done(t, s)
	if took := time.Since(before); took > 15*time.Second {
		t.Errorf("the end took %v, want at most 15s", took)
	}
	screen.await(t, "babble")
}

func TestClosedTerminalIsReadAgain(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note")
	s, screen, _ := play(t, "close", func(inv *Invocation) { inv.Env = append(inv.Env, "NOTE="+note) })
	screen.await(t, "back")
	if isClosed(s.Done()) {
		t.Error("the session is over")
	}
}

func TestFloodReachesScreenAndLog(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads a flood")
	}
	s, screen, log := play(t, "flood")
	for last, ended := -1, false; !ended; {
		select {
		case <-s.Done():
			ended = true
		case <-time.After(30 * time.Second):
			got := screen.received()
			if got == last {
				t.Fatalf("nothing has arrived for 30 s after %d bytes", got)
			}
			last = got
		}
	}
	if want := flood + len("END"); screen.total != want || log.Len() != want {
		t.Errorf("screen %d, log %d, want %d", screen.total, log.Len(), want)
	}
	screen.await(t, "END")
}

func TestInputReachesTheProgram(t *testing.T) {
	s, screen, _ := play(t, "echo")
	screen.await(t, "ready")
	if err := s.Input([]byte("typed")); err != nil {
		t.Fatal(err)
	}
	screen.await(t, "typed")
}

func TestInputNeverBlocks(t *testing.T) {
	s, screen, _ := play(t, "deaf")
	screen.await(t, "ready")
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for range 1000 {
		if err := s.Input(chunk); err != nil {
			if !errors.Is(err, ErrUnread) {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("64 MB were taken for a program that does not read")
}

func TestScreenAnswers(t *testing.T) {
	_, screen, _ := play(t, "ask")
	screen.await(t, `answer "\x1b[?62c".`)
}

func TestResize(t *testing.T) {
	s, screen, _ := play(t, "size")
	screen.await(t, "80x24.")
	if err := s.Resize(100, 30); err != nil {
		t.Fatal(err)
	}
	screen.await(t, "100x30.")
	if screen.size != "100x30" {
		t.Errorf("the screen is %s", screen.size)
	}
}

func TestHeadlessReadsNothing(t *testing.T) {
	s, screen, _ := play(t, "stdin", headless)
	screen.await(t, `stdin "" <nil>, terminal <nil>.`)
	if s.Input([]byte("x")) == nil {
		t.Error("a headless session takes input")
	}
}

func TestAttachTwiceSeesAllInOrder(t *testing.T) {
	var want strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&want, "%d\r\n", i)
	}
	s, _, _ := play(t, "count")
	var readers sync.WaitGroup
	for range 3 {
		screen, output := s.Attach(t.Context())
		got := bytes.Clone(screen)
		readers.Go(func() {
			for p := range output {
				got = append(got, p...)
				runtime.Gosched()
			}
			if string(got) != want.String() {
				t.Errorf("%d bytes, want %d", len(got), want.Len())
			}
		})
	}
	readers.Wait()
}

func TestSlowReaderSlowsTheAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads a flood")
	}
	s, screen, _ := play(t, "flood")
	ctx, cancel := context.WithCancel(t.Context())
	before, output := s.Attach(ctx)
	got := len(before)
	for range 200 {
		got += len(<-output)
		if ahead := screen.received() - got; ahead > 4*64<<10 {
			t.Fatalf("the screen is %d bytes ahead of a reader", ahead)
		}
	}
	cancel()
	done(t, s)
	screen.await(t, "END")
}

func TestAttachAfterTheEnd(t *testing.T) {
	s, _, _ := play(t, "exit")
	done(t, s)
	screen, output := s.Attach(t.Context())
	if _, more := <-output; more || !bytes.Contains(screen, []byte("gone")) {
		t.Errorf("the screen is %q, more output %v; want gone and no more", screen, more)
	}
}

func TestEnvironment(t *testing.T) {
	got := childEnviron(
		[]string{"HOME=/h", "TMUX=1", "STY=2", "FERRUS_NONCE=outer", "FERRUS_PROJECT=/outer", "TERM=dumb", "LINES=3",
			"KEY=secret", "NO_COLOR=1", "PWD=/outer", "OLDPWD=/outer"},
		"/inner", []string{"FERRUS_NONCE=inner"})
	want := "HOME=/h KEY=secret NO_COLOR=1 TERM=xterm-256color COLORTERM=truecolor PWD=/inner FERRUS_NONCE=inner"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range nestedSessionVars {
		if len(childEnviron([]string{name + "=1"}, "/", nil)) != 3 {
			t.Errorf("%s is handed on", name)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	for _, c := range []struct{ path, dir, want string }{
		{"no-such-program-here", "", "start no-such-program-here: not found on PATH"},
		{os.Args[0], "/no/such/dir", "workspace: stat /no/such/dir"},
		{os.Args[0], os.Args[0], "is not a directory"},
		{"/no/such/program", "", "no such file"},
	} {
		_, err := Start(Invocation{Path: c.path}, c.dir, 80, 24, newMemoryScreen(), nil, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %s: %v, want %q", c.path, c.dir, err, c.want)
		}
	}
}
