package ui

import (
	"fmt"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// part is something drawn between the status bar and the line.
type part struct {
	number int
	rect   style.Rect
	pane   *view.Pane
}

// parts returns what is drawn now, and where.
func (s *screen) parts() []part {
	if s.zoomed {
		n := s.current()
		return []part{{n, s.main, s.pane(n)}}
	}
	if s.shape == wide {
		left, right := s.shown(isLeft), s.shown(isRight)
		return []part{
			{numberOf(left), s.left, left}, {numberOf(right), s.right, right},
			{numberActivity, s.activity, nil}, {numberCheck, s.check, nil},
		}
	}
	if n := s.chosen; s.activity.H == 0 && (n == numberActivity || n == numberCheck) {
		return []part{{n, s.left, nil}}
	}
	p := s.shown(everyPane)
	parts := []part{{numberOf(p), s.left, p}}
	if s.activity.H > 0 {
		parts = append(parts, part{numberActivity, s.activity, nil}, part{numberCheck, s.check, nil})
	}
	return parts
}

func isLeft(p *view.Pane) bool  { return p.Left }
func isRight(p *view.Pane) bool { return !p.Left }

func numberOf(p *view.Pane) int {
	if p == nil {
		return 0
	}
	return p.Title.Number
}

// numberAt returns the number of what is drawn at a cell; 0 is nothing.
func (s *screen) numberAt(x, y int) int {
	for _, part := range s.parts() {
		if part.rect.Contains(x, y) {
			return part.number
		}
	}
	return 0
}

// tab is one entry of the tab line, or of the names in a lower border.
type tab struct {
	number int
	text   string
	tone   style.Tone
}

// tabOf returns a pane's entry under one of its names, with a mark when it runs, and one
// when something is wrong: not every terminal has colours.
func tabOf(p *view.Pane, name string) tab {
	label := fmt.Sprintf("%d %s", p.Title.Number, name)
	if p.Living {
		label += " ●"
	}
	if p.Title.Tone >= style.Warn {
		label += " !"
	}
	return tab{p.Title.Number, label, p.Title.Tone}
}

// tabs names everything there is to look at, in as many words as fit.
func (s *screen) tabs() (tabs []tab) {
	for level := range 3 {
		tabs = nil
		for i := range s.view.Panes {
			p := &s.view.Panes[i]
			t := tabOf(p, []string{p.Title.Name, p.Title.Name, p.Title.Short}[level])
			if level == 0 {
				t.text = fmt.Sprintf("%d %s %s", p.Title.Number, p.Title.Name, p.Title.Status)
			}
			tabs = append(tabs, t)
		}
		if s.activity.H == 0 {
			tabs = append(tabs, s.boxTabs(level)...)
		}
		used := 0
		for _, t := range tabs {
			used += text.Width(t.text) + 2
		}
		if used <= s.w {
			break
		}
	}
	return tabs
}

// boxTabs are the entries of what has no session, where it has no place of its own.
func (s *screen) boxTabs(level int) []tab {
	c := &s.view.Check
	state := []string{" " + c.State, "", ""}[level]
	if level > 0 && c.Tone == style.Bad {
		state = " !"
	}
	return []tab{
		{numberActivity, fmt.Sprintf("%d %s", numberActivity,
			[]string{"activity", "activity", "log"}[level]), style.Plain},
		{numberCheck, strings.TrimSpace(fmt.Sprintf("%d check%s", numberCheck, state)), c.Tone},
	}
}

// tabAt returns the number of the tab at column x; 0: there is none.
func (s *screen) tabAt(x int) int {
	at := 0
	for _, t := range s.tabs() {
		next := at + text.Width(t.text) + 2
		if x >= at && x < next {
			return t.number
		}
		at = next
	}
	return 0
}

// between stands between the names of the panes that another one hides.
const between = " · "

// behind returns the panes that share the place of p, where no tab line names them.
func (s *screen) behind(p *view.Pane) (tabs []tab) {
	if s.shape != wide || s.zoomed {
		return nil
	}
	for i := range s.view.Panes {
		o := &s.view.Panes[i]
		if o.Left == p.Left && o.Slot != p.Slot {
			tabs = append(tabs, tabOf(o, o.Title.Name))
		}
	}
	return tabs
}

// behindAt returns the number of the pane that is named at a cell of a lower border; 0:
// none is.
func (s *screen) behindAt(x, y int) int {
	for _, part := range s.parts() {
		if part.pane == nil || !part.rect.Contains(x, y) || y != part.rect.Y+part.rect.H-1 {
			continue
		}
		tabs := s.behind(part.pane)
		at := part.rect.X + part.rect.W - style.EdgePadding
		for i := len(tabs) - 1; i >= 0; i-- {
			at -= text.Width(tabs[i].text)
			if x >= at && x < at+text.Width(tabs[i].text) {
				return tabs[i].number
			}
			at -= text.Width(between)
		}
	}
	return 0
}
