package prompt

import (
	"fmt"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Popup draws what the prompt can be completed to, in at most so many rows of w cells.
// Where the keys are elsewhere, that is only what Tab goes through.
func (p *Model) Popup(t *style.Theme, v *view.View, w, most int, elsewhere bool) []string {
	all, picked := p.cycle, p.picked
	if all == nil && !elsewhere && p.search == nil && !p.failed {
		picked = -1
		if all = p.atChoices(v); all != nil {
			picked = p.files.at
		} else {
			all = p.commands.Complete(v, p.text)
		}
	}
	if len(all) == 0 || len(all) == 1 && isTyped(all[0], p.text) {
		return nil
	}
	more := len(all) > most && most > 1
	if more {
		most--
	}
	first := max(picked-most+1, 0)
	names, limit := 0, w/4+4
	if picked >= 0 && p.cycle == nil {
		limit = w - 6 // files have nothing beside them
	}
	for _, c := range all {
		names = max(names, min(text.Width(c.Name), limit))
	}
	var rows []string
	for i := first; i < len(all) && len(rows) < most; i++ {
		rows = append(rows, choiceRow(t, all[i], w, names, i == picked))
	}
	if more {
		place := fmt.Sprintf("%d-%d of %d", first+1, first+len(rows), len(all))
		rows = append(rows, style.Row(w, style.Spans{{" │ ", t.Focused}, {place, t.Faint}}, nil))
	}
	return rows
}

// isTyped reports a choice that would change nothing, and has nothing to say.
func isTyped(c Choice, typed string) bool {
	return strings.TrimSpace(c.Line) == strings.TrimSpace(typed) && c.Disabled == "" && c.Warning == ""
}

func choiceRow(t *style.Theme, c Choice, w, names int, picked bool) string {
	look, words := t.Strong, style.Spans{{c.Help, t.Faint}}
	if c.Warning != "" {
		words = style.Spans{{c.Warning, t.Tones[style.Warn]}}
	}
	if c.Disabled != "" {
		look, words = t.Faint, style.Spans{{"not available: " + c.Disabled, t.Faint}}
	}
	if picked {
		look = t.Chosen
	}
	left := style.Spans{{" │ ", t.Focused}, {text.Fit(c.Name, names), look}, {"  ", ""}}
	return style.Row(w, append(left, words...), nil)
}
