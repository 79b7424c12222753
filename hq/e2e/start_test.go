//go:build e2e

package e2e

import (
	"testing"
	"time"

	"ferrus/hq/e2e/model"
	"ferrus/hq/project"
	"ferrus/store"
)

// BenchmarkFirstCall is the time from the start of a session's process to the
// first call of a ferrus tool, for each client as an executor.
func BenchmarkFirstCall(b *testing.B) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			bench := newBench(b, setup{supervisor: "codex", executor: name, script: func(c model.Conversation) model.Action {
				action := model.Story(c)
				if calls("wait_for_task")(c, action) {
					return action
				}
				return model.Action{Text: "Enough."}
			}})
			var total time.Duration
			n := 0
			for b.Loop() {
				if code, out := bench.run("run", model.TaskText); code != 3 {
					b.Fatalf("exit %d\n%s\n%s", code, out, bench.evidence())
				}
				for _, took := range bench.starts() {
					total, n = total+took, n+1
				}
				if code, out := bench.run("reset", "--yes"); code != 0 {
					b.Fatalf("reset: exit %d\n%s", code, out)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(total.Milliseconds())/float64(max(n, 1)), "ms/first-call")
		})
	}
}

// starts are the times from the newest sessions' starts to their claims.
func (b *bench) starts() []time.Duration {
	b.t.Helper()
	p, err := project.Open(b.dir, names...)
	if err != nil {
		b.t.Fatal(err)
	}
	registry, err := p.Registry()
	if err != nil {
		b.t.Fatal(err)
	}
	lines, err := p.Store.Journal(0)
	if err != nil {
		b.t.Fatal(err)
	}
	var took []time.Duration
	for _, a := range registry.Agents {
		took = append(took, claimed(lines, a)...)
	}
	return took
}

func claimed(lines []store.Line, a project.Entry) (took []time.Duration) {
	for _, l := range lines {
		if l.Event == "claim" && l.Session == a.Session {
			took = append(took, l.At.Sub(a.StartedAt))
		}
	}
	return took
}
