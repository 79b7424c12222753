package pager

import (
	"fmt"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// The columns of the journal: an event has the longest common name's room where
// there is some, and a move has its own column where there is much.
const (
	eventRoom, shortEventRoom = len("wait_for_consult"), len("check FAIL ")
	transitionRoom            = len("Consultation -> AwaitingHuman")
	minWhy                    = 8 // a reason that is cut shorter says nothing
)

// entry is one line of the journal in w cells. The reason goes first when it is
// narrow, then where the move came from, then who did it.
func EntryRow(t *style.Theme, e view.Entry, w int, chosen bool) string {
	at := " " + e.At + " "
	return style.Spans{{at, t.Faint}}.Render() + entryBody(t, e, w-text.Width(at), chosen)
}

// entryOf is an entry without its time.
func entryBody(t *style.Theme, e view.Entry, w int, chosen bool) string {
	room, event := shortEventRoom, t.Tones[e.Tone]
	if chosen {
		event = t.Chosen
	}
	if w >= 49 {
		room = eventRoom
	}
	left := style.Spans{{text.Fit(e.Event, room), event}, {"  ", ""}}
	right := style.Spans{{"  " + e.By + " ", t.Faint}}
	move := transition(t, e)
	if left.Width()+move.Width()+right.Width() > w && e.From.Text != "" && e.To.Text != "" {
		move = move[1:]
	}
	column := move.Width()
	if w >= 83 {
		column = transitionRoom
	}
	rest := w - left.Width() - column - right.Width()
	left = append(left, move...)
	if rest < 0 {
		return style.Row(w, left, nil)
	}
	left = append(left, style.Span{text.Blanks(column - move.Width()), ""})
	if column > 0 {
		gap := min(2, rest)
		left, rest = append(left, style.Span{text.Blanks(gap), ""}), rest-gap
	}
	if text.Width(e.Why) <= rest || rest >= minWhy {
		left = append(left, style.Span{e.Why, t.Faint})
	}
	return style.Row(w, left, right)
}

// move is the change of state that an entry made, if it made one, or that it was
// refused.
func transition(t *style.Theme, e view.Entry) style.Spans {
	if e.Refused != 0 {
		return style.Spans{{"refused", t.Tones[style.Bad]}}
	}
	if e.To.Text == "" {
		return nil
	}
	to := style.Spans{{"-> ", t.Faint}, {e.To.Text, t.Tones[e.To.Tone]}}
	if e.From.Text == "" {
		return to
	}
	return append(style.Spans{{e.From.Text + " ", t.Faint}}, to...)
}

// moment is one entry of the timeline.
func timelineRow(t *style.Theme, e *view.Entry, w int, chosen bool) string {
	mark, dot := " ", "●"
	if chosen {
		mark = "▸"
	}
	if e.To.Text == "" {
		dot = "·"
	}
	look := t.Tones[e.Tone]
	if e.To.Text != "" {
		look = t.Tones[e.To.Tone]
	}
	left := style.Spans{{mark, t.Focused}, {e.Clock, t.Faint}}
	if w >= 76 {
		left = append(left, style.Span{fmt.Sprintf(" %7s", e.After), t.Faint})
	}
	left = append(left, style.Span{" " + dot + " ", look})
	used := left.Width()
	return left.Render() + entryBody(t, *e, w-used, chosen)
}
