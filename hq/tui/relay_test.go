package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ferrus/ui/termtest"
)

// relay is the link between HQ and a distant terminal: data arrives later, at a limited rate.
type relay struct {
	delay time.Duration // each way
	rate  int           // bytes in a second, each way; 0: any number
	pause time.Duration // between the bytes from the terminal; 0: they come together
	deaf  bool          // the terminal understands no question: its answers are lost

	drawn   atomic.Int64 // bytes from HQ
	arrived atomic.Int64 // of those, at the terminal
	most    atomic.Int64 // under way at one time
	typed   atomic.Int64 // bytes that reached HQ
	late    atomic.Int64 // of those, when it had ended
	over    atomic.Bool  // it has
}

// parcel is the data of one read.
type parcel struct {
	data []byte
	due  time.Time
}

// replies are a terminal's answers about itself.
var replies = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|[\]P][^\x07\x1b]*(\x07|\x1b\\))`)

// way is one direction of the link.
type way struct {
	pause      time.Duration
	lost       bool      // all answers are
	came, gave func(int) // count bytes
}

// startFar is start with a relay between.
func startFar(t testing.TB, scene string, r *relay, environ ...string) *hqTest {
	t.Helper()
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])
	here, there := os.NewFile(uintptr(ends[0]), "near"), os.NewFile(uintptr(ends[1]), "far")
	h, command := prepare(t, scene, environ...)
	file, err := pty.StartWithSize(command, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	var going sync.WaitGroup
	going.Go(func() {
		r.copyBytes(file, here, way{came: r.came, gave: r.gave})
		_ = unix.Shutdown(ends[0], unix.SHUT_WR) // HQ is gone: so is its terminal
	})
	going.Go(func() { r.copyBytes(here, file, way{pause: r.pause, lost: r.deaf, came: func(int) {}, gave: r.taken}) })
	t.Cleanup(func() {
		_ = unix.Shutdown(ends[0], unix.SHUT_RDWR)
		_ = file.Close()
		going.Wait()
		_ = here.Close()
	})
	h.Terminal = termtest.Attach(t, command, there, 120, 40)
	return h
}

func (r *relay) came(n int) {
	if n == 0 {
		r.over.Store(true)
	}
	under := r.drawn.Add(int64(n)) - r.arrived.Load()
	for most := r.most.Load(); under > most && !r.most.CompareAndSwap(most, under); most = r.most.Load() {
	}
}

// taken counts the input that HQ got. Its end is the end of HQ's output.
func (r *relay) taken(n int) {
	r.typed.Add(int64(n))
	if r.over.Load() {
		r.late.Add(int64(n))
	}
}

func (r *relay) gave(n int) { r.arrived.Add(int64(n)) }

// copyBytes moves bytes in one direction until that direction ends.
func (r *relay) copyBytes(from, to *os.File, w way) {
	under := make(chan parcel, 1<<16) // more than a link keeps
	go func() {
		defer close(under)
		for {
			buffer := make([]byte, 4<<10)
			n, err := from.Read(buffer)
			w.came(n)
			under <- parcel{buffer[:n], time.Now().Add(r.delay)}
			if err != nil {
				return
			}
		}
	}()
	for p := range under {
		if w.lost {
			p.data = replies.ReplaceAll(p.data, nil) // what was typed may have come with one
		}
		time.Sleep(time.Until(p.due)) // that is the link
		if r.rate > 0 {
			time.Sleep(time.Duration(len(p.data)) * time.Second / time.Duration(r.rate))
		}
		for len(p.data) > 0 {
			n := len(p.data)
			if w.pause > 0 {
				n = 1
				time.Sleep(w.pause)
			}
			_, _ = to.Write(p.data[:n]) // it may be gone
			w.gave(n)
			p.data = p.data[n:]
		}
	}
}

// prepare makes HQ's command.
func prepare(t testing.TB, scene string, environ ...string) (*hqTest, *exec.Cmd) {
	h := &hqTest{log: filepath.Join(t.TempDir(), "log")}
	command := exec.Command(os.Args[0])
	// no clipboard but the terminal's
	command.Env = append(os.Environ(), "HQ_SCENE="+scene, "HQ_LOG="+h.log, "HQ_IDLE=1", "TERM=xterm-256color",
		"LC_ALL=C.UTF-8", "TMUX=", "DISPLAY=", "WAYLAND_DISPLAY=")
	command.Env = append(command.Env, environ...)
	return h, command
}
