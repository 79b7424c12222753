package projection

import (
	"fmt"
	"strings"
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

// hours formats a duration as 00:14:32.
func hours(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// minutes formats a duration as 03:12, or 1:02:33.
func minutes(d time.Duration) string {
	if s := int(max(d, 0).Seconds()); s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return strings.TrimPrefix(hours(d), "0")
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
