package prompt

import (
	"slices"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// talk is which agent gets plain text that answers nothing.
type talk struct {
	names  []string // the agents, the default recipient first
	chosen string   // what the human chose instead; empty: nothing
	begun  string   // the agent that was shown at the first key; empty: none was
	again  string   // what a second Enter sends, behind a name
}

// to returns the agent that gets plain text; empty: none does. A text that is begun stays with
// its agent while that works, whichever agent starts meanwhile.
func (t *talk) to() string {
	switch {
	case slices.Contains(t.names, t.chosen):
		return t.chosen
	case slices.Contains(t.names, t.begun):
		return t.begun
	case len(t.names) > 0:
		return t.names[0]
	}
	return ""
}

// Address sets the agents that plain text can go to, the default one first.
func (p *Model) Address(names []string) {
	p.talk.names = names
	p.fit()
}

// Recipients returns the agents that plain text can go to, and the selected one.
func (p *Model) Recipients() (names []string, to string) { return p.talk.names, p.talk.to() }

// Answers reports whether plain text answers a question, and goes to no agent.
func (p *Model) Answers() bool { return p.answers() != nil }

// nextRecipient chooses the agent after the present one, and reports whether there is
// another.
func (p *Model) nextRecipient(by int) bool {
	n := len(p.talk.names)
	if n < 2 {
		return false
	}
	at := slices.Index(p.talk.names, p.talk.to())
	p.talk.chosen = p.talk.names[(at+by+n)%n]
	p.fit()
	return true
}

// talksToOne reports whether the prompt is empty and there is exactly one agent to talk to.
func (p *Model) talksToOne() bool {
	return p.text == "" && p.answers() == nil && len(p.talk.names) == 1
}

// addressed takes a name such as @reviewer from the beginning of a text, and returns the
// rest. Only the names of agents count: anything else may be a file.
func (p *Model) addressed(typed string) (rest string) {
	name, rest := Word(strings.TrimSpace(typed))
	name, at := strings.CutPrefix(name, "@")
	if !at || !slices.Contains(p.talk.names, name) {
		return typed
	}
	p.talk.chosen, p.talk.begun = name, name
	p.fit()
	return rest
}

// readTalk says what a text to an agent wants, at once or with a second Enter.
func (p *Model) readTalk(c Command, v *view.View, typed string) (again string, wanted intent.Intent, err error) {
	rest := strings.TrimSpace(p.addressed(typed))
	to, left := p.talk.to(), ""
	if begun := p.talk.begun; begun != "" && begun != to {
		left = "The " + begun + " has ended. "
	}
	if rest == "" {
		p.set("")
		return "Plain text goes to the " + to, nil, nil
	}
	// A text that was begun before the open question may be its answer; one for an agent that
	// has ended is for no other agent.
	atOnce := v.Talk && p.shown == nil && left == ""
	if key := to + " " + rest; !atOnce && p.talk.again != key {
		p.talk.again = key
		p.set(rest)
		return left + "Press Enter again to send this to the " + to, nil, nil
	}
	p.talk.again = ""
	wanted, err = c.Parse(v, to+" "+p.attached.expand(rest))
	return "", wanted, err
}

// mark returns what precedes the first row of the prompt: a question mark while plain
// text is an answer, else the recipient.
func (p *Model) mark(t *style.Theme) style.Spans {
	switch to := p.talk.to(); {
	case p.IsCommand():
		return style.Spans{{" > ", t.Brand}}
	case p.answers() != nil:
		return style.Spans{{" ? ", t.Tones[style.Warn]}}
	case to == "":
		return style.Spans{{" > ", t.Brand}}
	default:
		return style.Spans{{" > ", t.Brand}, {to, t.Focused}, {"  ", ""}}
	}
}

// IsCommand reports whether a command is typed.
func (p *Model) IsCommand() bool { return strings.HasPrefix(p.text, "/") }

// indent returns the width of what precedes each row, in cells.
func (p *Model) indent() int {
	if to := p.talk.to(); p.answers() == nil && to != "" && !p.IsCommand() {
		return p.vi.indent() + 3 + text.Width(to) + 2
	}
	return p.vi.indent() + 3
}

// fit makes the text as wide as the mark leaves room for.
func (p *Model) fit() {
	if in := p.indent(); p.w > 0 && in != p.indented {
		p.indented = in
		p.resize(p.w-in, p.h)
	}
}
