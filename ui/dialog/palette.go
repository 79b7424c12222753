package dialog

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// palette finds everything that has a name by the letters of it.
type palette struct {
	query keys.Field
	at    int
	files []string // of the diff, once it is loaded

	window window
}

// Palette shows a list of commands, panes, files of the diff, tasks, specs and topics of
// the guide. Typing letters of a name filters it.
func Palette() Dialog { return &palette{} }

func (p *palette) Kind() Kind { return KindPalette }

func (p *palette) Place() keys.Context { return keys.InPalette }

func (p *palette) Scroll(c Context, lines int) {
	p.at = within(p.at+max(min(lines, 1), -1), len(p.found(c)))
}

// target is one thing to go to.
type target struct {
	sort, name, words string
	off               string // why it cannot be chosen now
	wanted            intent.Intent
}

// targets returns everything there is to go to.
func (p *palette) targets(c Context) (all []target) {
	for _, command := range c.Commands {
		all = append(all, target{"command", "/" + command.Name, command.Help, command.WhyDisabled(c.View, ""),
			intent.Prefill{Text: strings.TrimSpace("/"+command.Name) + argumentBlank(command.Args)}})
	}
	for _, r := range c.View.Tasks.Rows {
		name, words, wanted := taskTarget(r)
		all = append(all, target{sort: "task", name: name, words: words, wanted: wanted})
	}
	for _, pane := range c.View.Panes {
		all = append(all, target{sort: "pane", name: fmt.Sprintf("%d %s", pane.Title.Number, pane.Title.Name),
			words: pane.Title.Agent + "  " + pane.Title.Status, wanted: intent.FocusPane{Number: pane.Title.Number}})
	}
	for _, path := range p.files {
		all = append(all, target{sort: "diff", name: path, wanted: Open{diffAt(path)}})
	}
	run := func(sort, name, words, line string) {
		if wanted, err := c.Commands.Parse(c.View, line); err == nil {
			all = append(all, target{sort: sort, name: name, words: words, wanted: wanted})
		}
	}
	for _, name := range c.View.DocumentNames() {
		run("text", name, "of the task", "/show "+name)
	}
	for _, s := range c.View.Found.Tasks {
		run("task", s.Word, s.Help, "/show "+s.Word)
	}
	for _, s := range c.View.Found.Specs {
		run("spec", s.Name, s.Path, "/show spec "+s.Name)
	}
	for _, topic := range c.topics() {
		run("guide", topic.Name, topic.Summary, "/help "+topic.Name)
	}
	return all
}

// argumentBlank returns what separates a command from its arguments.
func argumentBlank(args string) string {
	if args == "" {
		return ""
	}
	return " "
}

// found returns the targets with the letters of the query in their order, the best first,
// and what cannot be chosen last.
func (p *palette) found(c Context) (all []target) {
	scores := map[string]int{}
	for _, t := range p.targets(c) {
		score, ok := fuzzy(t.name, string(p.query))
		if !ok {
			continue
		}
		if t.off != "" {
			score += 1000
		}
		scores[t.sort+t.name] = score
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b target) int { return scores[a.sort+a.name] - scores[b.sort+b.name] })
	return all
}

// fuzzy reports whether a name has the letters of a query in their order, and how far
// apart they are: each gap costs, less so where a word begins behind it.
func fuzzy(name, query string) (score int, ok bool) {
	name, query = strings.ToLower(name), strings.ToLower(strings.ReplaceAll(query, " ", ""))
	at := 0
	for _, r := range query {
		i := strings.IndexRune(name[at:], r)
		if i < 0 {
			return 0, false
		}
		begin := strings.TrimRight(name[:at+i], "abcdefghijklmnopqrstuvwxyz0123456789")
		switch {
		case i == 0:
		case len(begin) == at+i: // a word begins
			score += 2
		default:
			score += 4 + i
		}
		at += i + len(string(r))
	}
	if query == "" {
		return 0, true // in the order of the list
	}
	return score*8 + len(name)/4, true
}

func (p *palette) Draw(c Context, room style.Rect) (style.Rect, []string) {
	t, r := c.Theme, style.Column(room)
	all := p.found(c)
	h := min(room.H, 20)
	r = style.Centered(room, r.W, h)
	w := r.W - 2
	p.at = max(min(p.at, len(all)-1), 0)
	field := style.Spans{{"  > ", t.Brand}, {p.query.Tail(w-8) + "▏", ""}}
	body := []string{style.Row(w, field, nil), text.Blanks(w)}
	room.H = r.H - 4
	names := nameWidth(all, w)
	p.window.show(p.at, len(all), 2, room.H)
	for i := p.window.first; i < len(all) && len(body) < r.H-2; i++ {
		body = append(body, p.row(t, &all[i], i == p.at, names, w))
	}
	if len(all) == 0 {
		body = append(body, style.Row(w, style.Spans{{"  No match", t.Faint}}, nil))
	}
	top := heading(t, "go to")
	top.Right = style.Spans{{fmt.Sprintf("%d", len(all)), t.Faint}}
	return r, t.Box(r, t.Focused, top, foot(t, keys.JoinHints(c.Keys.Hints(keys.InPalette, nil))), body)
}

// Click chooses the target that was clicked.
func (p *palette) Click(_ Context, _, y, _ int) {
	if i := p.window.itemAt(y); i >= 0 {
		p.at = i
	}
}

// nameWidth returns how wide the names are that have words beside them.
func nameWidth(all []target, w int) (names int) {
	for i := range all {
		if all[i].words != "" || all[i].off != "" {
			names = max(names, text.Width(all[i].name))
		}
	}
	return min(names, max(w/3, 18))
}

func (p *palette) row(t *style.Theme, of *target, chosen bool, names, w int) string {
	mark, look, words := "   ", style.Paint(""), of.words
	if of.off != "" {
		look, words = t.Faint, "not available: "+of.off
	}
	if chosen {
		mark, look = " ▸ ", t.Chosen
	}
	if words == "" {
		names = w - 14
	}
	return style.Row(w, style.Spans{{mark, t.Focused}, {text.Fit(of.sort, 9), t.Faint},
		{text.Fit(of.name, names), look}, {"  " + words, t.Faint}}, nil)
}

func (p *palette) Press(c Context, key string) (Dialog, intent.Intent) {
	if lines := c.Keys.Scroll(keys.InPalette, key, listPage); lines != 0 {
		p.at = moved(p.at, lines, len(p.found(c)))
		return p, nil
	}
	switch c.Keys.Action(keys.InPalette, key) {
	case Close:
		return nil, nil
	case Choose:
		if all := p.found(c); len(all) > 0 {
			return nil, all[min(p.at, len(all)-1)].wanted
		}
	default:
		if p.query.Edit(c.Keys.Action(keys.InSearch, key), text.Sanitize(keys.Letter(key))) {
			p.at = 0
		}
	}
	return p, nil
}

// load takes the files of the diff.
func (p *palette) load(d view.Diff) {
	p.files = p.files[:0]
	for _, f := range d.Files {
		p.files = append(p.files, f.Path)
	}
}
