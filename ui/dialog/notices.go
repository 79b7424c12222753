package dialog

import (
	"slices"
	"time"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// Notice is a sentence that was shown, and when.
type Notice struct {
	At    time.Time
	Text  string
	Error bool
}

// Notices shows notices, the newest first.
func Notices(all []Notice) Dialog {
	all = slices.Clone(all)
	slices.Reverse(all)
	p := &page{kind: KindNotices, title: "notices", full: true}
	p.rows = func(c Context, w int) (rows []string) {
		t := c.Theme
		if len(all) == 0 {
			return []string{style.Row(w, style.Spans{{" No notice yet", t.Faint}}, nil)}
		}
		for _, n := range all {
			look := style.Paint("")
			if n.Error {
				look = t.Tones[style.Bad]
			}
			at := " " + n.At.Format(time.TimeOnly) + "  "
			for _, line := range text.Wrap(n.Text, w-text.Width(at)-1) {
				rows = append(rows, style.Row(w, style.Spans{{at, t.Faint}, {line, look}}, nil))
				at = text.Blanks(text.Width(at))
			}
		}
		return rows
	}
	return p
}
