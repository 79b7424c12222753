package host

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/door"
	"ferrus/hq/host/hosttest"
	"ferrus/ui/vt"
)

// TestMain also plays every host and every agent; PLAY names the part.
func TestMain(m *testing.M) {
	switch part := os.Getenv("PLAY"); {
	case len(os.Args) == 2 && os.Args[1] == Command:
		if err := Serve(Inherited(), func(l Launch) (Disk, error) { return folder(l.Project), nil }); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case part != "":
		plays[part]()
		os.Exit(0)
	}
	os.Exit(hosttest.M{Tests: m}.Run())
}

// folder is a Disk without durability.
type folder string

func (f folder) Save(r Record) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(filepath.Join(string(f), r.Slot+".new"), data, 0o600)
	}
	if err == nil {
		err = os.Rename(filepath.Join(string(f), r.Slot+".new"), filepath.Join(string(f), r.Slot+".json"))
	}
	return err
}

func (f folder) Intruded(l Launch, pid int) {
	_ = os.WriteFile(filepath.Join(string(f), "intruded"), []byte(l.Session), 0o600)
}

func (f folder) Reaches(_ Launch, host string) bool {
	return os.WriteFile(filepath.Join(string(f), "reached"), []byte(host), 0o600) != nil // a refused client
}

func (f folder) Refuses(Launch, string) bool { return false }

