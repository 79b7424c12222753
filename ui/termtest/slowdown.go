//go:build !race

package termtest

// slowdown is how much slower programs are than without the race detector.
const slowdown = 1
