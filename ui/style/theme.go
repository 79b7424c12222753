// Package style defines the look of the screen: the colors and borders of a theme,
// lines of differently styled pieces, boxes, and the characters that a terminal can
// show.
//
// Everything that draws takes a [Theme] and returns rows of exactly the given width,
// as strings with SGR sequences. No other package names a color or a border. [Caps]
// chooses the theme by the terminal's capabilities, and [Charset.Render] replaces the
// characters of a frame that its font lacks.
package style

import (
	"strings"

	"charm.land/lipgloss/v2"

	"ferrus/ui/syntax"
)

// Paint is a look: the sequence that begins it, so that drawing is joining strings.
// The zero Paint is plain.
type Paint string

// ResetSGR ends every look.
const ResetSGR = "\x1b[m"

// Render draws text in this look.
func (p Paint) Render(text string) string {
	if p == "" || text == "" {
		return text
	}
	return string(p) + text + ResetSGR
}

// Theme holds every look and border there is. No other package names one.
type Theme struct {
	Tones [Bad + 1]Paint
	Looks
	Lines
	Marks
	Markup
	Syntax [syntax.Name + 1]Paint
	Tint   Tint
	Frame  lipgloss.Border
	agent  map[string]string // the SGR parameters of an agent's sixteen colours, and those instead
}

// Tint are the looks of what changed in a diff: of whole lines, and of words in them. They
// go before other looks.
type Tint struct{ Added, AddedWord, Removed, RemovedWord Paint }

// Looks are the styles of the screen's own text. Strong is only for what should be read
// first; in hints the keys are plain and the words faint.
type Looks struct{ Brand, Strong, Faint, Alarm, Caution Paint }

// Lines are the looks of borders.
type Lines struct{ Border, Focused Paint }

// Marks are the looks of what is selected, and of what was found.
type Marks struct{ Chosen, Found Paint }

// Markup holds the looks of Markdown and of patches.
type Markup struct{ Quoted, Leaning, Linked, Removed Paint }

// Choice is which theme the human wants. The zero Choice is the usual one.
type Choice struct {
	Name   string            // of [ThemeNames]
	Colors map[string]string // instead of the theme's, by the names of [ColorNames]
}

// NewTheme returns the usual colours for a dark or a light terminal of many colours.
func NewTheme(dark bool) *Theme { return Choice{}.Theme(dark, false) }

// Theme returns the colours for a dark or a light terminal, which may have few colours.
// Where the terminal has none, they are left out on the way to it; bold, faint and
// reverse stay.
func (c Choice) Theme(dark, few bool) *Theme {
	if few || c.Name == terminalTheme {
		t := newPlainTheme(dark)
		if c.Name != terminalTheme {
			t.agent = agentParams(fewAgentColors[dark])
		}
		return t
	}
	named, ok := namedColors[c.Name]
	if !ok {
		named = namedColors[ThemeNames()[0]]
	}
	colors := named.light
	if dark {
		colors = named.dark
	}
	t := colors.replace(c.Colors).hues().theme()
	t.agent = agentParams(agentColors[dark])
	return t
}

// newPlainTheme is for a terminal of 8 or 16 colours. What those look like is up to
// each terminal, so it uses only colours that can be read on its background nearly
// everywhere: no blue on black, no yellow on white, no grey that is the background.
func newPlainTheme(dark bool) *Theme {
	pick := lipgloss.LightDark(dark)
	color := func(light, dark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	faint, underline := lipgloss.NewStyle().Faint(true), lipgloss.NewStyle().Underline(true)
	return hues{
		quiet: faint, border: faint,
		busy: color("4", "6"), good: color("2", "2"), warn: color("5", "3"), bad: color("1", "1"),
		quoted: color("5", "3"), keyword: color("5", "5"), text: color("2", "2"), name: color("4", "6"),
		tinted: tinted{addedWord: underline, removedWord: underline},
	}.theme()
}

// hues are the colours that a theme is made of.
type hues struct {
	quiet, border         lipgloss.Style
	busy, good, warn, bad lipgloss.Style
	quoted                lipgloss.Style
	keyword, text, name   lipgloss.Style // of a program

	tinted // in a diff
}

type tinted struct{ added, addedWord, removed, removedWord lipgloss.Style }

func (h hues) theme() *Theme {
	base := lipgloss.NewStyle()
	t := &Theme{Frame: lipgloss.RoundedBorder()}
	t.Tones = [...]Paint{
		Plain: "", Dim: paintOf(h.quiet), Busy: paintOf(h.busy), Good: paintOf(h.good),
		Warn: paintOf(h.warn.Bold(true)), Bad: paintOf(h.bad.Bold(true)),
	}
	t.Brand = paintOf(h.busy.Bold(true))
	t.Strong = paintOf(base.Bold(true))
	t.Faint = paintOf(h.quiet)
	t.Alarm = paintOf(h.bad.Bold(true).Reverse(true))
	t.Caution = paintOf(h.warn.Bold(true).Reverse(true))
	t.Border = paintOf(h.border)
	t.Focused = paintOf(h.busy.Bold(true))
	t.Chosen = paintOf(base.Reverse(true))
	t.Found = paintOf(h.warn.Reverse(true))
	t.Quoted, t.Leaning, t.Linked = paintOf(h.quoted), paintOf(base.Italic(true)), paintOf(h.busy.Underline(true))
	t.Removed = paintOf(h.bad)
	t.Tint = Tint{paintOf(h.added), paintOf(h.addedWord), paintOf(h.removed), paintOf(h.removedWord)}
	t.Syntax = [...]Paint{
		syntax.Keyword: paintOf(h.keyword), syntax.Text: paintOf(h.text), syntax.Number: paintOf(h.quoted),
		syntax.Comment: paintOf(h.quiet), syntax.Name: paintOf(h.name),
	}
	return t
}

// paintOf returns the sequence that a style begins with.
func paintOf(s lipgloss.Style) Paint {
	before, _, _ := strings.Cut(s.Render("x"), "x")
	return Paint(before)
}
