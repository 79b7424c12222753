package ui

import (
	"errors"
	"ferrus/ui/view"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// prompt is the line at the bottom: text, history, completion, and the question
// it answers.
type prompt struct {
	editor
	history []string
	past    int       // where Up has gone in history; len(history) is the present
	draft   string    // what was typed before Up
	begun   bool      // something is typed
	bound   *view.Ask // the question that was shown at the first key
	cycle   []choice
	picked  int     // in cycle
	search  *search // nil: the history is not searched
}

// maxHistory bounds what Up can reach.
const maxHistory = 1000

func newPrompt(history []string) prompt {
	history = slices.Clone(history[max(len(history)-maxHistory, 0):])
	return prompt{editor: newEditor(), history: history, past: len(history)}
}

// settle follows a change of the text: the first key binds the prompt to the
// question that is shown, an empty prompt is bound to none.
func (p *prompt) settle(ask *view.Ask) {
	switch {
	case p.text == "":
		p.begun, p.bound = false, nil
	case !p.begun:
		p.bind(ask)
	}
}

// bind ties what is typed to the question that is shown.
func (p *prompt) bind(ask *view.Ask) {
	p.begun = true
	if ask != nil {
		bound := *ask
		p.bound = &bound
	}
}

// clear empties the prompt.
func (p *prompt) clear() {
	p.set("")
	p.past, p.draft, p.cycle, p.search = len(p.history), "", nil, nil
	p.settle(nil)
}

// answers is the question that plain text typed now would answer.
func (p *prompt) answers(open *view.Ask) *view.Ask {
	if p.begun {
		return p.bound
	}
	return open
}

// errAgain is no error: the text has been put so that a second Enter does it.
type errAgain struct{ words string }

func (e errAgain) Error() string { return e.words }

// enter reads what is typed.
func (p *prompt) enter(v *view.View) (Intent, error) {
	text := strings.TrimRight(p.text, " \n")
	switch {
	case strings.TrimSpace(text) == "":
		return nil, nil
	case strings.HasPrefix(text, "/"):
		return p.command(v, text)
	case p.bound != nil:
		return Answer{Ask: *p.bound, Text: strings.TrimSpace(text)}, nil
	case v.Disabled["task"] != "":
		return nil, errors.New("nothing was asked when this was begun, and /task is off: " + v.Disabled["task"])
	}
	p.set("/task " + strings.TrimSpace(text))
	return nil, errAgain{"Enter again: a supervisor writes a task from this"}
}

func (p *prompt) command(v *view.View, text string) (Intent, error) {
	name, rest, _ := strings.Cut(text[1:], " ")
	if _, ok := Lookup(name); !ok && rest == "" && name != "" {
		if fits := nameChoices(v, name); len(fits) == 1 {
			p.set(strings.TrimSpace(fits[0].text))
			return nil, errAgain{"Enter again runs " + p.text}
		}
	}
	return Parse(v, text)
}

// remember adds a line to the history and reports whether it is a new one.
func (p *prompt) remember(line string) bool {
	if n := len(p.history); n > 0 && p.history[n-1] == line {
		p.past = n
		return false
	}
	p.history = append(p.history, line)
	p.past = len(p.history)
	return true
}

// recall goes through the history.
func (p *prompt) recall(by int) {
	to := p.past + by
	if to < 0 || to > len(p.history) {
		return
	}
	if p.past == len(p.history) {
		p.draft = p.text
	}
	p.past = to
	if to == len(p.history) {
		p.set(p.draft)
		return
	}
	p.set(p.history[to])
}

// tab completes: as far as there is one way, then through the ways.
func (p *prompt) tab(v *view.View, by int) {
	if p.text == "" {
		p.set("/")
		return
	}
	if p.cycle != nil {
		p.picked = (p.picked + by + len(p.cycle)) % len(p.cycle)
		p.set(p.cycle[p.picked].text)
		return
	}
	all := choices(v, p.text)
	if longer := common(all); len(longer) > len(p.text) && strings.HasPrefix(longer, p.text) {
		p.set(longer)
		return
	}
	if len(all) > 0 {
		p.cycle, p.picked = all, 0
		if all[0].text == p.text && len(all) > 1 {
			p.picked = 1
		}
		p.set(all[p.picked].text)
	}
}

// press does one key that edits, or goes through the history at an end of the text.
func (p *prompt) press(msg tea.KeyPressMsg) {
	p.cycle = nil
	switch keys := p.area.KeyMap; {
	case key.Matches(msg, keys.LinePrevious) && p.first():
		p.recall(-1)
	case key.Matches(msg, keys.LineNext) && p.last():
		p.recall(+1)
	default:
		p.editor.press(msg)
	}
}
