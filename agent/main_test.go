package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary is the agent: PLAY selects its behavior.
func TestMain(m *testing.M) {
	if part := os.Getenv("PLAY"); part != "" {
		plays[part]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const flood = 50 << 20

var plays = map[string]func(){
	"exit":  func() { fmt.Println("here and gone"); os.Exit(3) },
	"hang":  func() { fmt.Println("ready"); forever() },
	"stone": func() { ignore(); fmt.Println("ready"); forever() },
	"flood": func() {
		w := bytes.Repeat([]byte("all work and no play makes jack a dull boy, says the flood......"), 1024)
		for range flood / len(w) {
			os.Stdout.Write(w)
		}
		fmt.Print("END")
	},
	"count": func() {
		for i := range 20000 {
			fmt.Printf("%d\n", i)
		}
	},
	"spend": func() { fmt.Println(`{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":2}}`) },
	"deaf":  func() { raw(); fmt.Println("ready"); forever() },
	"echo": func() {
		raw()
		fmt.Print("ready")
		io.Copy(os.Stdout, os.Stdin)
	},
	"ask": func() {
		raw()
		fmt.Print("\x1b[c")
		answer := make([]byte, 64)
		n, _ := os.Stdin.Read(answer)
		fmt.Printf("answer %q.", answer[:n])
	},
	"size": func() {
		resized := make(chan os.Signal, 1)
		signal.Notify(resized, syscall.SIGWINCH)
		show := func() {
			size, _ := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
			fmt.Printf("%dx%d.", size.Col, size.Row)
		}
		show()
		<-resized
		show()
	},
	"stdin": func() {
		all, err := io.ReadAll(os.Stdin)
		_, terminal := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
		fmt.Printf("stdin %q %v, terminal %v.", all, err, terminal)
	},
	"close": func() { // closes its terminal, says so in a file, opens it again
		for fd := range 3 {
			unix.Close(fd)
		}
		os.WriteFile(os.Getenv("NOTE"), []byte("closed"), 0o600)
		time.Sleep(50 * time.Millisecond) // the terminal's other side must see it closed
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err == nil {
			fmt.Fprint(tty, "back")
			forever()
		}
	},
	"litter": func() { // leaves a grandchild in a session of its own, deaf to all but a kill
		start("stone", true)
		fmt.Println("ready")
	},
	"unmarked": func() { // its child has no mark and a session of its own
		os.Unsetenv("FERRUS_NONCE")
		start("stone", true)
		fmt.Println("ready")
		forever()
	},
	"cling": func() { // lets go of its terminal, which a grandchild keeps and writes to
		signal.Ignore(syscall.SIGHUP)
		unix.IoctlSetInt(0, unix.TIOCNOTTY, 0)
		start("babble", false)
	},
	"babble": func() {
		ignore()
		for {
			if _, err := os.Stdout.WriteString("babble "); err != nil {
				forever()
			}
			time.Sleep(time.Millisecond)
		}
	},
	"env": func() { fmt.Println(strings.Join(os.Environ(), "\n")) },
	"lines": func() {
		fmt.Println("one")
		fmt.Fprintln(os.Stderr, "two")
		fmt.Print("three")
	},
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func ignore() { signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) }

// raw turns off echo and line editing.
func raw() {
	modes, err := unix.IoctlGetTermios(0, termiosGet)
	if err != nil {
		return
	}
	modes.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG
	modes.Oflag &^= unix.OPOST
	unix.IoctlSetTermios(0, termiosSet, modes)
}

// start runs another part as a child, and waits until it reports that it is ready.
func start(part string, setsid bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PLAY="+part)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
	if !setsid {
		cmd.Stdout = os.Stdout
		cmd.Start()
		return
	}
	out, _ := cmd.StdoutPipe()
	cmd.Start()
	out.Read(make([]byte, 8))
}

// memoryScreen is a screen that remembers what was written to it.
type memoryScreen struct {
	mu      sync.Mutex
	shown   []byte
	size    string
	limit   int // keep only so many of the last bytes; 0 keeps all
	total   int
	replies []byte
	wrote   chan struct{}
}

func newMemoryScreen() *memoryScreen { return &memoryScreen{wrote: make(chan struct{}, 1)} }

func (g *memoryScreen) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown, g.total = append(g.shown, p...), g.total+len(p)
	if g.limit > 0 && len(g.shown) > 2*g.limit {
		g.shown = append([]byte(nil), g.shown[len(g.shown)-g.limit:]...)
	}
	if bytes.Contains(p, []byte("\x1b[c")) {
		g.replies = append(g.replies, "\x1b[?62c"...)
	}
	notify(g.wrote)
	return len(p), nil
}

// received returns how many bytes were written so far.
func (g *memoryScreen) received() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.total
}

func (g *memoryScreen) Resize(columns, rows int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.size = fmt.Sprintf("%dx%d", columns, rows)
}

func (g *memoryScreen) Snapshot() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return bytes.Clone(g.shown)
}

func (g *memoryScreen) Replies() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	replies := g.replies
	g.replies = nil
	return replies
}

// await returns when the screen shows text.
func (g *memoryScreen) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for !bytes.Contains(g.Snapshot(), []byte(text)) {
		select {
		case <-g.wrote:
		case <-limit:
			t.Fatalf("%q is not on the screen: %q", text, g.Snapshot())
		}
	}
}
