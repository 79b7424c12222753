package ui

import (
	"strings"

	"charm.land/bubbles/v2/textarea"
	"charm.land/lipgloss/v2"

	"ferrus/ui/code"
)

// Paint is a look. It holds the sequence that begins it, so that drawing is
// joining strings.
type Paint string

const reset = "\x1b[m"

// On draws text in this look.
func (p Paint) On(text string) string {
	if p == "" || text == "" {
		return text
	}
	return string(p) + text + reset
}

// Theme is every colour and border there is. No other file names one.
type Theme struct {
	tones                            [Bad + 1]Paint
	brand, strong, faint, key, alarm Paint
	border, focused                  Paint
	chosen, found                    Paint
	quoted, leaning, linked, removed Paint
	kinds                            [code.Name + 1]Paint
	frame                            lipgloss.Border
}

// NewTheme makes the colours for a dark or a light terminal. Where the terminal
// has none, they are left out on the way to it; bold, faint and reverse stay.
func NewTheme(dark bool) *Theme {
	pick := lipgloss.LightDark(dark)
	base := lipgloss.NewStyle()
	color := func(light, dark string) lipgloss.Style {
		return base.Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	quiet := color("243", "245")
	t := &Theme{frame: lipgloss.RoundedBorder()}
	t.tones = [...]Paint{
		Plain: "", Dim: paint(quiet), Busy: paint(color("26", "75")), Good: paint(color("28", "114")),
		Warn: paint(color("130", "228").Bold(true)), Bad: paint(color("160", "203").Bold(true)),
	}
	t.brand = paint(color("26", "75").Bold(true))
	t.strong = paint(base.Bold(true))
	t.faint = paint(quiet)
	t.key = paint(base.Bold(true))
	t.alarm = paint(color("160", "203").Bold(true).Reverse(true))
	t.border = paint(color("247", "240"))
	t.focused = paint(color("26", "75").Bold(true))
	t.chosen = paint(base.Reverse(true))
	t.found = paint(color("130", "228").Reverse(true))
	t.quoted, t.leaning, t.linked = paint(color("130", "144")), paint(base.Italic(true)), paint(color("26", "75").Underline(true))
	t.removed = paint(color("160", "203"))
	t.kinds = [...]Paint{
		code.Keyword: paint(color("90", "176")), code.Text: paint(color("28", "150")), code.Number: paint(color("130", "144")),
		code.Comment: paint(quiet), code.Name: paint(color("26", "117")),
	}
	return t
}

// paint takes the beginning of what a style writes.
func paint(s lipgloss.Style) Paint {
	before, _, _ := strings.Cut(s.Render("x"), "x")
	return Paint(before)
}

// editorStyles are those of the prompt: plain but for what is selected.
func editorStyles() textarea.Styles {
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{
		Base: plain, Text: plain, LineNumber: plain, CursorLineNumber: plain, CursorLine: plain, EndOfBuffer: plain,
		Placeholder: plain, Prompt: plain, Selection: plain.Reverse(true),
	}
	return textarea.Styles{Focused: state, Blurred: state}
}
