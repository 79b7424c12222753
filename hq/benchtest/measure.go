// Package benchtest measures processes, and sums up what benchmarks measured.
package benchtest

import (
	"slices"
	"time"
)

// Percentile returns the time that a share of them, 0 to 1, does not exceed. It
// sorts them; there must be one.
func Percentile(took []time.Duration, share float64) time.Duration {
	slices.Sort(took)
	return took[int(float64(len(took)-1)*share)]
}

// Milliseconds is like [Percentile] as a benchmark reports it.
func Milliseconds(took []time.Duration, share float64) float64 {
	return float64(Percentile(took, share)) / 1e6
}
