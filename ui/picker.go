package ui

import (
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// picker is a list to choose from.
type picker struct {
	kind  Dialog
	title string
	items []pick
	at    int
}

// pick is one thing to choose: what it leads to is an intent or another list.
type pick struct {
	name, words string
	intent      Intent
	list        *picker
}

// modelList begins /model without arguments: the roles, then their models.
func modelList(v *view.View) dialog {
	if len(v.Models) == 0 {
		return &page{kind: DialogRoles, title: "models", text: func(*Model) string { return "No role is configured: see [hq] in ferrus.toml." }}
	}
	p := &picker{kind: DialogRoles, title: "model of which role?"}
	for _, r := range v.Models {
		model := r.Model
		if model == "" {
			model = "the agent's own"
		}
		p.items = append(p.items, pick{name: r.Role, words: r.Agent + "  " + model, list: modelsOf(v, r)})
	}
	return p
}

// specList is /task alone while there is something to take it from.
func specList(s view.Spec) *picker {
	p := &picker{kind: DialogTask, title: "task"}
	if s.Milestone != "" {
		p.items = append(p.items,
			pick{name: "from milestone " + s.Milestone + " of " + s.Selected, intent: Task{}},
			pick{name: "from another milestone", intent: Milestones{}})
	}
	if s.Last != "" {
		p.items = append(p.items, pick{name: "from " + s.Last, intent: Task{Text: "The next task of the specification " + s.Last, Manual: true}})
	}
	p.items = append(p.items, pick{name: "without", intent: Task{Manual: true}})
	return p
}

func modelsOf(v *view.View, r view.RoleModel) *picker {
	p := &picker{kind: DialogModels, title: "model of the " + r.Role}
	for i, name := range v.Choices(r) {
		words := ""
		if name == r.Model {
			words, p.at = "now", i
		}
		p.items = append(p.items, pick{name: name, words: words, intent: SetModel{r.Role, name}})
	}
	p.items = append(p.items,
		pick{name: "the agent's own", words: "clears the model", intent: SetModel{r.Role, ""}},
		pick{name: "another", words: "type its name", intent: prefill{"/model " + r.Role + " "}})
	return p
}

func (p *picker) draw(m *Model, room style.Rect) (style.Rect, []string) {
	t := m.theme
	names, beside, whole := p.columns()
	r := style.Centered(room, whole, len(p.items)+4)
	names = min(names, max(r.W-beside-8, 30))
	h := r.H - 4
	first := max(p.at-h+1, 0)
	body := []string{text.Blanks(r.W - 2)}
	for i := first; i < min(first+h, len(p.items)); i++ {
		look := t.Strong
		mark := "   "
		if i == p.at {
			look, mark = t.Chosen, " ▸ "
		}
		line := style.Spans{{mark, t.Focused}, {p.items[i].name, look}}
		if words := p.items[i].words; words != "" {
			line = style.Spans{{mark, t.Focused}, {text.Fit(p.items[i].name, names), look}, {"  " + words, t.Faint}}
		}
		body = append(body, style.Row(r.W-2, line, nil))
	}
	return r, t.Box(r, t.Focused, style.Edge{Left: style.Spans{{" " + p.title, t.Strong}}}, style.Edge{Left: style.Spans{{" Up Down Enter  Esc closes", t.Faint}}}, body)
}

// columns is how wide the names are that have words beside them, how wide those
// are, and how wide all is with a border.
func (p *picker) columns() (names, beside, whole int) {
	whole = 64
	for _, i := range p.items {
		if i.words != "" {
			names, beside = max(names, text.Width(i.name)), max(beside, text.Width(i.words))
		}
		whole = max(whole, 3+text.Width(i.name)+3)
	}
	return names, beside, max(whole, names+beside+8)
}

func (p *picker) press(_ *Model, name string) (dialog, Intent) {
	switch name {
	case "esc", "q":
		return nil, nil
	case "up", "k", "ctrl+p", "shift+tab":
		p.at = (p.at + len(p.items) - 1) % len(p.items)
	case "down", "j", "ctrl+n", "tab":
		p.at = (p.at + 1) % len(p.items)
	case "enter":
		chosen := p.items[p.at]
		if chosen.list != nil {
			return chosen.list, nil
		}
		if chosen.intent == nil {
			return p, nil // a line to read
		}
		return nil, chosen.intent
	default:
		p.jump(name)
	}
	return p, nil
}

// jump goes to the next item that begins with what was typed.
func (p *picker) jump(name string) {
	for i := range p.items {
		n := (p.at + 1 + i) % len(p.items)
		if strings.HasPrefix(strings.ToLower(p.items[n].name), name) {
			p.at = n
			return
		}
	}
}
