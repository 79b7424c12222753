package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"

	"ferrus/hq/benchtest"
	"ferrus/ui/vt"
)

// empty is a Bubble Tea program that does nothing: the measure of an idle HQ.
type empty struct{}

func (empty) Init() tea.Cmd                         { return nil }
func (e empty) Update(tea.Msg) (tea.Model, tea.Cmd) { return e, nil }
func (empty) View() tea.View                        { v := tea.NewView("empty"); v.AltScreen = true; return v }

// observed is how long a program is measured.
const observed = 10 * time.Second

// BenchmarkIdle measures what HQ costs while nothing happens, beside an empty
// program, and what it writes meanwhile; and the same while a task is worked on.
func BenchmarkIdle(b *testing.B) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		b.Skip("the times of threads are read from /proc")
	}
	var base float64
	for _, scene := range []string{"empty", "idle", "work"} {
		b.Run(scene, func(b *testing.B) {
			for b.Loop() {
				m := observe(b, scene)
				if scene == "empty" {
					base = m.cpu
				}
				b.ReportMetric(m.cpu, "cpu-ms/s")
				b.ReportMetric(m.bytes, "written-B/s")
				b.ReportMetric(m.updates, "updates/s")
				b.ReportMetric(m.memory, "MB")
				if base > 0 {
					b.ReportMetric(m.cpu/base, "x-empty")
				}
			}
		})
	}
}

// measured is one measurement of a program.
type measured struct{ cpu, bytes, updates, memory float64 }

func observe(b *testing.B, scene string) measured {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "HQ_SCENE="+scene, "HQ_LOG="+filepath.Join(b.TempDir(), "log"),
		"TERM=xterm-256color")
	file, err := pty.StartWithSize(command, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		b.Fatal(err)
	}
	var written, updates atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer, screen, last := make([]byte, 64<<10), vt.New(120, 40, 0), time.Time{}
		for {
			n, err := file.Read(buffer)
			written.Add(int64(n))
			if now := time.Now(); n > 0 && now.Sub(last) > 50*time.Millisecond { // one update may come in parts
				updates.Add(1)
				last = now
			}
			_, _ = screen.Write(buffer[:n])
			if replies := screen.Replies(); len(replies) > 0 {
				_, _ = file.Write(replies)
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = file.Close()
		<-ended
	}()
	time.Sleep(3 * time.Second) // it starts, asks its terminal, and is at rest
	began, cpu, bytes, drawn := time.Now(), benchtest.Ran(command.Process.Pid), written.Load(), updates.Load()
	time.Sleep(observed)
	seconds := time.Since(began).Seconds()
	return measured{
		cpu:     float64(benchtest.Ran(command.Process.Pid)-cpu) / 1e6 / seconds,
		bytes:   float64(written.Load()-bytes) / seconds,
		updates: float64(updates.Load()-drawn) / seconds,
		memory:  benchtest.Resident(command.Process.Pid),
	}
}
