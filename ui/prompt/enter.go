package prompt

import (
	"errors"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// enter sends what is typed: the intents are what it wants, and the line for the
// history. A text that is not sent stays, with a sentence that says why.
func (p *Model) enter(v *view.View) []intent.Intent {
	line := strings.TrimSpace(p.text)
	if line == "" {
		return nil
	}
	if err := p.attached.check(line); err != nil {
		return []intent.Intent{intent.Say{Text: err.Error(), Error: true}}
	}
	again, wanted, err := p.read(v, strings.TrimRight(p.text, " \n"))
	switch {
	case err != nil:
		p.failed = true
		return []intent.Intent{intent.Say{Text: err.Error(), Error: true}}
	case again != "":
		p.cycle = nil
		return []intent.Intent{intent.Say{Text: again}}
	}
	p.Clear()
	if !p.history.add(line) || len(p.attached.in(line)) > 0 { // what is attached is not kept for the next HQ
		return []intent.Intent{wanted}
	}
	return []intent.Intent{intent.SaveHistory{Line: line}, wanted}
}

// Sends says what Enter does with what is typed; empty: there is nothing to send, or it is a
// command that does not exist or is not available.
func (p *Model) Sends(v *view.View) string {
	switch to := p.talk.to(); {
	case strings.TrimSpace(p.text) == "", p.commands.isOff(v, p.text), p.commands.isUnknown(v, p.text):
		return ""
	case p.IsCommand():
		return "run"
	case p.bound != nil:
		return "answer"
	case to != "":
		return "send to the " + to
	}
	return "draft a task"
}

// read says what a text wants. Where it is not clear that it wants that, the text is
// completed to what it would, and again says what a second Enter does.
func (p *Model) read(v *view.View, typed string) (again string, wanted intent.Intent, err error) {
	plain, ok := p.commands.first(func(c Command) bool { return c.Plain })
	talk, talks := p.commands.first(func(c Command) bool { return c.Talk })
	switch {
	case strings.HasPrefix(typed, "/"):
		return p.readCommand(v, typed)
	case p.bound != nil:
		return "", intent.Answer{Ask: *p.bound, Text: p.attached.expand(strings.TrimSpace(typed))}, nil
	case talks && p.talk.to() != "":
		return p.readTalk(talk, v, typed)
	case !ok:
		return "Nothing was asked", nil, nil
	case plain.WhyDisabled(v, "") != "":
		return "", nil, errNobody
	default:
		p.set("/" + plain.Name + " " + strings.TrimSpace(typed))
		return "Press Enter again to have a supervisor draft a task from this", nil, nil
	}
}

// errNobody says why a plain text goes nowhere.
var errNobody = errors.New("nothing was asked when you started typing, and no agent is working that could read this")

// readCommand reads a line with a command. An unfinished name that fits one command is
// completed first.
func (p *Model) readCommand(v *view.View, typed string) (again string, wanted intent.Intent, err error) {
	name, rest, _ := strings.Cut(typed[1:], " ")
	if _, ok := p.commands.Lookup(name); !ok && rest == "" && name != "" {
		if fits := p.commands.names(v, name); len(fits) == 1 {
			p.set(strings.TrimSpace(fits[0].Line))
			return "Press Enter again to run " + p.text, nil, nil
		}
	}
	wanted, err = p.commands.Parse(v, p.attached.expand(typed))
	return "", wanted, err
}
