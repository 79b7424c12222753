package sandbox

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ferrus/agent/proxy"
	"ferrus/hq/benchtest"
)

// BenchmarkLaunch starts /bin/true by the program that is built, in each kind of walls in
// turn. It reports the median of each, and what the walls add to a bare start.
func BenchmarkLaunch(b *testing.B) {
	built := filepath.Join(b.TempDir(), "ferrus")
	if out, err := exec.Command("go", "build", "-o", built, "ferrus").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	saved := executable
	defer func() { executable = saved }()
	executable = func() (string, error) { return built, nil }
	found := []Walls{{Kind: None}}
	names := []string{"bare"}
	for _, c := range columns[:4] {
		w, err := probe(b, c.kind, c.network)
		if err != nil {
			b.Logf("no %s walls here: %v", c.title, err)
			continue
		}
		names, found = append(names, map[string]string{"namespace": "namespace", "Landlock": "landlock",
			"namespace without network": "no-network", "namespace with proxy": "proxy"}[c.title]), append(found, w)
	}
	took := make([][]time.Duration, len(found))
	for b.Loop() {
		for i, w := range found {
			began := time.Now()
			outside, err := w.StartProxy(proxy.Rules{})
			if err != nil {
				b.Fatal(err)
			}
			argv, err := w.Command(outside.Policy(Policy{Network: w.Network}), "/bin/true")
			if err == nil {
				err = exec.Command(argv[0], argv[1:]...).Run()
			}
			if err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
			outside.Close()
		}
	}
	bare := benchtest.Milliseconds(took[0], 0.5)
	for i, name := range names {
		b.ReportMetric(benchtest.Milliseconds(took[i], 0.5), name+"-p50-ms")
		if i > 0 {
			b.ReportMetric(benchtest.Milliseconds(took[i], 0.5)-bare, name+"-added-ms")
		}
	}
}
