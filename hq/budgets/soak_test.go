package budgets

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ferrus/hq/benchtest"
)

var (
	soakTime  = flag.Duration("soak", 0, "how long to run sessions with random traffic, for example 1h")
	soakTasks = flag.Int("soak-tasks", 0, "tasks that work at the same time in the soak; 0: two sessions")
)

// BenchmarkSoak runs sessions with random traffic and prints how the memory, the open files and the
// threads of HQ and its hosts grow; set -soak. At the end it makes each of them print its
// goroutines, next to those of processes that have just started.
func BenchmarkSoak(b *testing.B) {
	if *soakTime == 0 {
		b.Skip("set -soak 1h")
	}
	seed := uint64(time.Now().UnixNano())
	fmt.Println("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	young := openSoak(b)
	fmt.Printf("soak    goroutines of a young HQ %d\n", young.goroutines())
	endHosts(b)
	s := openSoak(b)
	for range 20 + 3**soakTasks { // one-time allocations are done after some traffic of each kind
		s.traffic(random)
	}
	first := footprintOf(b)
	fmt.Println("soak    at first", first)
	end, next, last := time.Now().Add(*soakTime), time.Now(), first
	for time.Now().Before(end) {
		s.traffic(random)
		if time.Now().After(next) {
			next = time.Now().Add(max(*soakTime/20, 10*time.Second))
			last = footprintOf(b)
			fmt.Printf("soak    %s left: %s\n", time.Until(end).Round(time.Second), last)
		}
	}
	s.await("F1 help")
	fmt.Printf("soak    goroutines of HQ %d\n", s.goroutines())
	endHosts(b)
	b.ReportMetric(last.mb-first.mb, "MB-growth")
	b.ReportMetric(float64(last.files-first.files), "file-growth")
}

// openSoak opens HQ with the soak's sessions, which have started.
func openSoak(b *testing.B) *screen {
	b.Helper()
	if *soakTasks == 0 {
		return openHQ(b, newProject(b, 12_000, "off"))
	}
	begun := b.TempDir()
	const awake = "[session]\nidle_secs = 86400\n" // a silent session is not ended
	s := open(b, newTasksWith(b, *soakTasks, *soakTasks, begun, awake, ""), program(b))
	s.await("F1 help")
	s.awaitBegun(begun, *soakTasks)
	s.await("ready")
	return s
}

// traffic does something random in one of the sessions: output, keys, another size, a page that
// opens, or a pause.
func (s *screen) traffic(random *rand.Rand) {
	pane := 1 + random.IntN(2)
	if *soakTasks > 0 {
		n := 1 + random.IntN(*soakTasks)
		s.send(fmt.Sprintf("\x1d\x10#%d\r", n))          // the palette selects the task
		s.await(fmt.Sprintf("Executing  Task %d of", n)) // keys before it go to the last task
		pane = 2                                         // its executor's pane
	}
	s.send(fmt.Sprintf("\x0f%d", pane))
	switch random.IntN(6) {
	case 0:
		s.send(string(rune(keyFlood)))
		time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
		s.send(string(rune(keyStop)))
	case 1:
		for range random.IntN(100) {
			s.send("x")
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
		}
	case 2:
		time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
	case 3:
		s.resize(80+random.IntN(columns-80), 24+random.IntN(rows-24))
	case 4:
		s.send("\x1d\x1bOP") // help
		time.Sleep(100 * time.Millisecond)
		s.send("\x1b")
		time.Sleep(100 * time.Millisecond)
	case 5:
		s.resize(columns, rows)
	}
	s.send("\x1d")
}

// resize changes the terminal's size.
func (s *screen) resize(width, height int) {
	s.Helper()
	s.vt.Resize(width, height)
	if err := pty.Setsize(s.file, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		s.Fatal(err)
	}
}

// goroutines ends the program with the signal that makes the runtime print them, and counts them.
func (s *screen) goroutines() int {
	s.traced.Store(&strings.Builder{})
	_ = s.command.Process.Signal(syscall.SIGQUIT)
	select {
	case <-s.ended: // all its output has been read
	case <-time.After(20 * time.Second):
		s.Fatal("the program does not exit on SIGQUIT")
	}
	s.end()
	return strings.Count(s.traced.Load().String(), "\ngoroutine ")
}

// footprint is what HQ and its hosts use.
type footprint struct {
	mb             float64
	files, threads int
}

func (f footprint) String() string {
	return fmt.Sprintf("%.1f MB, %d files, %d threads", f.mb, f.files, f.threads)
}

func footprintOf(b *testing.B) (f footprint) {
	for _, pid := range benchtest.Running(program(b)) {
		f.mb += benchtest.Proportional(pid)
		f.files += entries(pid, "fd")
		f.threads += entries(pid, "task")
	}
	return f
}

// entries counts the entries of a process's directory.
func entries(pid int, name string) int {
	all, _ := os.ReadDir(filepath.Join("/proc", fmt.Sprint(pid), name))
	return len(all)
}
