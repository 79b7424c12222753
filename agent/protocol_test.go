package agent

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// protocols are agents of ferrus.toml that speak the Agent Client Protocol: one runs the program of
// a built-in agent, the other does not.
var protocols = map[string]Custom{
	"gemini": {ACP: []string{"/opt/gemini", "--acp"}},
	"goose":  {ACP: []string{"goose", "acp", "--model", "{model}", "--in={workspace}"}},
	"both":   {ACP: []string{"goose", "acp"}, InteractiveCommand: []string{"goose", "session"}},
}

func TestProtocolCommandLines(t *testing.T) {
	var out strings.Builder
	for _, name := range []string{"gemini", "goose", "both"} {
		a, err := Lookup(name, protocols)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sessions[:4] {
			for _, interactive := range []bool{false, true} {
				l := launchOf(s.role, s.mode, s.index, interactive)
				l.Resume = "/abs/conversation.json"
				show(&out, t, a, l, ": "+name)
				l.Bypass, l.Model = true, ""
				show(&out, t, a, l, ", bypass, no model: "+name)
			}
		}
		showPair(&out, t, a)
	}
	golden(t, "commands/protocol.txt", out.String())
}

// An agent that speaks the protocol with a known program gets what that program needs, and no
// prompt or model reaches a program under another agent's name.
func TestProtocolAgentResemblesItsProgram(t *testing.T) {
	known, _ := Lookup("gemini", protocols)
	other, _ := Lookup("goose", protocols)
	if home := Home(known); !reflect.DeepEqual(home, Home(gemini{})) || !home.Tried {
		t.Errorf("the home is %+v, want gemini's", home)
	}
	if home := Home(other); len(home.Dirs) != 0 || !home.Tried {
		t.Errorf("the home is %+v, want no directories", home)
	}
	if !slices.Equal(Hosts(known), Hosts(gemini{})) || Hosts(other) != nil {
		t.Errorf("the hosts are %q and %q, want gemini's and none", Hosts(known), Hosts(other))
	}
	l := launchOf("executor", "work", 1, false)
	l.Prompt = "Call `mcp__ferrus__check`."
	for a, want := range map[Adapter]string{gemini{}: "`mcp_ferrus_check`"} {
		inv, err := a.Invoke(l)
		if err != nil || !strings.Contains(strings.Join(inv.Args, " "), want) {
			t.Errorf("%v: %q; want %q", err, inv.Args, want)
		}
	}
	for a, want := range map[string]string{"gemini": "`mcp_ferrus_check`", "goose": "`mcp__ferrus__check`"} {
		found, _ := Lookup(a, protocols)
		inv, err := found.Invoke(l)
		if err != nil || !strings.Contains(strings.Join(inv.Args, " "), want) {
			t.Errorf("%s: %v: %q; want %q", a, err, inv.Args, want)
		}
	}
	if _, err := Lookup("x", map[string]Custom{"x": {ACP: []string{"a"}, Command: []string{"b"}}}); err == nil {
		t.Error("two ways to run a headless session")
	}
}

