package agent

import (
	"fmt"
	"os"
	"testing"
)

func metered(t *testing.T, name, stream string) Usage {
	t.Helper()
	a, err := Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	st := newLineSplitter(a.Renderer())
	st.feed([]byte(stream))
	st.close()
	return st.usage()
}

func TestUsageOfStreams(t *testing.T) {
	for file, want := range map[string]Usage{
		"claude-code":        {Input: 3120, Cached: 3000, Output: 40, Cost: 0.1234, Known: true, Priced: true},
		"claude-code-failed": {Known: true},
		"codex":              {Input: 12000, Cached: 8000, Output: 300, Known: true},
		"codex-captured":     {Input: 60, Cached: 12, Output: 18, Known: true},
		"qwen-code":          {Input: 10, Output: 5, Known: true},
		"copilot":            {Input: 10, Cached: 4, Output: 5, Known: true},
		"opencode":           {Input: 90, Output: 45, Known: true, Priced: true},
		"gemini-cli":         {Input: 110, Output: 55, Known: true},
	} {
		data, err := os.ReadFile("testdata/streams/" + file + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		name := file
		switch file {
		case "claude-code-failed":
			name = "claude-code"
		case "codex-captured":
			name = "codex"
		}
		if got := metered(t, name, string(data)); got != want {
			t.Errorf("%s: %+v, want %+v", file, got, want)
		}
	}
}

// A killed session has no result: the usage in its messages is summed, counting a message in
// several parts once.
func TestUsageOfAKilledSession(t *testing.T) {
	const message = `{"type":"assistant","message":{"id":"%s","content":[],"usage":{"input_tokens":%d,` +
		`"cache_read_input_tokens":4,"output_tokens":3}}}` + "\n"
	stream := fmt.Sprintf(message+message+message, "a", 10, "a", 10, "b", 20)
	if got := metered(t, "claude-code", stream); got != (Usage{Input: 38, Cached: 8, Output: 6, Known: true}) {
		t.Errorf("a killed session used %+v, want 38, 8 and 6 tokens", got)
	}
	stream += `{"type":"result","result":"done","usage":{"input_tokens":1,"output_tokens":2}}` + "\n"
	if got := metered(t, "claude-code", stream); got != (Usage{Input: 1, Output: 2, Known: true}) {
		t.Errorf("with its result: %+v", got)
	}
}

func TestUsageOfOddStreams(t *testing.T) {
	for _, c := range []struct {
		what, agent, stream string
		want                Usage
	}{
		{"cut before its result", "claude-code", `{"type":"system","subtype":"init"}`, Usage{}},
		{"a result without usage", "claude-code", `{"type":"result","result":"x"}`, Usage{}},
		{"a cost alone", "claude-code", `{"type":"result","total_cost_usd":0.5}`, Usage{Cost: 0.5, Priced: true}},
		{"numbers below nothing", "claude-code",
			`{"type":"result","total_cost_usd":-4,"usage":{"input_tokens":-9,"output_tokens":3}}`,
			Usage{Output: 3, Known: true, Priced: true}},
		{"the newest result counts", "claude-code",
			`{"type":"result","usage":{"output_tokens":3}}` + "\n" + `{"type":"result","usage":{"output_tokens":5}}`,
			Usage{Output: 5, Known: true}},
		{"cached is a part where there is a sum", "qwen-code",
			`{"type":"result","usage":{"input_tokens":100,"cache_read_input_tokens":60,` +
				`"output_tokens":7,"total_tokens":107}}`,
			Usage{Input: 100, Cached: 60, Output: 7, Known: true}},
		{"two turns", "codex",
			`{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":1}}` + "\n" +
				`{"type":"turn.completed","usage":{"input_tokens":6,"output_tokens":2}}`,
			Usage{Input: 11, Output: 3, Known: true}},
		{"a turn without usage", "codex", `{"type":"turn.completed"}`, Usage{}},
		{"a raw screen", "demo", `{"type":"turn.completed","usage":{"input_tokens":5}}`, Usage{}},
	} {
		if got := metered(t, c.agent, c.stream+"\n"); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

func TestExitTellsWhatWasUsed(t *testing.T) {
	inv := Invocation{Path: os.Args[0], Env: []string{"PLAY=spend"}, Headless: true}
	s, err := Start(inv, t.TempDir(), 80, 24, newMemoryScreen(), nil, codex{}.Renderer())
	if err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	want := Usage{Input: 7, Output: 2, Known: true}
	if exit := End(t.Context(), s, 0); exit.Usage != want || exit.Err != nil {
		t.Errorf("the exit is %+v, want the usage %+v", exit, want)
	}
}

// TestReportsAreKept checks the adapters' statements about their reports against captured streams.
func TestReportsAreKept(t *testing.T) {
	for _, name := range Names() {
		tokens, cost := ReportsUsage(name)
		data, err := os.ReadFile("testdata/streams/" + name + ".jsonl")
		if err != nil {
			if tokens || cost {
				t.Errorf("%s: no stream shows that it reports anything", name)
			}
			continue
		}
		if got := metered(t, name, string(data)); got.Known != tokens || got.Priced != cost {
			t.Errorf("%s: %+v, and it says tokens %v, cost %v", name, got, tokens, cost)
		}
	}
	if tokens, cost := ReportsUsage("nosuch"); tokens || cost {
		t.Error("an unknown agent reports usage")
	}
}
