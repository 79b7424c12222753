package agent

import (
	"os"
	"strings"
	"testing"
	"time"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The clients' output at the end of a session whose account has reached its limit: streams of all
// three, cut to the relevant lines.
func TestLimitedStreams(t *testing.T) {
	here := berlin(t)
	now := time.Date(2026, 11, 20, 13, 30, 0, 0, here)
	for name, want := range map[string]time.Time{
		"claude-code": time.Date(2026, 11, 20, 15, 0, 0, 0, here),
		"codex":       time.Date(2026, 11, 20, 18, 26, 0, 0, here),
		"qwen-code":   time.Date(2026, 11, 20, 18, 25, 21, 0, here),
	} {
		stream, err := os.ReadFile("testdata/streams/" + name + "-limited.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		st := newLineSplitter(adapters[name].Renderer())
		st.feed(stream)
		if got := st.limit(now); !got.Until.Equal(want) || !strings.Contains(strings.ToLower(got.Message),
			"limit") && !strings.Contains(got.Message, "quota") {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
	}
}

// Only the failure of the session itself is a limit: not what the agent says or reads, and not what
// it recovered from.
func TestLimitIsOfTheEnd(t *testing.T) {
	const sentence = `You've hit your usage limit. Try again at 3:14 PM. resets 3pm`
	for _, c := range []struct{ vendor, stream string }{
		{"claude-code", `{"type":"result","subtype":"success","is_error":false,"result":"` + sentence + `"}`},
		{"claude-code", `{"type":"assistant","message":{"content":[{"type":"text","text":"` + sentence + `"}]}}`},
		{"claude-code",
			`{"type":"result","is_error":true,"result":"` + sentence + `"}` + "\n" +
				`{"type":"result","is_error":false,"result":"done"}`},
		{"claude-code", `{"type":"result","is_error":true,"result":"` + strings.Repeat("far ", 30) + sentence + `"}`},
		{"claude-code", `{"type":"result","is_error":true,"result":"API Error: 401 invalid key"}`},
		{"codex", `{"type":"item.completed","item":{"type":"agent_message","text":"` + sentence + `"}}`},
		{"codex", `{"type":"error","message":"` + sentence + `"}` + "\n" + `{"type":"turn.completed"}`},
		{"codex", `{"type":"turn.failed","error":{"message":"You've hit your usage limit. Try again later."}}`},
	} {
		st := newLineSplitter(adapters[c.vendor].Renderer())
		st.feed([]byte(c.stream + "\n"))
		if got := st.limit(time.Now()); !got.Until.IsZero() {
			t.Errorf("%s %s: the limit is %+v, want none", c.vendor, c.stream, got)
		}
	}
}

// A session that ends with such a sentence has reached a limit even if no time is named; a sentence
// that is only on a screen does not count.
func TestLimitWithoutATime(t *testing.T) {
	for vendor, stream := range map[string]string{
		"claude-code": `{"type":"result","is_error":true,"result":"You've hit your session limit"}`,
		"codex":       `{"type":"turn.failed","error":{"message":"You've hit your usage limit. Try again later."}}`,
	} {
		st := newLineSplitter(adapters[vendor].Renderer())
		st.feed([]byte(stream + "\n"))
		if got := st.limit(time.Now()); !got.Reached() || !got.Until.IsZero() ||
			!strings.Contains(got.Message, "limit") {
			t.Errorf("%s: the limit is %+v, want one without a time", vendor, got)
		}
		if got := LimitOnScreen(vendor, []string{"You've hit your usage limit"}, time.Now()); got.Reached() {
			t.Errorf("%s on a screen: %+v", vendor, got)
		}
	}
}

// If the stream has the second and the sentence only the hour, the stream's time counts.
func TestLimitTakesTheTimeOfTheStream(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	st := newLineSplitter(claude{}.Renderer())
	st.feed([]byte(`{"type":"rate_limit_event","rate_limit_info":` +
		`{"status":"rejected","resetsAt":1800003600,"rateLimitType":"five_hour"}}
{"type":"result","is_error":true,"result":"You've hit your session limit"}
`))
	if got := st.limit(now).Until; !got.Equal(now.Add(time.Hour)) {
		t.Errorf("limited until %v, want %v", got, now.Add(time.Hour))
	}
}

func TestSentences(t *testing.T) {
	here := berlin(t)
	now := time.Date(2026, 11, 20, 13, 30, 0, 0, here)
	in := func(d time.Duration) time.Time { return now.Add(d) }
	for _, c := range []struct {
		vendor, text string
		want         time.Time
	}{
		{"claude-code", "Claude AI usage limit reached|1795186800", time.Unix(1795186800, 0)},
		{"claude-code", "5-hour limit reached ∙ resets 3pm", in(90 * time.Minute)},
		{"claude-code", "You’ve hit your weekly limit · resets Nov 23 at 9:30am (America/New_York)",
			time.Date(2026, 11, 23, 15, 31, 0, 0, here)},
		{"claude-code", "You've hit your weekly limit · resets Nov 23, 9am (UTC)",
			time.Date(2026, 11, 23, 10, 0, 0, 0, here)},
		{"claude-code", "spend limit reached · resets Dec 1 · request an increase",
			time.Date(2026, 12, 1, 0, 0, 0, 0, here)},
		{"claude-code", "Claude usage limit reached. Your limit will reset at 1am (Asia/Tokyo).",
			time.Date(2026, 11, 20, 17, 0, 0, 0, here)},
		{"claude-code", "You've hit your session limit · resets in 2h 5m", in(125 * time.Minute)},
		{"codex", "You’ve hit your usage limit. Upgrade to Pro (https://x) or try again at Nov 21st, 2026 3:14 PM.",
			time.Date(2026, 11, 21, 15, 15, 0, 0, here)},
		{"codex", "You've hit your usage limit. Try again in 3 hours 12 minutes.", in(3*time.Hour + 12*time.Minute)},
		{"codex", "You've hit your usage limit. Try again in 2 days, 1 hour and 5 minutes.",
			in(49*time.Hour + 5*time.Minute)},
		{"codex", "Rate limit reached for gpt-5 in organization x: Please try again in 6m0s.", in(6 * time.Minute)},
		{"qwen-code", "[API Error: 429 Rate limit exceeded, retry after 3600 seconds]", in(time.Hour)},
		{"qwen-code", "429 rate limit exceeded. Retry-After: 7200", in(2 * time.Hour)},
		{"qwen-code", "Quota exhausted: your weekly quota will reset at 2026-11-21T08:00:00Z",
			time.Date(2026, 11, 21, 9, 0, 0, 0, here)},
		{"qwen-code", "Quota exhausted: it will reset at 2026-11-21 08:00:00 +0800 (UTC+8)",
			time.Date(2026, 11, 21, 1, 0, 0, 0, here)},

		// a minute of a clock that is 5 behind
		{"claude-code", "5-hour limit reached ∙ resets 1:25pm", in(time.Minute)},
		{"codex", "You've hit your usage limit. Try again in 2 seconds.", in(time.Minute)},
		{"claude-code", "5-hour limit reached ∙ resets 13pm", time.Time{}},
		{"claude-code", "You've hit your limit · resets Feb 30 at 3pm", time.Time{}},
		{"claude-code", "Claude AI usage limit reached|1712345678", time.Time{}}, // long ago
		{"codex", "You've hit your usage limit. Try again in 4000 days.", time.Time{}},
		{"codex", "You've hit your usage limit. Try again in 99999999999999999999999 hours.", time.Time{}},
		{"codex", "You've hit your usage limit. Try again later.", time.Time{}},
		{"demo", "You've hit your usage limit. Try again in 2 hours.", time.Time{}},
		{"demo", "The demo's usage limit is reached. It resets in 2 seconds.", in(2 * time.Second)},
	} {
		if got := LimitOnScreen(c.vendor, []string{c.text}, now).Until; !got.Equal(c.want) {
			t.Errorf("%s: %q: %v, want %v", c.vendor, c.text, got, c.want)
		}
	}
}

// A program's own screen breaks the sentence into rows.
func TestLimitOnScreen(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 30, 0, 0, berlin(t))
	rows := []string{"• Working", "", "■ You’ve hit your usage limit. Upgrade to Pro",
		"(https://chatgpt.com/explore/pro) or try again at", "3:14 PM.", "", "› "}
	got := LimitOnScreen("codex", rows, now)
	if !got.Until.Equal(now.Add(105*time.Minute)) || !strings.HasPrefix(got.Message, "You’ve hit") {
		t.Errorf("the limit is %+v, want a reset in 105 minutes and the message", got)
	}
}

func FuzzParseResetTime(f *testing.F) {
	for _, s := range []string{"3pm (Europe/Berlin)", "Nov 21st, 2026 3:14 PM.", "in 3 hours 12 minutes",
		"1712345678", "2026-11-20 18:25:21 +0800", "6m0s", "(a/b)", "1", "7000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		now := time.Unix(1_800_000_000, 0)
		for _, v := range adapters {
			l, ok := v.(limitDetector)
			if !ok {
				continue
			}
			a := l.limitPatterns()
			until := a.find(a.says[0]+" "+a.then[0]+s, now).Until
			shortest := shortestLimit
			if a.exact {
				shortest = 1
			}
			if left := until.Sub(now); !until.IsZero() && (left < shortest || left > furthestLimit) {
				t.Errorf("the time in %q is %v, outside the bounds", s, until)
			}
		}
	})
}
