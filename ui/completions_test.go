package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// withSpecs is work for which specs were loaded.
func withSpecs() view.View {
	v := work()
	v.Found.Specs = []view.SpecFile{{Path: "docs/specs/billing.md", Name: "billing"},
		{Path: "docs/specs/cache.md", Name: "cache"}}
	return v
}

// Completions are loaded once for each command that needs them, and are kept when a new View comes.
func TestCompletionsAreLookedForOnce(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	looked := 0
	do := b.m.options.Do
	b.m.options.Do = func(i intent.Intent) tea.Cmd {
		if i == (intent.LoadCompletions{}) {
			looked++
		}
		return do(i)
	}
	b.press("/miles")
	if looked != 0 {
		t.Error("completions were loaded before there was a command")
	}
	b.press("tones ")
	b.send(FoundMsg{withSpecs().Found}, ViewMsg{work()})
	b.press("bi")
	b.shows("│ billing")
	b.press("ctrl+u", "/milestones")
	if looked != 2 {
		t.Errorf("completions were loaded %d times, want once", looked)
	}
}

func TestCompletionsShowReasons(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("/approve")
	b.shows("not available: the task is Executing, not Reviewing")
	b.press("enter")
	b.wanted()
	b.shows("/approve is not available: the task is Executing, not Reviewing", "> /approve")
	b.press("ctrl+u", "/nonsense", "enter")
	b.wanted()
	b.shows("Unknown command /nonsense", "> /nonsense")
}
