package budgets

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/fsnotify/fsnotify"

	"ferrus/ui/vt"
)

const columns, rows = 120, 40

// screen is a program on a pseudo-terminal, and the terminal that it draws on.
type screen struct {
	testing.TB
	command *exec.Cmd
	file    *os.File
	vt      *vt.Locked
	changed chan struct{}                   // size 1: something new to read
	written atomic.Int64                    // bytes that the program wrote
	traced  atomic.Pointer[strings.Builder] // its output from some time on; nil: not kept
	began   time.Time
	once    sync.Once
	ended   chan struct{} // closed after the last byte
}

// open starts a program.
func open(b testing.TB, dir string, argv ...string) *screen {
	b.Helper()
	command := exec.Command(argv[0], argv[1:]...)
	command.Dir = dir
	command.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TMUX=")
	began := time.Now()
	file, err := pty.StartWithSize(command, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		b.Fatal(err)
	}
	s := &screen{TB: b, command: command, file: file, vt: vt.NewLocked(columns, rows, 0),
		changed: make(chan struct{}, 1), began: began, ended: make(chan struct{})}
	go func() { defer close(s.ended); s.draw() }()
	b.Cleanup(s.end)
	return s
}

// end ends the program.
func (s *screen) end() {
	s.once.Do(func() {
		_ = s.command.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(10*time.Second, func() { _ = s.command.Process.Kill() })
		_ = s.command.Wait()
		late.Stop()
		_ = s.file.Close()
		<-s.ended
	})
}

// draw is the terminal's side, and answers the program's queries.
func (s *screen) draw() {
	buffer := make([]byte, 1<<16)
	for {
		n, err := s.file.Read(buffer)
		s.written.Add(int64(n))
		_, _ = s.vt.Write(buffer[:n])
		if trace := s.traced.Load(); trace != nil {
			trace.Write(buffer[:n])
		}
		if answer := s.vt.Replies(); len(answer) > 0 {
			_, _ = s.file.Write(answer)
		}
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// read returns the screen's text.
func (s *screen) read() string {
	var b strings.Builder
	s.vt.With(func(t *vt.Terminal) {
		for y := range rows {
			b.WriteString(ansi.Strip(t.Row(y)) + "\n")
		}
	})
	return b.String()
}

// await waits until the screen shows all of the words, and returns its text.
func (s *screen) await(words ...string) string {
	s.Helper()
	late := time.After(time.Minute)
	for {
		shown := s.read()
		if all(shown, words) {
			return shown
		}
		select {
		case <-s.changed:
		case <-late:
			s.Fatalf("the screen does not show %q:\n%s", words, shown)
		}
	}
}

func all(shown string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(shown, word) {
			return false
		}
	}
	return true
}

func (s *screen) send(keys string) {
	s.Helper()
	if _, err := s.file.WriteString(keys); err != nil {
		s.Fatal(err)
	}
}

// watchState returns the times of changes of STATE.json in a directory.
func (s *screen) watchState(dir string) <-chan time.Time {
	s.Helper()
	w, err := fsnotify.NewWatcher()
	if err == nil {
		s.Cleanup(func() { w.Close() })
		err = w.Add(dir)
	}
	if err != nil {
		s.Fatal(err)
	}
	notices := make(chan time.Time, 1024)
	go func() {
		for e := range w.Events {
			if filepath.Base(e.Name) == "STATE.json" && e.Has(fsnotify.Create) {
				notices <- time.Now()
			}
		}
	}()
	return notices
}
