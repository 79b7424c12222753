package ui

import "strings"

// picker is a list to choose from.
type picker struct {
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
func modelList(v *View) dialog {
	if len(v.Models) == 0 {
		return &page{title: "models", text: func(*Model) string { return "No role is configured: see [hq] in ferrus.toml." }}
	}
	p := &picker{title: "model of"}
	for _, r := range v.Models {
		model := r.Model
		if model == "" {
			model = "the agent's own"
		}
		p.items = append(p.items, pick{name: r.Role, words: r.Agent + "  " + model, list: modelsOf(r)})
	}
	return p
}

func modelsOf(r RoleModel) *picker {
	p := &picker{title: "model of the " + r.Role}
	for i, name := range r.Known {
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

func (p *picker) draw(m *Model, room rect) (rect, []string) {
	t, names := m.theme, 0
	for _, i := range p.items {
		names = max(names, min(width(i.name), 30))
	}
	r := centered(room, 64, len(p.items)+4)
	h := r.h - 4
	first := max(p.at-h+1, 0)
	body := []string{blanks(r.w - 2)}
	for i := first; i < min(first+h, len(p.items)); i++ {
		look := t.strong
		mark := "   "
		if i == p.at {
			look, mark = t.chosen, " ▸ "
		}
		body = append(body, row(r.w-2, spans{{mark, t.focused}, {fit(p.items[i].name, names), look}, {"  " + p.items[i].words, t.faint}}, nil))
	}
	return r, t.box(r, t.focused, words{left: spans{{" " + p.title, t.strong}}}, words{left: spans{{" Up Down Enter  Esc closes", t.faint}}}, body)
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
