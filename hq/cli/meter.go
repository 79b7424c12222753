package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"ferrus/ui/style"
)

// meter shows on a terminal how long something has taken, in one line that is replaced,
// next to how long it took last time, if that is known. It also drives the bar in the
// tab of a terminal that has one, by OSC 9;4. Elsewhere it shows nothing.
type meter struct {
	out     io.Writer
	words   string
	usual   time.Duration // what it took the last time; 0: it is not known
	started time.Time
	shown   bool // out is a terminal
	tab     bool // that has a bar in its tab
}

// newMeter returns a meter that starts at now.
func newMeter(std *streams, words string, usual time.Duration, now time.Time) *meter {
	return &meter{out: drawnOn(std.out), words: words, usual: usual, started: now, shown: std.fullScreen,
		tab: std.fullScreen && style.TerminalOf(os.Getenv).Progress}
}

// meterCells is the length of the bar.
const meterCells = 20

// draw shows how far it is at now.
func (m *meter) draw(now time.Time) {
	if !m.shown {
		return
	}
	percent := m.percent(now)
	line := m.words + "  " + now.Sub(m.started).Truncate(time.Second).String()
	if percent > 0 {
		full := meterCells * percent / 100
		line += " of about " + m.usual.Round(time.Second).String() + "  " + strings.Repeat("■", full) +
			strings.Repeat("·", meterCells-full)
	}
	fmt.Fprint(m.out, "\r"+line+"\x1b[K")
	switch {
	case !m.tab:
	case percent > 0:
		fmt.Fprintf(m.out, "\x1b]9;4;1;%d\x07", percent)
	default:
		fmt.Fprint(m.out, "\x1b]9;4;3\x07")
	}
}

// percent returns the progress; 0: unknown. It never reaches 100.
func (m *meter) percent(now time.Time) int {
	if m.usual < time.Second { // which would be shown as 0s
		return 0
	}
	return min(max(int(100*now.Sub(m.started)/m.usual), 1), 99)
}

// end removes what was shown.
func (m *meter) end() {
	if !m.shown {
		return
	}
	fmt.Fprint(m.out, "\r\x1b[K")
	if m.tab {
		fmt.Fprint(m.out, "\x1b]9;4;0\x07")
	}
}

// every draws about twice a second until the returned function is called, which also ends
// the meter.
func (m *meter) every() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(500 * time.Millisecond)
		defer ticks.Stop()
		for {
			m.draw(time.Now())
			select {
			case <-ticks.C:
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		m.end()
	}
}
