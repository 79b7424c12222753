package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/benchtest"
	"ferrus/hq/demo"
	"ferrus/ui/termtest"
)

// fillEnv tells each agent of the demo how many full lines to write first.
const fillEnv = "TEST_FILL_LINES"

// wide is the terminal whose panes are filled.
const wide, high = 250, 60

// fill plays an agent with much output.
func fill() {
	lines, _ := strconv.Atoi(os.Getenv(fillEnv))
	if len(os.Args) < 2 || os.Args[1] != "demo-agent" {
		return
	}
	for i := range lines {
		line := fmt.Sprintf("%06d ", i)
		fmt.Printf("\x1b[3%dm%s\x1b[m\r\n", i%8, line+strings.Repeat("full ", wide)[:wide/2-4-len(line)])
	}
}

// empty returns a Bubble Tea program that does nothing: the measure of an idle HQ.
func empty() int {
	_, err := tea.NewProgram(nothing{}, tea.WithFPS(120)).Run()
	return map[bool]int{true: 1}[err != nil]
}

type nothing struct{}

func (nothing) Init() tea.Cmd                         { return nil }
func (n nothing) Update(tea.Msg) (tea.Model, tea.Cmd) { return n, nil }
func (nothing) View() tea.View                        { v := tea.NewView("empty"); v.AltScreen = true; return v }

// BenchmarkFullPanes measures HQ's memory while each of its four panes has 10,000 full lines,
// against the budget of 40 MB plus 10 MB for each pane.
func BenchmarkFullPanes(b *testing.B) {
	for b.Loop() {
		x := openWith(b, b.TempDir(), wide, high, []string{fillEnv + "=12000"}, "demo", "--dir", ".",
			"--speed", "0", "--auto")
		x.WaitFor("● Complete")
		for _, pane := range []string{"1", "2", "3", "4"} {
			x.Type("\x0f" + pane)
			x.WaitFor("keys go to "+pane, pane+" supervisor", pane+" executor", pane+" consultant", pane+" reviewer")
			x.Type("\x1d")
		}
		mb := benchtest.Resident(x.Command.Process.Pid)
		b.ReportMetric(mb, "MB")
		b.ReportMetric(mb/(40+4*10), "x-budget")
		x.Type("\x03\x03")
		x.WaitEnd()
	}
}

// BenchmarkRest measures what HQ over a real conductor costs and writes while nothing happens,
// against an empty program; and the same while an agent waits for an answer.
func BenchmarkRest(b *testing.B) {
	var base float64
	for _, scene := range []string{"empty", "idle", "asked"} {
		b.Run(scene, func(b *testing.B) {
			for b.Loop() {
				x := atRest(b, scene)
				cpu, written, frames := rest(b, x)
				if scene == "empty" {
					base = cpu
				}
				b.ReportMetric(cpu, "cpu-ms/s")
				b.ReportMetric(cpu/base, "x-empty")
				b.ReportMetric(written, "written-B/s")
				b.ReportMetric(frames, "updates/s")
				b.ReportMetric(benchtest.Resident(x.Command.Process.Pid), "MB")
				x.Type("\x03\x03")
			}
		})
	}
}

// atRest returns a program that has become idle.
func atRest(b *testing.B, scene string) *termtest.Terminal {
	dir := filepath.Join(b.TempDir(), "p")
	switch scene {
	case "empty":
		command := exec.Command("empty")
		command.Env = append(os.Environ(), "TERM=xterm-256color")
		x := termtest.Start(b, command, 120, 40)
		x.WaitFor("empty")
		return x
	case "idle":
		if err := demo.Scaffold(dir); err != nil {
			b.Fatal(err)
		}
		if _, err := initStore(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
		x := open120(b, dir)
		x.WaitFor("● Idle")
		return x
	}
	x := open120(b, b.TempDir(), "demo", "--dir", dir, "--speed", "0")
	x.WaitFor("executor asks:")
	x.WaitFor("wait_for_answer")
	return x
}

// settling is how long a program has to become idle, and watched how long it is then measured.
const settling, watched = 3 * time.Second, 10 * time.Second

func rest(b *testing.B, x *termtest.Terminal) (cpu, written, frames float64) {
	pid := x.Command.Process.Pid
	if benchtest.Ran(pid) == 0 {
		b.Skip("the times of threads are read from /proc")
	}
	time.Sleep(settling)
	before, ran, began := x.Raw(), benchtest.Ran(pid), time.Now()
	time.Sleep(watched)
	seconds := time.Since(began).Seconds()
	news := x.Raw()[len(before):]
	return (benchtest.Ran(pid) - ran).Seconds() * 1000 / seconds, float64(len(news)) / seconds,
		float64(strings.Count(news, "\x1b[?2026h")) / seconds
}
