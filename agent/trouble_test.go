package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ferrus/ui/text"
)

// wiped is the line at the bottom, which goes when another is written.
var wiped = regexp.MustCompile(`[^\n]*\r\x1b\[K`)

// TestTroubles reads the output of the pinned programs, once in rows of a wide screen and once of a
// narrow one.
func TestTroubles(t *testing.T) {
	whats := map[string]string{"401": signedOut, "403": forbidden, "402": spent, "quota": spent, "later": spent,
		"no-key": signedOut, "refused": refusing}
	files, err := filepath.Glob("testdata/trouble/*.jsonl")
	if err != nil || len(files) < 4*len(patients()) {
		t.Fatalf("%d files, %v; want at least 4 for each agent", len(files), err)
	}
	for _, file := range files {
		name, kind := who(file)
		stream, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := Lookup(name, nil)
		st := newLineSplitter(a.Renderer())
		shown := wiped.ReplaceAll(append(st.feed(stream), st.close()...), nil)
		rows := strings.Split(text.Plain(string(shown)), "\n")
		for _, width := range []int{200, 52} {
			got, ok := Diagnose(name, cut(rows, width), true)
			if !ok || got.What != whats[kind] || got.Fix == "" || got.Message == "" {
				t.Errorf("%s in %d columns: %+v\n%s", file, width, got, strings.Join(rows, "\n"))
			}
		}
	}
}

// patients returns the agents whose programs' error texts are known: all vendors' agents.
func patients() (names []string) {
	for _, name := range Names() {
		if _, ok := adapters[name].(troubleDetector); ok {
			names = append(names, name)
		}
	}
	return names
}

// who returns the agent and the trouble that a file of test data is about.
func who(file string) (name, kind string) {
	base := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	for _, known := range Names() {
		if rest, ok := strings.CutPrefix(base, known+"-"); ok {
			return known, rest
		}
	}
	return "", ""
}

// cut makes rows of at most width bytes.
func cut(lines []string, width int) (rows []string) {
	for _, line := range lines {
		for len(line) > width {
			rows, line = append(rows, line[:width]), line[width:]
		}
		rows = append(rows, line)
	}
	return rows
}

// TestTroublesOnScreens reads what the programs show on screens of their own.
func TestTroublesOnScreens(t *testing.T) {
	for name, sentence := range map[string]string{
		"claude-code": "Not logged in · Please run /login", "codex": "1. Sign in with ChatGPT",
		"qwen-code": "Select Authentication Method",
		"copilot":   "Confirm folder trust",
	} {
		what := signedOut
		if name == "copilot" {
			what = asking
		}
		screen, err := os.ReadFile("testdata/trouble/" + name + "-screen.txt")
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for row := range strings.Lines(string(screen)) {
			rows = append(rows, strings.TrimSpace(row))
		}
		if got, ok := Diagnose(name, rows, true); !ok || got.What != what || !strings.Contains(got.Message,
			sentence) || strings.Contains(got.Message, "│") {
			t.Errorf("%s: diagnosed as %+v, want %s with %q", name, got, what, sentence)
		}
	}
}

func TestTroubleIsOneSentence(t *testing.T) {
	long := "Reconnecting... 1/5 (unexpected status 401 Unauthorized: no key"
	for want, rows := range map[string][]string{
		"Not logged in · Please run /login": {"session 1", "Not logged in · Please run /login",
			"the session failed: Not logged in", strings.Repeat("-", 80)},
		long: {"Model metadata not found: fallbackfallback", long[:42], long[42:],
			"tokens: 0 in"},
	} {
		name := "codex"
		if strings.Contains(want, "/login") {
			name = "claude-code"
		}
		if got, ok := Diagnose(name, rows, true); !ok || got.Message != want {
			t.Errorf("message %q, not %q", got.Message, want)
		}
	}
}

// Text that an agent works on is not its own trouble, and while it works only a line about a retry
// counts.
func TestWorkIsNoTrouble(t *testing.T) {
	for _, name := range patients() {
		for _, row := range []string{
			"", "● Bash  curl localhost  failed: API Error: 401 Unauthorized",
			"I made the handler answer with a clear sentence, and with 401 Unauthorized, where no user is not " +
				"logged in.",
			"● mcp__ferrus__check  ok  failed",
		} {
			if got, ok := Diagnose(name, []string{row}, true); ok {
				t.Errorf("%s: %q is taken for the trouble %+v", name, row, got)
			}
		}
		if got, ok := Diagnose(name, []string{"API Error: 401 is what the test wants", "401 Unauthorized"}, false); ok {
			t.Errorf("%s, at work: %+v", name, got)
		}
	}
	for name, row := range map[string]string{
		"claude-code": "the model's server does not answer (401 authentication_failed): try 1 of 10 in 0.5 s",
		"codex": "Reconnecting... 1/5 (unexpected status 401 Unauthorized: no key, url: " +
			"http://127.0.0.1/v1/responses)",
		"copilot":    "the model's server does not answer (transient_auth_error)",
		"gemini-cli": "the model's server does not answer (401 no key): try 1",
	} {
		if got, ok := Diagnose(name, []string{"thinking", row}, false); !ok || got.What != signedOut {
			t.Errorf("%s: diagnosed as %+v, want signed out", name, got)
		}
	}
	for name, row := range map[string]string{
		"copilot":    "the model's server does not answer (rate_limit)",
		"gemini-cli": "the model's server does not answer (429 the quota is used up): try 2",
		"opencode":   "the model's server does not answer (Rate limit reached. Please try again in 1 hour.)",
		"qwen-code":  "[qwen-code] Waiting for API capacity... attempt 6, retry in 18s",
	} {
		if got, ok := Diagnose(name, []string{"thinking", row}, false); !ok || got.What != spent {
			t.Errorf("%s: diagnosed as %+v, want a spent account", name, got)
		}
	}
	if _, ok := Diagnose("mine", []string{"401"}, true); ok {
		t.Error("a custom program is not known")
	}
}

// The same trouble is recognized if the program speaks the protocol through its app server: in the
// line about a retry, and at the end of the turn.
func TestTroublesByTheAppServer(t *testing.T) {
	t.Parallel()
	const why = "unexpected status 401 Unauthorized: the scripted key is not valid, url: http://127.0.0.1:39085/v1"
	st := newLineSplitter(RendererOf(protocolStream + "codex"))
	feed := func(line string) []string {
		return strings.Split(text.Plain(string(st.feed([]byte(line+"\n")))), "\n")
	}
	for _, c := range []struct {
		line string
		over bool
	}{
		{`{"acp":"note","text":"Reconnecting... 1/5: ` + why + `"}`, false},
		{`{"acp":"end","text":"` + why + `"}`, true},
	} {
		rows := feed(c.line)
		for _, width := range []int{200, 52} {
			if got, ok := Diagnose("codex", cut(rows, width), c.over); !ok || got.What != signedOut || !got.Final {
				t.Errorf("%s in %d columns: %+v", c.line, width, got)
			}
		}
	}
}
