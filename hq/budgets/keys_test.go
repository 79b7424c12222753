package budgets

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
	"time"

	"ferrus/hq/benchtest"
)

// echo measures the time from a key to its letter on the screen.
func echo(b *testing.B) {
	s, t := openHQ(b, newProject(b, 0, "off")), openTmux(b, 0)
	raw := openRaw(b)
	s.send("\x0f2")
	got, tmux, bare := s.echoes(1), t.echoes(1), raw.echoes(1)
	reportEcho(b, "key echo", [2]float64{2, 8}, got, tmux, bare)
	s.send("\x1d\x0f1" + string(rune(keyFlood)) + "\x1d\x0f2")
	time.Sleep(time.Second)
	got = s.echoes(keys + 1)
	s.end() // only one flood at a time
	for _, key := range []string{"\x02", "o", string(rune(keyFlood)), "\x02", "o"} {
		time.Sleep(50 * time.Millisecond) // tmux takes keys that arrive at once for a paste
		t.send(key)
	}
	time.Sleep(time.Second)
	tmux = t.echoes(keys + 1)
	reportEcho(b, "key echo beside a flood", [2]float64{4, 16}, got, tmux, nil)
}

func reportEcho(b *testing.B, name string, limits [2]float64, got, tmux, raw []time.Duration) {
	for i, share := range []float64{0.5, 0.99} {
		peer, other := "tmux", benchtest.Milliseconds(tmux, share)
		if raw != nil {
			peer = fmt.Sprintf("raw %.2g  tmux", benchtest.Milliseconds(raw, share))
		}
		budget{fmt.Sprintf("%s, p%g", name, 100*share), "ms", limits[i], false}.report(b,
			benchtest.Milliseconds(got, share), peer, other)
	}
}

// keys is how many keys are pressed for one figure.
const keys = 300

// echoes presses keys, which the agent counts on from a number.
func (s *screen) echoes(from int) (took []time.Duration) {
	for n := range keys {
		time.Sleep(time.Duration(10+rand.IntN(20)) * time.Millisecond)
		began := time.Now()
		s.send("x")
		s.await(fmt.Sprintf("key %d.", from+n))
		took = append(took, time.Since(began))
	}
	return took
}

var stampText = regexp.MustCompile(`at (\d{19})\.`)

// output measures the time from an agent's output to the screen.
func output(b *testing.B) {
	s, t := openHQ(b, newProject(b, 0, "off")), openTmux(b, 0)
	s.send("\x0f2" + string(rune(keyStamps)) + "\x1d")
	got := s.stamps()
	t.send(string(rune(keyStamps)))
	budget{"output of an agent to the screen, p50", "ms", 3, false}.report(b, benchtest.Milliseconds(got, 0.5), "tmux",
		benchtest.Milliseconds(t.stamps(), 0.5))
}

// stamps returns the ages of the times on the screen.
func (s *screen) stamps() (took []time.Duration) {
	last := ""
	late := time.After(20 * time.Second)
	for len(took) < stamps*9/10 {
		if found := stampText.FindStringSubmatch(s.read()); found != nil && found[1] != last {
			last = found[1]
			at, _ := strconv.ParseInt(last, 10, 64)
			took = append(took, time.Duration(time.Now().UnixNano()-at))
		}
		select {
		case <-s.changed:
		case <-late:
			s.Fatalf("the screen does not show %d times:\n%s", stamps, s.read())
		}
	}
	return took
}

// throughput measures how fast an agent can print.
func throughput(b *testing.B) {
	raw, s, t := openRaw(b), openHQ(b, newProject(b, 0, "off")), openTmux(b, 0)
	s.send("\x0f2")
	var ours, limit, tmux []float64
	for range 3 {
		limit = append(limit, raw.blast())
		ours = append(ours, s.blast())
		tmux = append(tmux, t.blast())
	}
	bare, got := middle(limit), middle(ours)
	budget{"flood through one pane, of the raw terminal", "x", 0.85, true}.report(b, got/bare,
		fmt.Sprintf("%.3g MB/s, raw %.3g, tmux", got, bare), middle(tmux))
}

var blastText = regexp.MustCompile(`END ([\d.]+) MB/s\.`)

// blast makes the agent print a large output and returns its MB/s.
func (s *screen) blast() (rate float64) {
	s.send(string(rune(keyBlast)))
	late := time.After(time.Minute)
	for {
		if found := blastText.FindStringSubmatch(s.read()); found != nil {
			rate, _ = strconv.ParseFloat(found[1], 64)
			s.send("x") // the line moves up with the next one
			return rate
		}
		select {
		case <-s.changed:
		case <-late:
			s.Fatalf("the flood did not end:\n%s", s.read())
		}
	}
}
