package ui

import "testing"

func TestTheHistoryIsSearched(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.m.prompt = newPrompt([]string{"/check --force", "/reject no test", "/CHECK it", "plain"})
	b.m.prompt.resize(117, 10)
	b.press("half", "ctrl+r")
	b.shows("> half", "search ▏", "Ctrl+R older")
	b.press("check")
	b.shows("> /CHECK it", "search check▏")
	b.press("ctrl+r")
	b.shows("> /check --force")
	b.press("ctrl+r")
	b.shows("> /check --force", "no older line has it")
	b.press("esc")
	b.shows("> half", "Ctrl+O leader")
	b.press("ctrl+r", "rej", "backspace", "backspace", "backspace")
	b.shows("> half")
	b.press("check", "enter")
	b.shows("> /CHECK it", "Ctrl+O leader")
	b.press("up")
	b.shows("> /reject no test")
	b.press("ctrl+u", "ctrl+r", "plain", "home", "very ")
	b.shows("> very plain")
	b.press("ctrl+r", "xyz")
	b.shows("no older line has it")
	b.press("ctrl+c")
	b.press("ok")
	if b.m.prompt.text != "ok" || b.m.prompt.search != nil {
		t.Errorf("after Ctrl+C the prompt has %q", b.m.prompt.text)
	}
}

func TestAFoundLineAnswersWhatIsShown(t *testing.T) {
	b := openAt(t, asked(work()), 80, 24)
	b.m.prompt = newPrompt([]string{"only GET"})
	b.m.prompt.resize(77, 10)
	b.press("ctrl+r", "get", "enter", "enter")
	b.wanted(Answer{*asked(work()).Ask, "only GET"})
}