func (f folder) Log(name string, _ []string) (io.WriteCloser, error) {
	return os.OpenFile(filepath.Join(string(f), name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

func (f folder) record(t *testing.T) Record {
	t.Helper()
	var r Record
	data, err := os.ReadFile(filepath.Join(string(f), "executor.json"))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var plays = map[string]func(){
	"exit": func() { fmt.Println("here and gone"); os.Exit(3) },
	"result": func() {
		fmt.Println(`{"type":"result","subtype":"success","result":"I am DONE."}`)
	},
	"knock": func() { // connects and exits
		if _, err := connect(os.Getenv(door.Env)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	},
	"hang": func() { fmt.Println("ready"); forever() },
	"stone": func() {
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println("ready")
		forever()
	},
	"count": func() {
		n, _ := strconv.Atoi(os.Getenv("LINES"))
		for i := range n {
			fmt.Printf("line %d\n", i)
		}
		fmt.Println("END")
		if os.Getenv("STAY") != "" {
			forever()
		}
	},
	"flood": func() {
		w := bytes.Repeat([]byte("all work and no play makes jack a dull boy\r\n"), 1000)
		for {
			os.Stdout.Write(w)
		}
	},
	"echo": func() {
		raw()
		fmt.Print("ready")
		io.Copy(os.Stdout, os.Stdin)
	},
	"deaf": func() { raw(); fmt.Println("ready"); forever() },
	"ask": func() { // queries its terminal and prints the answer
		raw()
		fmt.Print("\x1b[c\x1b[6n\x1b[?u\x1b]11;?\x1b\\")
		answer := make([]byte, 256)
		n, _ := os.Stdin.Read(answer)
		fmt.Printf("answer %q.", answer[:n])
		forever()
	},
	"size": func() {
		resized := make(chan os.Signal, 1)
		signal.Notify(resized, syscall.SIGWINCH)
		for {
			size, _ := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
			fmt.Printf("%dx%d.", size.Col, size.Row)
			<-resized
		}
	},
	"relay": func() { // sends the text of SAY through its door
		err := door.Relay(context.Background(), os.Getenv(door.Env), strings.NewReader(os.Getenv("SAY")), os.Stdout)
		fmt.Println("relayed", err)
		forever()
	},
	"server": func() { io.Copy(os.Stdout, os.Stdin) },
	"close": func() {
		signal.Ignore(syscall.SIGHUP)
		for fd := range 3 {
			unix.Close(fd)
		}
		forever()
	},
	"litter": func() { // leaves a grandchild in its own session that ignores every signal but SIGKILL
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PLAY=stone")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, _ := cmd.StdoutPipe()
		cmd.Start()
		out.Read(make([]byte, 8))
		fmt.Println("ready")
	},
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// raw turns off echo and line editing.
func raw() {
	exec.Command("stty", "-F", "/dev/tty", "raw", "-echo").Run()
}

// pane is a screen that signals each write.
type pane struct {
	*vt.Locked
	wrote chan struct{} // capacity 1
}

func newPane() pane { return pane{vt.NewLocked(80, 24, 10_000), make(chan struct{}, 1)} }

func (p pane) Write(b []byte) (int, error) {
	defer p.wake()
	return p.Locked.Write(b)
}

func (p pane) Resize(columns, rows int) {
	defer p.wake()
	p.Locked.Resize(columns, rows)
}

func (p pane) wake() {
	select {
	case p.wrote <- struct{}{}:
	default:
	}
}

// String returns the whole content: scrollback and screen.
func (p pane) String() string {
	var b strings.Builder
	p.With(func(t *vt.Terminal) {
		for i := range t.Scrollback() {
			b.WriteString(plain(t.HistoryRow(i)) + "\n")
		}
		_, rows := t.Size()
		for y := range rows {
			b.WriteString(plain(t.Row(y)) + "\n")
		}
	})
	return b.String()
}

func plain(line string) string {
	return strings.TrimRight(strings.ReplaceAll(strings.ReplaceAll(line, "\x1b[0m", ""), "\x1b[m", ""), " ")
}

func (p pane) await(t *testing.T, words string) {
	t.Helper()
	limit := time.After(time.Minute)
	for !strings.Contains(p.String(), words) {
		select {
		case <-p.wrote:
		case <-limit:
			t.Fatalf("%q is not on the screen:\n%s", words, p.String())
		}
	}
}

// fixture is a directory in which the test binary plays its parts. A host knows neither project nor
// repository, so package hqtest has nothing for it.
type fixture struct {
	*testing.T
	dir folder
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	if r, w, err := os.Pipe(); err == nil { // the first one opens what the runtime keeps open
		r.Close()
		w.Close()
	}
	goroutines, descriptors := runtime.NumGoroutine(), openFiles()
	s := &fixture{t, folder(t.TempDir())}
	t.Cleanup(func() {
		awaitCount(t, "goroutines", goroutines, runtime.NumGoroutine)
		awaitCount(t, "descriptors", descriptors, openFiles)
		s.checkNoProcessLeft()
	})
	return s
}

func openFiles() int {
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return 0
	}
	return len(names)
}

// awaitCount waits until a count is back to its earlier value.
func awaitCount(t *testing.T, what string, was int, count func() int) {
	t.Helper()
	if !eventually(func() bool { return count() <= was }) {
		stacks := make([]byte, 1<<16)
		t.Fatalf("%d %s, want at most %d\n%s", count(), what, was, stacks[:runtime.Stack(stacks, true)])
	}
}

// eventually reports whether a condition becomes true within a minute.
func eventually(holds func() bool) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(time.Minute); !holds(); {
		select {
		case <-tick.C:
		case <-end:
			return false
		}
	}
	return true
}

// checkNoProcessLeft fails if a process of the fixture is left; all of them run in its directory.
func (s *fixture) checkNoProcessLeft() {
	s.Helper()
	left := func() string {
		links, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range links {
			if cwd, err := os.Readlink(link); err == nil && cwd == string(s.dir) {
				return link
			}
		}
		return ""
	}
	if !eventually(func() bool { return left() == "" }) {
		s.Fatalf("processes left behind: %s", left())
	}
}

// nonce is random, because tests run beside others, and everything that carries the nonce of a session ends with it.
var nonce = rand.Text()

// launch returns the launch of a part in a slot.
func (s *fixture) launch(part, slot string, env ...string) Launch {
	mark := slot + nonce
	return Launch{
		Project: string(s.dir), Slot: slot, Session: process.SessionID(mark), Number: 1, Columns: 80, Rows: 24,
		Scrollback: 10_000, Log: slot + ".log",
		Invocation: agent.Invocation{
			Path: os.Args[0], Env: append([]string{"PLAY=" + part, "FERRUS_NONCE=" + mark}, env...),
		},
	}
}

func (s *fixture) start(part string, env ...string) (*Client, pane) {
	s.Helper()
	return s.run(s.launch(part, "executor", env...))
}

func (s *fixture) run(l Launch) (*Client, pane) {
	s.Helper()
	p := newPane()
	c, err := Start(os.Args[0], l, p)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.End(context.Background(), 0) })
	return c, p
}

func (s *fixture) adopt() (*Client, pane) {
	s.Helper()
	p := newPane()
	c, err := Reattach(s.dir.record(s.T), p)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.End(context.Background(), 0) })
	return c, p
}

func (s *fixture) done(c *Client) agent.Exit {
	s.Helper()
	select {
	case <-c.Done():
	case <-time.After(time.Minute):
		s.Fatal("the session does not end")
	}
	return c.End(context.Background(), 0)
}
