package tui

import (
	"testing"
	"time"

	"ferrus/hq/benchtest"
)

// BenchmarkFar is HQ over a link of 200 ms each way and 64 KB in a second: from a
// key to its echo at the terminal, what it costs in bytes, and how much is under
// way at most; while nothing else happens, and while an agent floods its pane.
func BenchmarkFar(b *testing.B) {
	const letters = "abcdefghijklmnopqrst"
	for _, scene := range []string{"idle", "flood"} {
		b.Run(scene, func(b *testing.B) {
			for b.Loop() {
				r := &relay{delay: 200 * time.Millisecond, rate: 64 << 10}
				h := startFar(b, scene, r)
				h.WaitFor("F1 help")
				h.Type("-")
				h.WaitFor("> -")
				r.most.Store(0)
				before, began := r.drawn.Load(), time.Now()
				var took []time.Duration
				for i := range letters {
					typed := time.Now()
					h.Type(letters[i : i+1])
					h.WaitFor("> -" + letters[:i+1])
					took = append(took, time.Since(typed))
				}
				sent := float64(r.drawn.Load() - before)
				b.ReportMetric(benchtest.Milliseconds(took, 0.5), "echo-p50-ms")
				b.ReportMetric(benchtest.Milliseconds(took, 0.99), "echo-p99-ms")
				b.ReportMetric(sent/float64(len(letters)), "B/key")
				b.ReportMetric(sent/time.Since(began).Seconds(), "written-B/s")
				b.ReportMetric(float64(r.most.Load()), "most-under-way-B")
				h.Type("\x03\x03")
				h.WaitEnd()
			}
		})
	}
}
