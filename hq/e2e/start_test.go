//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/clients/model"
	"ferrus/hq/project"
	"ferrus/store"
)

// BenchmarkFirstCall measures the time from the start of a session's process to its first call of a
// ferrus tool, for each client as an executor.
func BenchmarkFirstCall(b *testing.B) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			bench := newFixture(b, setup{supervisor: "codex", executor: name, script: oneCall})
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
			if n == 0 {
				b.Fatalf("no session called a tool\n%s", bench.evidence())
			}
			b.ReportMetric(float64(total.Milliseconds())/float64(n), "ms/first-call")
		})
	}
}

// oneCall returns a loop that ends with the result of the first call.
func oneCall(c model.Conversation) model.Action {
	for _, turn := range c.Turns {
		if strings.HasSuffix(turn.Name, "wait_for_task") && turn.Done {
			return model.Action{Text: "Enough."}
		}
	}
	return model.LoopScript(c)
}

// starts returns how long the task's sessions took from their start to their claim.
func (b *fixture) starts() []time.Duration {
	b.t.Helper()
	p, err := project.Open(b.dir, agent.Names()...)
	if err != nil {
		b.t.Fatal(err)
	}
	sessions, err := p.Ended(b.world().Task.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	lines, err := p.Store.Journal(0)
	if err != nil {
		b.t.Fatal(err)
	}
	var took []time.Duration
	for _, s := range sessions {
		took = append(took, claimed(lines, s)...)
	}
	return took
}

func claimed(lines []store.Entry, s project.Ended) (took []time.Duration) {
	for _, l := range lines {
		if l.Event == "claim" && l.Session == s.Session {
			took = append(took, l.At.Sub(s.Started))
		}
	}
	return took
}
