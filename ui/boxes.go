package ui

import (
	"fmt"
	"slices"

	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// border returns the look of the border around a number, and the mark in it.
func (f frame) border(n int) (style.Paint, string) {
	border, mark := f.t.Border, " "
	if f.screen.focus == n {
		border = f.t.Focused
	}
	if f.screen.focus == n || f.screen.chosen == n {
		mark = "▸"
	}
	return border, mark
}

// titleLook returns the look of the title of a number: what has the keys stands out,
// and no other title does.
func (f frame) titleLook(n int) style.Paint {
	if f.screen.focus == n {
		return f.t.Focused
	}
	return ""
}

// paneBox draws one pane.
func (f frame) paneBox(r style.Rect, p *view.Pane) []string {
	t, inner := f.t, r.Inner()
	border, mark := f.border(p.Title.Number)
	own := f.screen.of(p)
	own.Follow(f.screen.reads(p))
	if p.Terminal != nil && p.Title.Number == f.screen.focus {
		f.screen.drawnGen = p.Terminal.Gen()
	}
	body := own.Draw(t, inner.W, inner.H, &f.screen.copying)
	if p.Terminal == nil {
		body = style.Note(inner.W, inner.H, "Nothing printed yet", t.Faint)
	}
	state := f.paneState(p, own.Back)
	top := style.Edge{Left: f.paneTitle(p, mark, r.W-2-state.Width()-style.EdgePadding), Right: state}
	return t.Box(r, border, top, f.paneFooter(p), body)
}

// paneTitle returns the title in at most w cells: the agent's name makes room for the
// rest.
func (f frame) paneTitle(p *view.Pane, mark string, w int) style.Spans {
	t := f.t
	name := fmt.Sprintf("%d %s", p.Title.Number, p.Title.Name)
	title := style.Spans{{mark, t.Focused}, {name, f.titleLook(p.Title.Number)}}
	var bypass style.Spans
	if p.Title.Bypass {
		bypass = style.Spans{{"  bypass", t.Tones[style.Bad]}}
	}
	if room := w - 3 - title.Width() - bypass.Width(); p.Title.Agent != "" && room >= minName {
		title = append(title, style.Span{"  " + text.Cut(p.Title.Agent, room), t.Faint})
	}
	return append(title, bypass...)
}

// minName is the least of an agent's name that is worth showing, in cells.
const minName = 5

func (f frame) paneState(p *view.Pane, back int) style.Spans {
	state := style.Spans{{p.Title.Status, f.t.Tones[p.Title.Tone]}}
	if back > 0 {
		state = append(style.Spans{{fmt.Sprintf("%d back  ", back), f.t.Tones[style.Warn]}}, state...)
	}
	return state
}

// paneFooter shows what the human wrote to the session, else how the last session ended.
func (f frame) paneFooter(p *view.Pane) (e style.Edge) {
	switch {
	case p.Message != "":
		e.Left = style.Spans{{" " + p.Message, f.t.Focused}}
	case p.Footer != "":
		e.Left = style.Spans{{" " + p.Footer, f.t.Faint}}
	}
	return e
}

// emptyPane is drawn where no session has been yet.
func (f frame) emptyPane(r style.Rect) []string {
	inner := r.Inner()
	top := style.Edge{Left: style.Spans{{" sessions", f.t.Faint}}}
	var body []string
	switch {
	case slices.ContainsFunc(f.view.Inbox, func(i view.InboxItem) bool { return i.Kind == view.KindTrust }):
		const words = "No session yet. Sessions start once you trust ferrus.toml's commands: /trust"
		body = style.Note(inner.W, inner.H, words, "")
	case f.view.Disabled["task"] != "":
		body = style.Note(inner.W, inner.H, "No session yet", f.t.Faint)
	default:
		body = style.Facts(inner.W, inner.H, firstSteps, f.t.Faint)
	}
	return f.t.Box(r, f.t.Border, top, style.Edge{}, body)
}

// firstSteps are what can be typed where nothing has begun.
var firstSteps = [][2]string{
	{"/task <what to do>", "start a task"},
	{"/plan", "plan it with a supervisor first"},
	{"/spec", "write a spec together"},
	{"?", "all commands and keys"},
}

// activityBox shows the end of the journal.
func (f frame) activityBox(r style.Rect) []string {
	t, inner, all := f.t, r.Inner(), f.view.Activity
	border, mark := f.border(numberActivity)
	back := f.screen.back(numberActivity)
	end := max(len(all)-back, 0)
	begin := max(end-inner.H, 0)
	var body []string
	for i, e := range all[begin:end] {
		chosen := f.screen.focus == numberActivity && begin+i == len(all)-1-f.screen.boxes.entry
		body = append(body, pager.EntryRow(t, e, inner.W, chosen))
	}
	if len(body) == 0 {
		body = style.Note(inner.W, inner.H, "The journal has no entries", t.Faint)
	}
	top := style.Edge{Left: style.Spans{{mark, t.Focused}, {"activity", f.titleLook(numberActivity)}}}
	if back > 0 {
		top.Right = style.Spans{{fmt.Sprintf("%d back", back), t.Tones[style.Warn]}}
	}
	return t.Box(r, border, top, style.Edge{}, body)
}

// checkBox shows the newest gate: its commands, then its newest output.
func (f frame) checkBox(r style.Rect) []string {
	t, inner, c := f.t, r.Inner(), &f.view.Check
	border, mark := f.border(numberCheck)
	back := f.screen.back(numberCheck)
	body := pager.CheckRows(t, c, inner.W)
	if over := len(body) - inner.H; over > 0 && back == 0 {
		body = pager.CheckRowsFitting(t, c, inner.W, inner.H)
	} else if over > 0 {
		top := max(over-back, 0)
		body = body[top : top+inner.H]
	}
	if len(body) == 0 {
		note := "No check yet"
		if f.view.Disabled["check"] == "" {
			note += ". /check runs the gate"
		}
		body = style.Note(inner.W, inner.H, note, t.Faint)
	}
	return t.Box(r, border, pager.CheckTitle(t, c, mark), style.Edge{}, body)
}
