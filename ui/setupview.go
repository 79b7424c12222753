package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// View draws the page.
func (s *Setup) View() tea.View {
	v := tea.NewView(s.caps.Glyphs.Render(strings.Join(s.frame(), "\n")))
	v.AltScreen = true
	v.WindowTitle = "ferrus: set up"
	return v
}

// frame returns exactly as many lines as the terminal has, each exactly as wide.
func (s *Setup) frame() []string {
	if s.w == 0 || s.h == 0 {
		return nil
	}
	if s.w < MinColumns || s.h < MinRows {
		return s.pad([]string{s.row(style.Span{fmt.Sprintf("ferrus needs %d x %d", MinColumns, MinRows),
			s.theme.Strong})}, nil)
	}
	if s.made {
		page := s.trustPage()
		if !s.seen {
			return s.pad(page, s.keys("Down", "the rest", "n, Esc", "not now"))
		}
		return s.pad(page, s.keys("y", "trust them", "n, Esc", "not now"))
	}
	return s.pad(s.proposalPage(), s.proposalKeys())
}

// pad fills the page up, with the keys at its bottom.
func (s *Setup) pad(lines, keys []string) []string {
	for len(lines) < s.h-len(keys) {
		lines = append(lines, text.Blanks(s.w))
	}
	return append(lines[:max(s.h-len(keys), 0)], keys...)
}

// row returns one row of the setup.
func (s *Setup) row(rest ...style.Span) string {
	return style.Row(s.w, append(style.Spans{{" ", ""}}, rest...), nil)
}

// labelled returns one row with a label in a column of its own.
func (s *Setup) labelled(label string, rest ...style.Span) string {
	return style.Row(s.w, append(style.Spans{{"   " + text.Fit(label, 12), s.theme.Faint}}, rest...), nil)
}

// wrap returns words in one look, on as many rows as they take.
func (s *Setup) wrap(words string, look style.Paint) (lines []string) {
	for _, l := range text.Wrap(words, s.w-2) {
		lines = append(lines, s.row(style.Span{l, look}))
	}
	return lines
}

func (s *Setup) head() string {
	return style.Row(s.w, style.Spans{{" ferrus  ", s.theme.Brand}, {text.Sanitize(s.Where), s.theme.Strong}}, nil)
}

func (s *Setup) proposalPage() []string {
	words, rest := "ferrus is not set up in this repository yet. It would write:", "also: "
	if s.Kept {
		words, rest = "This repository has a ferrus.toml, which is kept as is:", "ferrus adds: "
	}
	lines := []string{s.head(), text.Blanks(s.w)}
	if s.noAgent() {
		const none = "No agent is installed. d shows the demo, which needs none."
		lines = append(lines, s.wrap(none, s.theme.Tones[style.Warn])...)
	}
	lines = append(lines, s.wrap(words, "")...)
	lines = append(lines, text.Blanks(s.w))
	lines = append(lines, s.roles()...)
	lines = append(lines, s.checks()...)
	also := s.wrap(rest+".ferrus/ for its state (not in git), a folder for specifications, and skill files "+
		"for the agents", s.theme.Faint)
	const least = 3 + 2 // of the file, with its border
	bottom := len(also) + len(s.proposalKeys())
	lines = append(lines, s.getting(s.h-len(lines)-bottom-least)...)
	lines = append(lines, s.file(s.h-len(lines)-bottom)...)
	return append(lines, also...)
}

func (s *Setup) roles() []string {
	role := func(name, agent, words string) string {
		look := s.theme.Strong
		if shown := s.absent(agent); shown != agent {
			agent, look, words = shown, s.theme.Tones[style.Warn], ""
		}
		wide := max(text.Width(s.Choice.Supervisor), text.Width(s.Choice.Executor))
		return s.labelled(name, style.Span{text.Fit(text.Sanitize(agent), max(wide, text.Width(agent))), look},
			style.Span{"  " + words, s.theme.Faint})
	}
	return []string{role("supervisor", s.Choice.Supervisor, "plans and reviews"),
		role("executor", s.Choice.Executor, "does the work")}
}

// mostChecks is how many commands are shown; the file has them all.
const mostChecks = 3

func (s *Setup) checks() (lines []string) {
	t := s.theme
	if s.field != nil {
		return s.editedChecks()
	}
	all := s.Choice.Checks
	if len(all) == 0 {
		return []string{s.labelled("checks", style.Span{"none found", t.Tones[style.Warn]},
			style.Span{"  c: type check commands", t.Faint})}
	}
	label := "checks"
	for i, c := range all {
		if i == mostChecks-1 && len(all) > mostChecks {
			return append(lines, s.labelled("", style.Span{fmt.Sprintf("and %d more", len(all)-i), t.Faint}))
		}
		lines = append(lines, s.labelled(label, style.Span{text.Sanitize(c), t.Strong}))
		label = ""
	}
	return lines
}

