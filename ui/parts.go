package ui

import (
	"fmt"
	"slices"
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
		return append(s.wideParts(), part{numberActivity, s.activity, nil}, part{numberCheck, s.check, nil})
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

// wideParts returns what is drawn over activity and check on a wide screen.
func (s *screen) wideParts() []part {
	panes := s.drawnPanes()
	parts := make([]part, 0, 4)
	if len(panes) == 0 {
		parts = append(parts, part{0, s.left, nil})
	}
	for i, p := range panes {
		parts = append(parts, part{p.Title.Number, []style.Rect{s.left, s.right}[i], p})
	}
	if s.hasSide() {
		parts = append(parts, part{numberSide, s.right, nil})
	}
	return parts
}

// hasSide reports whether something stands beside the only pane.
func (s *screen) hasSide() bool {
	if s.shape != wide || s.w < sideColumns || s.side.choice == sideNothing || len(s.drawnPanes()) > 1 {
		return false
	}
	return s.side.showsDiff(s.view) || textOfTask(s.view) != ""
}

// drawnPanes returns the panes that share a wide screen: one of each side while both
// sides are working or selected, else the one that is. Every other pane is folded to a
// line.
func (s *screen) drawnPanes() []*view.Pane {
	if s.shape != wide {
		if p := s.shown(everyPane); p != nil {
			return []*view.Pane{p}
		}
		return nil
	}
	left, right := s.shown(isLeft), s.shown(isRight)
	switch open := s.isOpen; {
	case open(left) && open(right):
		return []*view.Pane{left, right}
	case open(left):
		return []*view.Pane{left}
	case open(right):
		return []*view.Pane{right}
	}
	if p := s.newest(everyPane); p != nil {
		return []*view.Pane{p}
	}
	return nil
}

// isOpen reports whether a pane is to be drawn.
func (s *screen) isOpen(p *view.Pane) bool {
	return p != nil && (p.Living || p.Title.Number == s.chosen)
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
	if s.list.Contains(x, y) {
		return numberTasks
	}
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

// tabbed returns the panes that the tab line names: where panes stand beside each other,
// the folded ones.
func (s *screen) tabbed() (all []*view.Pane) {
	drawn := s.drawnPanes()
	for i := range s.view.Panes {
		if p := &s.view.Panes[i]; s.shape != wide || !slices.Contains(drawn, p) {
			all = append(all, p)
		}
	}
	return all
}

// tabs names everything there is to look at besides, in as many words as fit.
func (s *screen) tabs() (tabs []tab) {
	drawn := s.shown(everyPane)
	for level := range 3 {
		tabs = nil
		for _, p := range s.tabbed() {
			t := tabOf(p, []string{p.Title.Name, p.Title.Name, p.Title.Short}[level])
			if level == 0 && p == drawn { // its status is in its border
				t.text = fmt.Sprintf("%d %s", p.Title.Number, p.Title.Name)
			} else if level == 0 {
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
		if used <= s.tabLine.W {
			break
		}
	}
	return tabs
}

// boxTabs returns the entries of what has no session, where it has no place of its own.
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
	at := s.tabLine.X
	for _, t := range s.tabs() {
		next := at + text.Width(t.text) + 2
		if x >= at && x < next {
			return t.number
		}
		at = next
	}
	return 0
}