// The renderer of the protocol knows the last message, the usage and a limit.
func TestProtocolRenderer(t *testing.T) {
	read := func(file string) *protocolRenderer {
		stream, err := os.ReadFile("testdata/streams/" + file)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := RendererOf(protocolStream + "gemini-cli").(*protocolRenderer)
		if !ok {
			t.Fatal("no renderer")
		}
		for line := range strings.Lines(string(stream)) {
			r.Render([]byte(strings.TrimSpace(line)))
		}
		r.Close()
		return r
	}
	r := read("gemini-cli-acp.jsonl")
	if got := r.Final(); got != "Both lines are there." {
		t.Errorf("Final = %q, want the last message", got)
	}
	if got := r.Usage(); got != (Usage{Input: 110, Cached: 20, Output: 55, Cost: 0.25, Known: true, Priced: true}) {
		t.Errorf("Usage = %+v, want the sum of all turns", got)
	}
	now := time.Now()
	if limit := r.Limit(now); limit.Reached() {
		t.Errorf("Limit = %+v, want none", limit)
	}
	limit := read("gemini-cli-acp-limited.jsonl").Limit(now)
	if left := limit.Until.Sub(now); left < 59*time.Minute || left > 61*time.Minute {
		t.Errorf("Limit = %+v, want one for an hour", limit)
	}
	cancelled := RendererOf(protocolStream)
	end := []byte(`{"acp":"end","status":"cancelled","text":"the turn was cancelled"}`)
	out := string(cancelled.Render(end))
	if strings.Contains(out, "failed") || !strings.Contains(out, "the turn was cancelled") {
		t.Errorf("a cancelled turn: %q", out)
	}
	// The status of the model's server is in the answer's text only.
	refused := RendererOf(protocolStream + "gemini-cli")
	for text, what := range map[string]string{
		`{\"error\":{\"code\":401,\"message\":\"no\",\"status\":\"UNAUTHENTICATED\"}}`: signedOut,
		"Internal error: 401 the key is not valid":                                     signedOut,
		"Internal error: 403 not with this account":                                    forbidden,
		"402 no credit left": spent,
	} {
		for _, name := range Names() {
			row := ansi.Strip(string(refused.Render([]byte(`{"acp":"end","text":"` + text + `"}`))))
			trouble, ok := Diagnose(name, []string{strings.TrimSpace(row)}, true)
			if _, knows := adapters[name].(troubleDetector); knows && (!ok || trouble.What != what) {
				t.Errorf("%s: %q is diagnosed as %+v, want %q", name, row, trouble, what)
			}
		}
	}
	for message, want := range map[string]string{
		"Info: Request failed due to a transient API error. Retrying...Info: Request failed due to a transient API " +
			"error. Retrying...Error: Authentication failed with provider at http://m (HTTP 401).\n Check.": signedOut,
		"Error: Authentication failed with provider at http://m/v1 (HTTP 403).\n  Check your key.": forbidden,
		"Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 54.68 seconds) " +
			"Last error: 429 You exceeded your current quota.": spent,
		"Error: 402 the account has no credit left":             spent,
		"The test prints: Error: 402 the account has no credit": "",
		"Error: 4 tests failed":                                 "",
	} {
		r := RendererOf(protocolStream + "copilot")
		text, err := json.Marshal(map[string]string{"acp": "text", "text": message})
		if err != nil {
			t.Fatal(err)
		}
		r.Render(text)
		rows := strings.Split(ansi.Strip(string(r.Render([]byte(`{"acp":"end","status":"end_turn"}`)))), "\n")
		for i := range rows {
			rows[i] = strings.TrimSpace(rows[i])
		}
		if trouble, _ := Diagnose("copilot", rows, true); trouble.What != want {
			t.Errorf("%q is diagnosed as %+v, want %q", message, trouble, want)
		}
	}
	for line, want := range map[string]string{
		`ferrus: {"statusCode":401,"message":"the key is not valid"}`: "the session failed: 401 the key is not valid",
		`timestamp=2026-11-26T12:10:27Z level=ERROR run=e message="stream error" small=false error.error="AI_APICallError: ` +
			`Rate limit reached."`: "the model's server does not answer (Rate limit reached.)",
		`timestamp=2026-11-26T12:10:27Z level=ERROR run=e message="stream error" small=true error.error="E: x"`: "",
		"Error handling request {": "", `jsonrpc: "2.0",`: "", "} {": "", "},": "",
		"ferrus: {}": "ferrus: {}", "cannot open the model cache": "cannot open the model cache",
	} {
		note, err := json.Marshal(map[string]string{"acp": "note", "text": line})
		if err != nil {
			t.Fatal(err)
		}
		row := ansi.Strip(string(RendererOf(protocolStream + "opencode").Render(note)))
		if strings.TrimSpace(row) != want {
			t.Errorf("%q is shown as %q", line, row)
		}
	}
	if RendererOf("claude-code") == nil || RendererOf("nothing") != nil {
		t.Error("renderers of agents")
	}
}
