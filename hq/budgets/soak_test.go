package budgets

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ferrus/hq/benchtest"
)

var soakTime = flag.Duration("soak", 0, "how long to run two sessions with random traffic, for example 1h")

// BenchmarkSoak runs two sessions with random traffic and prints how their memory and the
// memory of HQ grow; set -soak.
func BenchmarkSoak(b *testing.B) {
	if *soakTime == 0 {
		b.Skip("set -soak 1h")
	}
	seed := uint64(time.Now().UnixNano())
	fmt.Println("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	s := openHQ(b, newProject(b, 12_000, "off"))
	end, next, first := time.Now().Add(*soakTime), time.Now(), 0.0
	for time.Now().Before(end) {
		s.send(fmt.Sprintf("\x0f%d", 1+random.IntN(2)))
		switch random.IntN(4) {
		case 0:
			s.send(string(rune(keyFlood)))
			time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
			s.send(string(rune(keyStop)))
		case 1:
			for range random.IntN(100) {
				s.send("x")
				time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
			}
		case 2:
			time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
		}
		s.send("\x1d")
		if time.Now().After(next) {
			next = time.Now().Add(max(*soakTime/20, 10*time.Second))
			mb := allMemory(b)
			if first == 0 {
				first = mb
			}
			fmt.Printf("soak    HQ and hosts %.1f MB, %+.1f since the first look\n", mb, mb-first)
		}
	}
	b.ReportMetric(allMemory(b)-first, "MB-growth")
}

// allMemory returns the memory of HQ and its hosts in MB.
func allMemory(b *testing.B) (mb float64) {
	for _, pid := range benchtest.Running(program(b)) {
		mb += benchtest.Proportional(pid)
	}
	return mb
}
