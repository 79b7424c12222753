package ui

import (
	"strings"
	"testing"
)

func TestTextsAreShownAsMarkdown(t *testing.T) {
	v := work()
	b := open80(t, v)
	b.press("/show", "enter")
	b.shows("there is no text yet")
	v.Sheets = []Sheet{{"task", "# Add a retry\n\n- **three** times"}, {"review", "No `test`."}}
	v.Spec.Last = "docs/specs/cache.md"
	b.send(ViewMsg{v})
	b.press("ctrl+u", "/show", "enter")
	b.shows("╭ task", " Add a retry", "• three times")
	v.Sheets = []Sheet{{"task", "# Changed since"}}
	b.send(ViewMsg{v})
	b.shows("Changed since")
	b.press("esc")
	b.wants = nil
	b.press("/show spec", "enter")
	b.wanted(Remember{"/show spec"}, ReadSpec{})
	b.send(StoryMsg{Title: "docs/specs/cache.md", Text: "# A cache"})
	b.shows("╭ docs/specs/cache.md", " A cache", "Esc closes")
	b.press("esc", "/show x", "enter")
	b.shows("/show takes one of: task, spec")
}

func TestArgumentsAreCompletedByTheirLetters(t *testing.T) {
	v := work()
	v.Agents = []string{"claude-code", "codex", "demo"}
	for line, want := range map[string]string{
		"/check fr":               "--force",
		"/register --supervisor ": "claude-code codex demo",
		"/register --executor cx": "codex",
		"/register --exe":         "--executor",
		"/model sup":              "supervisor",
		"/model supervisor SO":    "sonnet",
		"/model supervisor sn":    "sonnet",
		"/attach exr":             "executor",
		"/check --force ":         "",
	} {
		var names []string
		for _, c := range choices(&v, line) {
			names = append(names, c.name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q offers %q, not %q", line, got, want)
		}
	}
}
