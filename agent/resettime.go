package agent

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // vendors name time zones, which the system may not know

	"ferrus/ui/text/lazyregexp"
)

// parseResetTime parses the time at the beginning of a text: seconds since 1970, a date, a
// span, or a time of day. What follows does not matter. A time without a zone is local; one
// without a date is the next.
func parseResetTime(s string, now time.Time) (time.Time, bool) {
	s = strings.TrimLeft(s, " :")
	for _, read := range []func(string, time.Time) (time.Time, bool){parseUnixTime, parseTimestamp, parseDateTime,
		parseSpan, parseTimeOfDay, parseSeconds} {
		if t, ok := read(s, now); ok {
			return t, true
		}
	}
	return time.Time{}, false
}

var epochShape = lazyregexp.New(`^(\d{10})(\d{3})?\b`)

func parseUnixTime(s string, _ time.Time) (time.Time, bool) {
	m := epochShape.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	return time.Unix(n, 0), err == nil
}

var stampShape = lazyregexp.New(`(?i)^(?:at )?(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d(?::\d\d)?)` +
	`(?:\.\d+)? ?(z|[+-]\d\d:?\d\d)?(.*)`)

// parseTimestamp parses 2026-11-20 18:25:21, also as RFC 3339.
func parseTimestamp(s string, now time.Time) (time.Time, bool) {
	m := stampShape.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	hour := m[2]
	if strings.Count(hour, ":") == 1 {
		hour += ":00"
	}
	zone := strings.ReplaceAll(strings.ToUpper(m[3]), ":", "")
	if zone == "" {
		t, err := time.ParseInLocation("2006-01-02 15:04:05", m[1]+" "+hour, timeZone(m[4], now))
		return t, err == nil
	}
	t, err := time.Parse("2006-01-02 15:04:05Z0700", m[1]+" "+hour+zone)
	return t, err == nil
}

const clockWords = `(\d{1,2})(?::(\d\d))?(?::\d\d)? ?([ap]m)?`

var (
	clockShape = lazyregexp.New(`(?i)^(?:at )?` + clockWords + `(.*)`)
	dateShape  = lazyregexp.New(`(?i)^(?:on )?([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:, (\d{4}))?` +
		`(?:,? (?:at )?` + clockWords + `)?(.*)`)
)

// parseTimeOfDay parses 3pm (Europe/Berlin), 3:14 PM, 15:04.
func parseTimeOfDay(s string, now time.Time) (time.Time, bool) {
	m := clockShape.FindStringSubmatch(s)
	if m == nil || m[2] == "" && m[3] == "" {
		return time.Time{}, false
	}
	here := now.In(timeZone(m[4], now))
	hour, minute, ok := hourAndMinute(m[1], m[2], m[3])
	t := time.Date(here.Year(), here.Month(), here.Day(), hour, afterMinute(m[2], minute), 0, 0, here.Location())
	if t.Before(now.Add(-overdueAllowed)) {
		t = time.Date(here.Year(), here.Month(), here.Day()+1, hour, afterMinute(m[2], minute), 0, 0, here.Location())
	}
	return t, ok
}

// parseDateTime parses Nov 21st, 2026 3:14 PM, Oct 5 at 3pm (Europe/Berlin), and Aug 8,
// which is its start.
func parseDateTime(s string, now time.Time) (time.Time, bool) {
	m := dateShape.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	month, err := time.Parse("Jan", strings.ToUpper(m[1][:1])+strings.ToLower(m[1][1:]))
	if err != nil {
		return time.Time{}, false
	}
	here := now.In(timeZone(m[7], now))
	year, day := here.Year(), atoi(m[2])
	if m[3] != "" {
		year = atoi(m[3])
	}
	hour, minute, ok := hourAndMinute(m[4], m[5], m[6])
	t := time.Date(year, month.Month(), day, hour, afterMinute(m[5], minute), 0, 0, here.Location())
	if m[3] == "" && t.Before(now.AddDate(0, -6, 0)) {
		t = t.AddDate(1, 0, 0) // in December, January is next year
	}
	return t, ok && t.Day() == day
}

// afterMinute returns the end of a minute that was named: the limit resets at some second of it,
// and a session that starts before meets it again. An hour without minutes is exact.
func afterMinute(named string, minute int) int {
	if named == "" {
		return minute
	}
	return minute + 1
}

// hourAndMinute returns a time of day, on a 24-hour or 12-hour clock.
func hourAndMinute(hour, minute, half string) (h, m int, ok bool) {
	h, m = atoi(hour), atoi(minute)
	switch strings.ToLower(half) {
	case "am", "pm":
		ok = h >= 1 && h <= 12
		h %= 12
		if strings.EqualFold(half, "pm") {
			h += 12
		}
	default:
		ok = h < 24
	}
	return h, m, ok && m < 60
}

var zoneShape = lazyregexp.New(`^[ (]*([A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)*)`)

// timeZone returns the zone that is named after a time, else the local one.
func timeZone(s string, now time.Time) *time.Location {
	m := zoneShape.FindStringSubmatch(s)
	if m == nil {
		return now.Location()
	}
	if strings.EqualFold(m[1], "utc") || strings.EqualFold(m[1], "gmt") {
		return time.UTC
	}
	if l, err := time.LoadLocation(m[1]); err == nil && strings.Contains(m[1], "/") {
		return l
	}
	return now.Location()
}

var spanShape = lazyregexp.New(`(?i)^(\d+(?:\.\d+)?) ?` +
	`(days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?:\b|(\d))[ ,]*(?:and )?`)

// parseSpan parses 3 hours 12 minutes, 6m0s, 3600 seconds.
func parseSpan(s string, now time.Time) (time.Time, bool) {
	var sum time.Duration
	found := false
	for s = strings.TrimPrefix(s, "in "); ; {
		m := spanShape.FindStringSubmatch(s)
		if m == nil {
			break
		}
		n, err := strconv.ParseFloat(m[1], 64)
		unit := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute,
			's': time.Second}[m[2][0]|' ']
		if err != nil || n*float64(unit) > float64(furthestLimit) {
			return time.Time{}, false
		}
		sum, found, s = sum+time.Duration(n*float64(unit)), true, s[len(m[0])-len(m[3]):]
	}
	return now.Add(sum), found
}

var secondsShape = lazyregexp.New(`^(\d{1,7})[]).,;]*$`)

// parseSeconds parses the value of Retry-After.
func parseSeconds(s string, now time.Time) (time.Time, bool) {
	m := secondsShape.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	return now.Add(time.Duration(atoi(m[1])) * time.Second), true
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // of an expression that takes digits only; empty is 0
	return n
}
