package lane

import (
	"fmt"
	"os"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/store/longtest"
)

// BenchmarkGate is one gate with the command true after one file of 2,000 changed: on the
// lane, and in the directory that the agent works in, which is the raw baseline. With
// FERRUS_LONG there are 200,000 files. Each reports how many times the baseline it took;
// first is the gate that fills a new lane.
func BenchmarkGate(b *testing.B) {
	count := 2000
	if longtest.On() {
		count = 200_000
	}
	files := map[string]string{}
	for i := range count {
		files[fmt.Sprintf("d%03d/f%d.txt", i%500, i)] = fmt.Sprintf("file %d\n", i)
	}
	f := newFixture(b, files)
	gate := func(i int) {
		f.write("d000/f0.txt", fmt.Sprintln("change", i))
		p := f.prepare()
		f.want(f.run(b.Context(), p, setup("true")))
		changed, _, err := p.Changed(b.Context())
		if f.must(err); len(changed) > 0 {
			b.Fatalf("changed: %v", changed)
		}
	}
	inPlace := func(i int) {
		f.write("d000/f0.txt", fmt.Sprintln("in place", i))
		before := f.tree()
		f.want(f.run(b.Context(), &Place{Dir: f.dir, Env: os.Environ()}, setup("true")))
		if f.tree() != before {
			b.Fatal("the tree changed")
		}
	}
	inPlace(-1) // the first names every file
	start := time.Now()
	inPlace(-2)
	baseline := time.Since(start)
	start = time.Now()
	gate(-3)
	first := time.Since(start)
	b.Run("in-place", func(b *testing.B) {
		for i := range b.N {
			inPlace(i)
		}
		baseline = b.Elapsed() / time.Duration(b.N)
	})
	b.Run("lane", func(b *testing.B) {
		for i := range b.N {
			gate(i)
		}
		took := b.Elapsed() / time.Duration(b.N)
		b.ReportMetric(float64(took)/float64(baseline), "x-in-place")
		b.ReportMetric(float64(first)/float64(baseline), "x-in-place-first")
	})
}

func (f *fixture) want(r checks.Record) {
	f.Helper()
	if r.Verdict != checks.Pass {
		f.Fatalf("the verdict is %s, want PASS: %s", r.Verdict, r.Why)
	}
}
