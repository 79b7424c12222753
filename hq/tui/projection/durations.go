package projection

import (
	"fmt"
	"time"
)

// timeOfDay returns what formats a time for a reader now and here.
func timeOfDay(now time.Time) func(time.Time) string {
	return func(t time.Time) string {
		t = t.In(now.Location())
		if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
			return t.Format(time.TimeOnly)
		}
		return t.Format(time.DateTime)
	}
}

// minutes formats how long something has lasted, as <1m, 14m or 1h05m: without seconds, so that it
// changes once a minute.
func minutes(d time.Duration) string {
	m := int(d.Minutes())
	switch {
	case m < 1:
		return "<1m"
	case m < 60:
		return fmt.Sprintf("%dm", m)
	}
	return fmt.Sprintf("%dh%02dm", m/60, m%60)
}

// countdown formats what is left of a wait as 12s, and from a minute on as minutes does, rounded up.
func countdown(left time.Duration) string {
	if left <= countdownEnd {
		return fmt.Sprintf("%ds", max(int((left+time.Second-1)/time.Second), 0))
	}
	return minutes(left + time.Minute - 1)
}

// seconds formats a duration as 0.2s, 41s or 2m03s.
func seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case d <= 0:
		return ""
	case s < 10:
		return fmt.Sprintf("%.1fs", s)
	case s < 60:
		return fmt.Sprintf("%.0fs", s)
	default:
		return fmt.Sprintf("%dm%02ds", int(s)/60, int(s)%60)
	}
}

// between formats the time between two entries of the journal.
func between(before, at time.Time) string {
	d := at.Sub(before)
	switch {
	case before.IsZero() || d < 0:
		return ""
	case d < time.Second:
		return "+0s"
	case d < time.Minute:
		return fmt.Sprintf("+%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("+%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 100*time.Hour:
		return fmt.Sprintf("+%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("+%dd", int(d.Hours()/24))
}
