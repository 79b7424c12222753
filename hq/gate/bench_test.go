package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ferrus/checks"
)

// BenchmarkDemands is one gate that passes, with commands that take 100 ms: without names of
// tests; with names, so that tests of ferrus's own are added to a second run; and where a file
// of tests changed too, so that the base's version runs as well. Each reports how many times
// the first it took. The base is one run of the commands on the tree before the task.
func BenchmarkDemands(b *testing.B) {
	const command = "sleep 0.1; sh run.sh"
	var plain time.Duration
	for _, c := range []struct{ name, run, test string }{
		{"plain", "true", ""}, {"names", suite, ""}, {"base-tests", suite, "tests/a.rs"},
	} {
		l := newFixture(b, command)
		l.ok(os.MkdirAll(filepath.Join(l.Dir, "src"), 0o755))
		l.ok(os.MkdirAll(filepath.Join(l.Dir, "tests"), 0o755))
		l.write(filepath.Join(l.Dir, "run.sh"), c.run)
		l.write(filepath.Join(l.Dir, "src", "lib.rs"), "fn a() {}\n")
		l.write(filepath.Join(l.Dir, "tests", "a.rs"), "fn b() {}\n")
		l.pin(`protect = true`)
		started := time.Now()
		l.ok(RunBase(l.Context(), l.Task))
		base := time.Since(started)
		b.Run(c.name, func(b *testing.B) {
			for i := range b.N {
				l.write(filepath.Join(l.Dir, "src", "lib.rs"), fmt.Sprintf("fn a() {}\n// %d\n", i))
				if c.test != "" {
					l.write(filepath.Join(l.Dir, c.test), fmt.Sprintf("fn b() {}\n// %d\n", i))
				}
				if r := l.run(l.check()); r.Verdict != checks.Pass {
					b.Fatalf("the gate says %s: %s; want a pass", r.Verdict, r.Why)
				}
			}
			took := b.Elapsed() / time.Duration(b.N)
			if c.name == "plain" {
				plain = took
			}
			b.ReportMetric(float64(took)/float64(plain), "x-plain")
			b.ReportMetric(float64(base)/float64(plain), "base-x-plain")
		})
	}
}
