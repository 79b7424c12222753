package host

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/checks/redact"
	"ferrus/hq/benchtest"
	"ferrus/ui/vt"
)

// startSessions starts sessions that end with the benchmark.
func startSessions(b *testing.B, n int, part string, env ...string) []*Client {
	b.Helper()
	s := &fixture{dir: folder(b.TempDir())}
	var all []*Client
	for i := range n {
		c, err := Start(os.Args[0], s.launch(part, fmt.Sprintf("slot%02d", i), env...), newPane())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { c.End(context.Background(), 0) })
		all = append(all, c)
	}
	return all
}

// BenchmarkRedraw measures how long a conductor that replaces a crashed one takes to draw four
// panes with all their lines.
func BenchmarkRedraw(b *testing.B) {
	all := startSessions(b, 4, "count", "LINES=12000", "STAY=1")
	for _, c := range all {
		c.screen.(pane).awaitB(b, "END")
		c.Detach()
	}
	for b.Loop() {
		for _, c := range all {
			next, err := Reattach(c.Record(), vt.NewLocked(80, 24, 10_000))
			if err != nil {
				b.Fatal(err)
			}
			next.Detach()
		}
	}
	for _, c := range all {
		next, err := Reattach(c.Record(), newPane())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { next.End(context.Background(), 0) })
	}
}

// BenchmarkHostMemory reports the memory of one host, with an empty screen and with 10,000 lines.
func BenchmarkHostMemory(b *testing.B) {
	for name, lines := range map[string]int{"empty": 0, "full": 12_000} {
		b.Run(name, func(b *testing.B) {
			c := startSessions(b, 1, "count", fmt.Sprintf("LINES=%d", lines), "STAY=1")[0]
			c.screen.(pane).awaitB(b, "END")
			for b.Loop() {
				b.ReportMetric(resident(b, c.Record().Host.PID), "MB")
			}
		})
	}
}

// resident returns a process's private memory in MB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("no /proc")
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "RssAnon:" {
			kb, _ := strconv.Atoi(f[1])
			return float64(kb) / 1024
		}
	}
	return 0
}

// BenchmarkRedactor measures what redaction costs a log without secrets.
func BenchmarkRedactor(b *testing.B) {
	text := bytes.Repeat([]byte("all work and no play makes jack a dull boy\r\n"), 1400)
	r := redact.New(&void{}, os.Environ()...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Write(text) //nolint:errcheck // it cannot fail
	}
}

type void struct{}

func (*void) Write(p []byte) (int, error) { return len(p), nil }
func (*void) Close() error                { return nil }

// BenchmarkKeyEcho measures the time from a key to its echo on the conductor's screen, alone and
// while other agents flood.
func BenchmarkKeyEcho(b *testing.B) {
	for _, others := range []int{0, 1, 32} {
		b.Run(fmt.Sprintf("beside %d", others), func(b *testing.B) {
			startSessions(b, others, "flood")
			s := &fixture{dir: folder(b.TempDir())}
			p := newPane()
			c, err := Start(os.Args[0], s.launch("echo", "executor"), p)
			if err != nil {
				b.Fatal(err)
			}
			defer c.End(context.Background(), 0)
			p.awaitB(b, "ready")
			var took []time.Duration
			for n := 0; b.Loop(); n++ {
				word := fmt.Sprintf("\x1b[H\x1b[2Jkey %d.", n)
				began := time.Now()
				if err := c.Input([]byte(word)); err != nil {
					b.Fatal(err)
				}
				p.awaitB(b, fmt.Sprintf("key %d.", n))
				took = append(took, time.Since(began))
			}
			b.ReportMetric(1e3*benchtest.Milliseconds(took, 0.5), "µs-p50")
			b.ReportMetric(1e3*benchtest.Milliseconds(took, 0.99), "µs-p99")
		})
	}
}

func (p pane) awaitB(b *testing.B, words string) {
	b.Helper()
	limit := time.After(time.Minute)
	for {
		found := false
		p.With(func(t *vt.Terminal) {
			_, rows := t.Size()
			for y := range rows {
				found = found || strings.Contains(t.Row(y), words)
			}
		})
		if found {
			return
		}
		select {
		case <-p.wrote:
		case <-limit:
			b.Fatalf("%q is not on the screen", words)
		}
	}
}
