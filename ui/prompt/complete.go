package prompt

import (
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// Choice is one way to complete what is typed.
type Choice struct {
	Line     string // the whole line with it
	Name     string // what is shown
	Help     string
	Disabled string // why the command is not available so; empty: it is
	Warning  string // what to know before it is sent; empty: nothing
}

// PendingLoad returns [intent.LoadFiles] once for each word with @ that is begun, and
// [intent.LoadCompletions] once for each command that is typed and needs it; nil otherwise.
func (p *Model) PendingLoad() intent.Intent {
	_, _, at := p.atWord()
	if begun := at && !p.files.looked; begun {
		p.files.looked = true
		return intent.LoadFiles{}
	}
	p.files.looked = at
	line, slash := strings.CutPrefix(p.text, "/")
	name, _ := Word(line)
	c, _ := p.commands.Lookup(name)
	if !slash || !c.NeedsCompletions {
		p.looked = ""
		return nil
	}
	if p.looked == name {
		return nil
	}
	p.looked = name
	return intent.LoadCompletions{}
}

// tab completes: as far as there is one way, then through the ways.
func (p *Model) tab(v *view.View, by int) {
	if p.text == "" {
		if p.answers() != nil || !p.nextRecipient(by) {
			p.set("/")
		}
		return
	}
	if p.cycle != nil {
		p.picked = (p.picked + by + len(p.cycle)) % len(p.cycle)
		p.set(p.cycle[p.picked].Line)
		return
	}
	all := p.commands.Complete(v, p.text)
	if longer := commonPrefix(all); len(longer) > len(p.text) && strings.HasPrefix(longer, p.text) {
		p.set(longer)
		return
	}
	if len(all) > 0 {
		p.cycle, p.picked = all, 0
		if all[0].Line == p.text && len(all) > 1 {
			p.picked = 1
		}
		p.set(all[p.picked].Line)
	}
}

// Complete returns the ways to complete a line: a command's name, or its arguments.
func (t Table) Complete(v *view.View, line string) []Choice {
	if !strings.HasPrefix(line, "/") || strings.Contains(line, "\n") {
		return nil
	}
	name, rest, arguments := strings.Cut(line[1:], " ")
	if !arguments {
		return t.names(v, name)
	}
	c, ok := t.Lookup(name)
	if !ok {
		return nil
	}
	words := strings.Fields(rest)
	last := ""
	if len(words) > 0 && !strings.HasSuffix(rest, " ") {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	var all ranking
	before := line[:len(line)-len(last)]
	for _, s := range c.suggest(v, words, last) {
		if rank := match(strings.ToLower(s.Word), strings.ToLower(last)); rank >= 0 && s.Word != last {
			_, args := Word(before + s.Word)
			all.add(rank, Choice{before + s.Word + " ", s.Word, s.Help, c.WhyDisabled(v, args), ""})
		}
	}
	return all.best()
}

// names returns the commands that begin as typed, the exact one first; if none does,
// the commands that have its letters in this order.
func (t Table) names(v *view.View, typed string) []Choice {
	var all ranking
	for _, c := range t {
		line := "/" + c.Name
		if c.Args != "" {
			line += " "
		}
		if rank := match(c.Name, typed); rank >= 0 {
			all.add(rank, Choice{line, c.Usage(), c.Help, c.WhyDisabled(v, ""), c.warning(v)})
		}
	}
	return all.best()
}

// ranking sorts choices by how well they match.
type ranking [3][]Choice

func (r *ranking) add(rank int, c Choice) { r[rank] = append(r[rank], c) }

// best returns the choices that begin as typed, else the ones that have its letters.
func (r *ranking) best() []Choice {
	if found := append(r[0], r[1]...); len(found) > 0 {
		return found
	}
	return r[2]
}

// match ranks a name for what is typed: 0 exact, 1 begins so, 2 has the letters in this
// order, -1 not at all.
func match(name, typed string) int {
	switch {
	case name == typed:
		return 0
	case strings.HasPrefix(name, typed):
		return 1
	}
	rest := name
	for _, r := range typed {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return -1
		}
		rest = rest[i+len(string(r)):]
	}
	return 2
}

// commonPrefix returns the longest beginning that all choices share.
func commonPrefix(all []Choice) string {
	if len(all) == 0 {
		return ""
	}
	prefix := all[0].Line
	for _, c := range all[1:] {
		for !strings.HasPrefix(c.Line, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