// editedChecks draws the checks while they are edited.
func (s *Setup) editedChecks() (lines []string) {
	t := s.theme
	shown, at := s.field.window(mostChecks)
	label := "checks"
	for i, typed := range shown {
		typed = text.Sanitize(typed)
		if over := text.Width(typed) - (s.w - 20); over > 0 {
			typed = ansi.TruncateLeft(typed, over, "")
		}
		mark, cursor := "  ", ""
		if i == at {
			mark, cursor = "> ", " "
		}
		lines = append(lines, s.labelled(label, style.Span{mark, t.Brand}, style.Span{typed, ""},
			style.Span{cursor, t.Chosen}))
		label = ""
	}
	return lines
}

// getting says how to have what is not installed, in at most n lines.
func (s *Setup) getting(n int) (lines []string) {
	before := "not installed: "
	for _, a := range s.missing() {
		if text.Width(before+text.Sanitize(a.Get))+16 > s.w {
			before = ""
		}
	}
	for _, a := range s.missing() {
		if len(lines) >= n {
			break
		}
		get := style.Span{before + text.Sanitize(a.Get), s.theme.Faint}
		lines = append(lines, s.labelled(text.Sanitize(a.Name), get))
	}
	return lines
}

// file returns the text in a border of n lines.
func (s *Setup) file(n int) []string {
	all := strings.Split(strings.TrimSuffix(s.File(s.Choice), "\n"), "\n")
	s.total, s.height = len(all), max(n-2, 0)
	s.top = max(min(s.top, len(all)-s.height), 0)
	var body []string
	for _, l := range all[s.top:min(s.top+s.height, len(all))] {
		look := style.Paint("")
		if strings.HasPrefix(l, "#") {
			look = s.theme.Faint
		}
		body = append(body, style.Row(s.w-2, style.Spans{{" " + text.Sanitize(l), look}}, nil))
	}
	where := style.Edge{}
	if len(all) > s.height {
		where.Left = style.Spans{{fmt.Sprintf(" %d-%d of %d  Up Down", s.top+1, s.top+len(body), len(all)),
			s.theme.Faint}}
	}
	title := " ferrus.toml"
	if s.Kept {
		title += ", as it is"
	}
	return s.theme.Box(style.Area(0, 0, s.w, n), s.theme.Border,
		style.Edge{Left: style.Spans{{title, s.theme.Strong}}}, where, body)
}

func (s *Setup) proposalKeys() []string {
	switch {
	case s.field != nil:
		return s.keys("Enter", "accept", "Up Down", "line", "Ctrl+U", "clear", "Esc", "discard")
	case s.Kept && s.noAgent():
		return s.keys("d", "demo", "Enter", "set it up", "Esc", "change nothing")
	case s.Kept:
		return s.keys("Enter", "set it up", "Esc", "change nothing")
	}
	if s.noAgent() {
		return s.keys("d", "demo", "Enter", "write it", "s e", "agents", "c", "checks", "Esc", "leave")
	}
	return s.keys("Enter", "write it", "s e", "agents", "c", "checks", "Esc", "change nothing")
}

func (s *Setup) trustPage() []string {
	lines := []string{s.head(), text.Blanks(s.w), s.row(style.Span{"ferrus is set up.", s.theme.Tones[style.Good]}),
		text.Blanks(s.w)}
	lines = append(lines, s.wrap("These commands and settings come from ferrus.toml. ferrus runs them on this "+
		"machine, as you. Work counts as done only when the checks among them pass.", "")...)
	lines = append(lines, text.Blanks(s.w))
	after := append([]string{text.Blanks(s.w), s.row(style.Span{"Trust these commands?", s.theme.Tones[style.Warn]})},
		s.wrap("You can decide later: HQ opens anyway, and /trust asks again.", s.theme.Faint)...)
	lines = append(lines, s.commands(s.h-len(lines)-len(after)-2)...)
	return append(lines, after...)
}

// commands are those to ask about, whole, in at most n lines. None may be let run
// before its end was on the screen.
func (s *Setup) commands(n int) (lines []string) {
	var all []string
	for _, c := range s.asked {
		for i, l := range text.Wrap(text.Sanitize(c), s.w-8) {
			all = append(all, map[bool]string{true: "  ", false: "      "}[i == 0]+l)
		}
	}
	s.total, s.height = len(all), len(all)
	if len(all) > n {
		s.height = n - 1
	}
	s.top = max(min(s.top, len(all)-s.height), 0)
	end := s.top + s.height
	s.seen = s.seen || end == len(all)
	for _, l := range all[s.top:end] {
		lines = append(lines, s.row(style.Span{l, s.theme.Strong}))
	}
	if len(all) > n {
		lines = append(lines, s.row(style.Span{fmt.Sprintf("  %d-%d of %d lines  Up Down", s.top+1, end, len(all)),
			s.theme.Tones[style.Warn]}))
	}
	return lines
}

// keys returns the bottom line: each key with what it does.
func (s *Setup) keys(all ...string) []string {
	if s.waits {
		return []string{s.row(style.Span{"working ...", s.theme.Faint})}
	}
	apart := 3
	if text.Width(strings.Join(all, " "))+len(all) > s.w {
		apart = 2
	}
	var line style.Spans
	for i := 0; i+1 < len(all); i += 2 {
		if i > 0 {
			line = append(line, style.Span{text.Blanks(apart), ""})
		}
		line = append(line, style.Span{all[i], s.theme.Strong}, style.Span{" " + all[i+1], s.theme.Faint})
	}
	return []string{s.row(line...)}
}
