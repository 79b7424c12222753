package cli

import (
	"bytes"
	"testing"
	"time"
)

// The line is rewritten in place, says about how long it takes if that is known, and is removed.
func TestMeter(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		meter meter
		after time.Duration
		want  string
	}{
		"nowhere": {meter{}, time.Second, ""},
		"for the first time": {meter{shown: true, tab: true}, 3400 * time.Millisecond,
			"\rchecking  3s\x1b[K\x1b]9;4;3\x07\r\x1b[K\x1b]9;4;0\x07"},
		"under a second the last time": {meter{shown: true, usual: 400 * time.Millisecond}, 4 * time.Second,
			"\rchecking  4s\x1b[K\r\x1b[K"},
		"in the middle": {meter{shown: true, usual: 40 * time.Second}, 10 * time.Second,
			"\rchecking  10s of about 40s  ■■■■■···············\x1b[K\r\x1b[K"},
		"longer than the last time": {meter{shown: true, tab: true, usual: time.Second}, time.Minute,
			"\rchecking  1m0s of about 1s  ■■■■■■■■■■■■■■■■■■■·\x1b[K\x1b]9;4;1;99\x07\r\x1b[K\x1b]9;4;0\x07"},
	} {
		var out bytes.Buffer
		m := c.meter
		m.out, m.words, m.started = &out, "checking", began
		m.draw(began.Add(c.after))
		m.end()
		if out.String() != c.want {
			t.Errorf("%s: %q, want %q", name, out.String(), c.want)
		}
	}
}
