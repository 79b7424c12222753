package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var pairFull = PairData{
	Project: "/abs/repo", Task: "Retry the fetcher.", Mode: "consensus", Iteration: 2, Limit: 20,
	Done: "DONE 3fa9c1", Pass: "PASS 3fa9c1", Rework: "REWORK 3fa9c1: <what must change>", Fail: "FAIL 3fa9c1: <why>",
	Messages: "Use Go 1.26.", Report: "FAIL: go test ./...", Notes: "fetch.go: the timeout is ignored", Approved: true,
	Summary: "I added the retry.", Verdict: "PASS: go test ./...", Diff: "fetch.go | +3 -1\n+retry()",
	Alarms: "fetch_test.go: assertions are removed",
}

func TestPairPrompts(t *testing.T) {
	least := PairData{Project: "/abs/repo", Task: "Retry the fetcher.", Mode: "review", Iteration: 1, Limit: 20,
		Done: pairFull.Done, Fail: pairFull.Fail}
	alone := least
	alone.Mode = "single"
	reviewed := least
	reviewed.Done, reviewed.Pass, reviewed.Rework = "", pairFull.Pass, pairFull.Rework
	for _, c := range []struct {
		name     string
		reviewer bool
		data     []PairData
	}{{"pair-work", false, []PairData{pairFull, least, alone}}, {"pair-review", true, []PairData{pairFull, reviewed}}} {
		var out strings.Builder
		for _, d := range c.data {
			text, err := PairPrompt(c.reviewer, d)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "=== %s, iteration %d\n%s\n", d.Mode, d.Iteration, text)
			lines := strings.Split(strings.TrimSpace(text), "\n")
			for i, line := range lines {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "DONE") || strings.HasPrefix(line,
					"PASS") && i == len(lines)-1 {
					t.Errorf("%s: who repeats the prompt says %q", c.name, line)
				}
			}
		}
		golden(t, "prompts/"+c.name+".txt", out.String())
	}
}

// Texts of others are cut, the task is not; the whole fits into one argument.
func TestPairPromptsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it makes many calls")
	}
	huge := strings.Repeat("line of text\n", 1<<20)
	d := pairFull
	d.Messages, d.Report, d.Notes, d.Summary, d.Diff, d.Alarms = huge, huge, huge, huge, huge, huge
	d.Task = strings.Repeat("x", maxText)
	for _, reviewer := range []bool{false, true} {
		text, err := PairPrompt(reviewer, d)
		if err != nil || len(text) > 120<<10 || !strings.Contains(text, "more bytes are left out") {
			t.Errorf("the prompt has %d bytes, %v; want it cut", len(text), err)
		}
	}
	d.Task += "y"
	if _, err := PairPrompt(false, d); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Error(err)
	}
	d.Task = "a\x00b\x1b[31mc\u202ed"
	if text, err := PairPrompt(false, d); err != nil || !strings.Contains(text, "\nabcd\n") {
		t.Errorf("%v", err)
	}
}

// An agent without a server sees none of ferrus's tools and may use none of them.
func TestAlone(t *testing.T) {
	for _, name := range append(Names(), "mine") {
		a, err := Lookup(name, own)
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []string{"executor", "supervisor"} {
			l := launchOf(role, "work", 1, false)
			l.NoServer = true
			inv, err := a.Invoke(l)
			if name == "demo" {
				if err == nil {
					t.Error("the demo agent runs without a server")
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(inv.Args, " "); strings.Contains(text, "mcp__ferrus") || strings.Contains(text,
				"mcp_servers.ferrus=") || strings.Contains(text, "/abs/ferrus") {
				t.Errorf("%s: the launch has ferrus's server: %s", name, text)
			}
		}
	}
}

// The last message of the clients' streams is known as a whole.
func TestFinal(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "Done \x1b[31mred\x1b]0;title\a \u202eback.", "codex": "All done.\nSee retry.go.",
		"qwen-code": "[API Error: 401 invalid x-api-key]",
		"copilot":   "Submitted.", "opencode": "Submitted.", "gemini-cli": "I wrote the file.",
	} {
		a, err := Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join("testdata", "streams", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		r := a.Renderer()
		for line := range strings.Lines(string(data)) {
			r.Render([]byte(strings.TrimSpace(line)))
		}
		if got := r.(FinalReporter).Final(); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
