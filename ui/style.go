package ui

import (
	"strings"

	"charm.land/bubbles/v2/textarea"
	"charm.land/lipgloss/v2"

	"ferrus/ui/syntax"
)

// Paint is a look. It holds the sequence that begins it, so that drawing is
// joining strings.
type Paint string

const reset = "\x1b[m"

// Render draws text in this look.
func (p Paint) Render(text string) string {
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
	kinds                            [syntax.Name + 1]Paint
	frame                            lipgloss.Border
}

// NewTheme makes the colours for a dark or a light terminal of many colours.
// Where the terminal has none, they are left out on the way to it; bold, faint
// and reverse stay.
func NewTheme(dark bool) *Theme {
	pick := lipgloss.LightDark(dark)
	color := func(light, dark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	return hues{
		quiet: color("243", "245"), border: color("247", "240"),
		busy: color("26", "75"), good: color("28", "114"), warn: color("130", "228"), bad: color("160", "203"),
		quoted: color("130", "144"), keyword: color("90", "176"), text: color("28", "150"), name: color("26", "117"),
	}.theme()
}

// newPlainTheme is for a terminal of 8 or 16 colours. What those look like is up to
// each terminal, so it keeps to those that can be read on its background nearly
// everywhere: no blue on black, no yellow on white, no grey that is the background.
func newPlainTheme(dark bool) *Theme {
	pick := lipgloss.LightDark(dark)
	color := func(light, dark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	faint := lipgloss.NewStyle().Faint(true)
	return hues{
		quiet: faint, border: faint,
		busy: color("4", "6"), good: color("2", "2"), warn: color("5", "3"), bad: color("1", "1"),
		quoted: color("5", "3"), keyword: color("5", "5"), text: color("2", "2"), name: color("4", "6"),
	}.theme()
}

// hues are the colours that a theme is made of.
type hues struct {
	quiet, border         lipgloss.Style
	busy, good, warn, bad lipgloss.Style
	quoted                lipgloss.Style
	keyword, text, name   lipgloss.Style // of a program
}

func (h hues) theme() *Theme {
	base := lipgloss.NewStyle()
	t := &Theme{frame: lipgloss.RoundedBorder()}
	t.tones = [...]Paint{
		Plain: "", Dim: paint(h.quiet), Busy: paint(h.busy), Good: paint(h.good),
		Warn: paint(h.warn.Bold(true)), Bad: paint(h.bad.Bold(true)),
	}
	t.brand = paint(h.busy.Bold(true))
	t.strong = paint(base.Bold(true))
	t.faint = paint(h.quiet)
	t.key = paint(base.Bold(true))
	t.alarm = paint(h.bad.Bold(true).Reverse(true))
	t.border = paint(h.border)
	t.focused = paint(h.busy.Bold(true))
	t.chosen = paint(base.Reverse(true))
	t.found = paint(h.warn.Reverse(true))
	t.quoted, t.leaning, t.linked = paint(h.quoted), paint(base.Italic(true)), paint(h.busy.Underline(true))
	t.removed = paint(h.bad)
	t.kinds = [...]Paint{
		syntax.Keyword: paint(h.keyword), syntax.Text: paint(h.text), syntax.Number: paint(h.quoted),
		syntax.Comment: paint(h.quiet), syntax.Name: paint(h.name),
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
