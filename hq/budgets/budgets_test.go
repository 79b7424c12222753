package budgets

import (
	"testing"
)

// BenchmarkBudgets measures all budgets. Each row is one benchmark.
func BenchmarkBudgets(b *testing.B) {
	for _, row := range []struct {
		name    string
		measure func(*testing.B)
	}{
		{"start", start}, {"idle", idle}, {"echo", echo}, {"output", output}, {"flood", throughput},
		{"memory", memory}, {"attach", attach}, {"size", size}, {"init", initialization}, {"serve", firstTools},
		{"check", gate}, {"submit", submit}, {"landing", landing}, {"tasks", tasks}, {"backlog", backlog},
		{"workers", workers},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				row.measure(b)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
