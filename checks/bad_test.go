package checks

import (
	"strings"
	"testing"
	"time"
)

// TestBadInput checks that whatever a command does, there is a verdict, a sentence and a log.
func TestBadInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, c := range map[string]struct {
		command   string
		verdict   Verdict
		why, says string // in the log
	}{
		"never ends": {"echo begun; sleep 1000", Timeout, "took too long",
			"it took longer than 1s and was stopped"},
		"forks":                {"(setsid sleep 1000 &); (sleep 1000 &); echo left", Pass, "1 of 1 commands", "left"},
		"reads stdin":          {"read x || { echo nothing to read; exit 9; }", Fail, "read x", "nothing to read"},
		"prints one long line": {"head -c 50000000 /dev/zero | tr '\\0' a; exit 1", Fail, "head -c", "aaaa"},
		"prints escape codes":  {`printf '\033[2J\033]0;owned\007red\n'; exit 1`, Fail, "printf", "red"},
		"dies by a signal":     {"kill -9 $$", Fail, "kill -9", "ended by SIGKILL"},
		"is not found":         {"no-such-program-at-all", Fail, "no-such-program", "command not found"},
		"changes directory":    {"cd / && pwd", Pass, "1 of 1 commands", "/"},
		"fills the disk":       {"echo full >/dev/full", Fail, "echo full", "(exit "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record, log := start(t, Options{Commands: commands(c.command), Timeout: limitFor(name)})
			if record.Verdict != c.verdict || !strings.Contains(record.Why, c.why) ||
				strings.ContainsAny(record.Why, "\n\x1b") {
				t.Errorf("the verdict is %s, %q; want %s with %q in one clean line",
					record.Verdict, record.Why, c.verdict, c.why)
			}
			if !strings.Contains(log, c.says) || !strings.Contains(log, "=== "+record.Why) {
				t.Errorf("%d bytes of log without %q", len(log), c.says)
			}
			report := record.Report(30)
			if len(report) > reportBytes || strings.Contains(report, "\x1b") || report == "" {
				t.Errorf("the report has %d bytes", len(report))
			}
		})
	}
}

func limitFor(name string) time.Duration {
	if name == "never ends" {
		return time.Second
	}
	return time.Minute
}
