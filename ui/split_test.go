package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// divided keeps the place of the border between the panes.
func divided(left int) intent.Intent {
	return intent.SaveLayout{Layout: view.SavedLayout{Split: view.Split{Left: left}}}
}

// talking is work in which the supervisor runs, too.
func talking() view.View {
	v := work()
	v.Panes[0].Living, v.Panes[0].Title.Tone, v.Panes[0].Title.Status = true, style.Busy, "running 00:10"
	return v
}

func TestBordersMoveByKeys(t *testing.T) {
	b := openAt(t, talking(), 120, 40)
	b.press("ctrl+o", ">", ">", ">")
	b.wanted(divided(517), divided(533), divided(550))
	if l := b.m.screen.layout; l.left.W != 66 || l.right.X != 66 || l.right.W != 54 || l.activity.W != 66 {
		t.Errorf("the panes are %v and %v, the activity %v", l.left, l.right, l.activity)
	}
	b.shows("< left   > right   + up   - down   = reset")
	b.press("x", "<")
	b.shows("> executor  x<")
	b.wanted()
	b.press("ctrl+u", "ctrl+o", "+")
	if got := b.m.screen.activity.H; got != 10 {
		t.Errorf("the activity has %d rows", got)
	}
	b.press("=")
	if got := b.m.screen.layout; got != arrange(120, 40, view.Split{}, division{columns: true}) {
		t.Errorf("it is not as at first: %+v", got)
	}
}

func TestBordersKeepTheirLimitsAndShares(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it walks through many states")
	}
	b := openAt(t, talking(), 120, 40)
	b.press("ctrl+o")
	for range 60 {
		b.press("<", "+")
	}
	if l := b.m.screen.layout; l.left.W != minColumns || l.left.H != minPanes {
		t.Errorf("the left pane is %+v", l.left)
	}
	b.frame()
	b.send(tea.WindowSizeMsg{Width: 200, Height: 60})
	if l := b.m.screen.layout; l.left.W != 50 || l.activity.H < 40 {
		t.Errorf("the left pane is %+v", l.left)
	}
	for w := 60; w < 210; w += 7 {
		for h := 20; h < 70; h += 3 {
			b.send(tea.WindowSizeMsg{Width: w, Height: h})
			b.frame()
		}
	}
	b = openAt(t, work(), 60, 20)
	b.press("ctrl+o", ">")
	b.shows("The terminal is too small to resize panes")
}

func TestBordersAreDragged(t *testing.T) {
	at := func(x, y int) tea.Mouse { return tea.Mouse{X: x, Y: y, Button: tea.MouseLeft} }
	b := openAt(t, talking(), 120, 40)
	b.send(tea.MouseClickMsg(at(59, 10)), tea.MouseMotionMsg(at(70, 12)), tea.MouseMotionMsg(at(72, 12)))
	b.wanted() // no agent gets a size before the button is released
	b.send(tea.MouseReleaseMsg(at(72, 12)))
	b.wanted(divided(600))
	below := b.m.screen.activity
	b.send(tea.MouseClickMsg(at(5, below.Y)), tea.MouseMotionMsg(at(5, below.Y-3)),
		tea.MouseReleaseMsg(at(5, below.Y-3)))
	if got := b.m.screen.activity; got.Y != below.Y-3 || got.H != below.H+3 {
		t.Errorf("the activity went from %+v to %+v", below, got)
	}
	b.wants = nil
	y := b.m.screen.activity.Y
	b.send(tea.MouseClickMsg(at(5, y)), tea.MouseReleaseMsg(at(5, y)))
	b.wanted()
	b.shows("▸activity")
}
