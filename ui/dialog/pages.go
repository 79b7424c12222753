package dialog

import (
	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// Status shows the summary of the task: its state, what needs the human, who works.
func Status() Dialog {
	return &page{kind: KindStatus, title: "status", labels: 10,
		plain: func(c Context) string { return c.View.Summary }}
}

// StatusInFull shows everything that is known of the task, the sessions and what is open.
func StatusInFull() Dialog {
	return &page{kind: KindStatus, title: "status", plain: func(c Context) string { return c.View.Explanation }}
}

// Asked shows the whole question that an agent asks.
func Asked() Dialog {
	return &page{kind: KindAsked, title: "question", plain: func(c Context) string {
		return text.Reflow(c.View.Ask.String())
	}}
}

// Document shows a text of the task by its name, as it is now.
func Document(name string) Dialog {
	return &page{kind: KindDocument, title: name, full: true, markdown: func(c Context) string {
		for _, d := range c.View.Documents {
			if d.Name == name {
				return d.Text
			}
		}
		return "The " + name + " no longer exists."
	}}
}

// Pastes shows what is attached to the prompt.
func Pastes(all string) Dialog {
	return &page{kind: KindDocument, title: "pastes", full: true, plain: func(Context) string { return all }}
}

// Message shows a text of one kind.
func Message(kind Kind, title, plain string) Dialog {
	return &page{kind: kind, title: title, plain: func(Context) string { return plain }}
}

// Check shows the newest gate on the whole screen, while it runs and after.
func Check() Dialog {
	p := &page{kind: KindCheck, full: true, pager: pager.Page{Pager: pager.Following()}}
	p.rows = func(c Context, w int) []string { return pager.CheckRows(c.Theme, &c.View.Check, w) }
	p.edges = func(c Context) (top, bottom style.Edge) {
		if c.View.Check.Log != "" {
			bottom.Right = style.Spans{{c.View.Check.Log, c.Theme.Faint}}
		}
		return pager.CheckTitle(c.Theme, &c.View.Check, " "), bottom
	}
	return p
}

// Entry shows Markdown that was read, over the log if that is open. It returns the
// dialog that is open afterwards: now, if the human has gone elsewhere meanwhile.
func Entry(now Dialog, title, markdown string) Dialog {
	if now != nil && now.Kind() != KindLog {
		return now
	}
	return &page{
		kind: KindEntry, title: text.Sanitize(title), full: true, back: now,
		markdown: func(Context) string { return markdown },
	}
}
