package ui

import (
	"ferrus/ui/intent"
	"testing"
)

func TestTheHistoryIsSearched(t *testing.T) {
	b := openAt(t, work(), 120, 40, "/check --force", "/reject no test", "/CHECK it", "plain")
	b.press("half", "ctrl+r")
	b.shows("> executor  half", "search ▏", "Ctrl+R older")
	b.press("check")
	b.shows("> /CHECK it", "search check▏")
	b.press("ctrl+r")
	b.shows("> /check --force")
	b.press("ctrl+r")
	b.shows("> /check --force", "no older line matches")
	b.press("esc")
	b.shows("> executor  half", "Enter send to the executor")
	b.press("ctrl+r", "rej", "backspace", "backspace", "backspace")
	b.shows("> executor  half")
	b.press("check", "enter")
	b.shows("> /CHECK it")
	b.press("up")
	b.shows("> /reject no test")
	b.press("ctrl+u", "ctrl+r", "plain", "home", "very ")
	b.shows("> executor  very plain")
	b.press("ctrl+r", "xyz")
	b.shows("no older line matches")
	b.press("ctrl+c")
	b.press("ok")
	if b.m.prompt.Value() != "ok" || b.m.prompt.Searching() {
		t.Errorf("after Ctrl+C the prompt has %q", b.m.prompt.Value())
	}
}

func TestAFoundLineAnswersWhatIsShown(t *testing.T) {
	b := openAt(t, asked(work()), 80, 24, "only GET")
	b.press("ctrl+r", "get", "enter", "enter")
	b.wanted(intent.Answer{Ask: *asked(work()).Ask, Text: "only GET"})
}
