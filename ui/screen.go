package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/pane"
	"ferrus/ui/style"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// The numbers of what has no session.
const (
	numberActivity = 5
	numberCheck    = 6
	numberSide     = 9
)

// screen is what the human did to the panes and boxes: which of them has the keys, and
// what of each is shown. It follows every View, and changes none. It has
// more than 12 fields because focus, zoom, copy mode, scrolling and the mouse are all
// about the same panes.
type screen struct {
	layout
	view    *view.View
	split   view.Split
	focus   int    // the number of what has the keys; 0 is the prompt
	chosen  int    // the number that was focused last: zoomed, scrolled and shown; 0: the screen chooses
	among   string // the newest session when it was chosen
	zoomed  bool
	panes   map[string]*pane.Pane // by slot
	copying pane.CopyMode
	boxes   struct {
		entry int         // of the activity, back from the newest: what Enter opens
		back  map[int]int // lines scrolled back, by number
	}
	side      side
	tasks     taskList
	sentSizes map[string][2]int // columns and rows by slot, as sent last
	drawnGen  uint64            // of the pane with the keys, when it was drawn last
	drag      borderDrag
	offers    struct { // of text for the clipboard
		seen map[*vt.Locked]int
		text string // the last one
	}
}

// borderDrag is a border that the mouse holds.
type borderDrag struct {
	held          bool
	columns, rows bool // which of the two borders
	moved         bool
	at            tea.Mouse // where it was taken
}

func newScreen(v *view.View, s view.Split) screen {
	n := screen{view: v, split: s, panes: map[string]*pane.Pane{}, sentSizes: map[string][2]int{}}
	n.boxes.back = map[int]int{}
	return n
}

// resize fits the screen into a terminal.
func (s *screen) resize(w, h int) {
	s.layout = arrange(w, h, s.split, division{list: s.listColumns(w, h)}) // its size decides what it is divided into
	s.arrange()
}

// arrange divides the screen anew, after a change of what is drawn.
func (s *screen) arrange() {
	d := division{columns: len(s.drawnPanes()) > 1 || s.hasSide(), list: s.listColumns(s.w, s.h),
		strip: len(s.view.Merges) > 0}
	d.folded = len(s.drawnPanes()) < len(s.view.Panes)
	s.layout = arrange(s.w, s.h, s.split, d)
}

// see follows a new View: what is gone has no keys any more, what is read stays in
// place, and a newer session may be shown.
func (s *screen) see() {
	for i := range s.view.Panes {
		p := &s.view.Panes[i]
		s.of(p).Terminal = p.Terminal
	}
	s.tasks.follow(s.view.Tasks)
	if s.focus != 0 && s.nameOf(s.focus) == "" {
		s.focus = 0
	}
	if s.copying.Number != 0 && !s.copying.Valid() {
		s.copying = pane.CopyMode{}
	}
	s.unpin()
	for i := range s.view.Panes {
		p := &s.view.Panes[i]
		s.of(p).Follow(s.reads(p))
	}
	s.arrange()
}

// reads reports whether the human reads a pane with the keys of copy mode.
func (s *screen) reads(p *view.Pane) bool {
	return s.copying.Active() && s.copying.Number == p.Title.Number
}

// of returns what the human did to a pane.
func (s *screen) of(p *view.Pane) *pane.Pane {
	own := s.panes[p.Slot]
	if own == nil {
		own = &pane.Pane{}
		s.panes[p.Slot] = own
	}
	return own
}

// unpin forgets a choice when a session newer than those it was made among starts,
// unless the chosen pane has the keys.
func (s *screen) unpin() {
	if s.chosen == 0 || s.focus != 0 || s.zoomed {
		return
	}
	if p := s.newest(everyPane); p != nil && p.Living && s.among != p.SessionID() {
		s.chosen = 0
	}
}

func everyPane(*view.Pane) bool { return true }

// newest returns the pane to show if none was selected: a running one, else the last
// one that ran.
func (s *screen) newest(among func(*view.Pane) bool) (best *view.Pane) {
	for i := range s.view.Panes {
		p := &s.view.Panes[i]
		switch {
		case !among(p):
		case best == nil, p.Living && !best.Living, p.Living == best.Living && p.Born > best.Born:
			best = p
		}
	}
	return best
}

// pane returns the pane with a number; nil: there is none.
func (s *screen) pane(n int) *view.Pane {
	for i := range s.view.Panes {
		if s.view.Panes[i].Title.Number == n {
			return &s.view.Panes[i]
		}
	}
	return nil
}

// nameOf returns the name of what a number means; empty: nothing.
func (s *screen) nameOf(n int) string {
	switch p := s.pane(n); {
	case p != nil:
		return p.Title.Name
	case n == numberActivity:
		return "activity"
	case n == numberCheck:
		return "check"
	case n == numberTasks && s.listColumns(s.w, s.h) > 0: // also before the screen is divided anew
		return "tasks"
	case n == numberSide && s.hasSide():
		return s.side.name(s.view)
	}
	return ""
}

// shown returns the pane in one place: the chosen one if it belongs there.
func (s *screen) shown(among func(*view.Pane) bool) *view.Pane {
	if p := s.pane(s.chosen); p != nil && among(p) {
		return p
	}
	return s.newest(among)
}

// current returns the number that zooming and scrolling mean.
func (s *screen) current() int {
	if s.chosen != 0 {
		return s.chosen
	}
	if p := s.newest(everyPane); p != nil {
		return p.Title.Number
	}
	return numberActivity
}

// typable returns the pane with the keys if its agent can be typed to; nil: it cannot.
func (s *screen) typable() *view.Pane {
	if p := s.pane(s.focus); p != nil && p.Interactive && p.Living && p.Terminal != nil {
		return p
	}
	return nil
}

// choose gives the keys to a number.
func (s *screen) choose(n int) {
	s.chosen, s.focus = n, n
	if p := s.newest(everyPane); p != nil {
		s.among = p.SessionID()
	}
	s.arrange()
}

// fold gives up what was chosen: a pane that has ended goes back to its line.
func (s *screen) fold() {
	s.chosen, s.focus, s.zoomed = 0, 0, false
	s.arrange()
}

// place returns where a number is drawn.
func (s *screen) place(n int) style.Rect {
	for _, p := range s.parts() {
		if p.number == n {
			return p.rect
		}
	}
	return s.left
}

// room returns the place of a slot's pane: where it is drawn, or else where it will be
// once a session starts.
func (s *screen) room(slot string, left bool) style.Rect {
	other := false
	for _, p := range s.parts() {
		if p.pane == nil {
			continue
		}
		if p.pane.Slot == slot {
			return p.rect
		}
		other = other || p.pane.Living && p.pane.Left != left
	}
	l := arrange(s.w, s.h, s.split, division{columns: other || s.hasSide(), folded: s.tabLine.H > 0, list: s.list.W})
	if other && !left {
		return l.right
	}
	return l.left
}

// inside returns the inside of where a number is drawn.
func (s *screen) inside(n int) style.Rect { return s.place(n).Inner() }

// back returns how far a number is scrolled back.
func (s *screen) back(n int) int {
	if p := s.pane(n); p != nil {
		return s.of(p).Back
	}
	return s.boxes.back[n]
}

// scrollTo shows what is so many lines above the newest of a number.
func (s *screen) scrollTo(n, back int) {
	if p := s.pane(n); p != nil {
		s.of(p).ScrollTo(back)
		return
	}
	if n == numberSide {
		s.side.scroll(s.view, s.boxes.back[n]-back)
		return
	}
	most := 0
	switch n {
	case numberActivity:
		most = len(s.view.Activity)
	case numberCheck:
		most = len(s.view.Check.Rows) + len(s.view.Check.Lines)
	}
	s.boxes.back[n] = max(min(back, most-s.inside(n).H), 0)
}

// scrollBy scrolls a number up by lines.
func (s *screen) scrollBy(n, lines int) { s.scrollTo(n, s.back(n)+lines) }

// scrollPage scrolls what was chosen by a screen, up where it is positive.
func (s *screen) scrollPage(by int) {
	n := s.current()
	s.scrollBy(n, by*max(s.inside(n).H-1, 1))
}

// viewPage returns by how many lines a key that turns pages scrolls what has the keys.
func (s *screen) viewPage() int {
	if s.focus == numberActivity {
		return max(s.inside(numberActivity).H, 1)
	}
	return max(s.left.Inner().H-1, 1)
}

// chooseEntry chooses another entry of the activity, back by some.
func (s *screen) chooseEntry(by int) {
	b := &s.boxes
	b.entry = max(min(b.entry+by, len(s.view.Activity)-1), 0)
	h := max(s.inside(numberActivity).H, 1)
	s.scrollTo(numberActivity, max(min(b.back[numberActivity], b.entry), b.entry-h+1))
}

// read begins copy mode in what was chosen, and reports whether there is something to
// read.
func (s *screen) read() bool {
	n := s.current()
	p := s.pane(n)
	if p == nil || p.Terminal == nil {
		return false
	}
	s.copying.Enter(s.of(p), n)
	s.chosen = n
	return true
}

// click begins to select with the mouse in what has a number.
func (s *screen) click(at tea.Mouse, n int, now time.Time) {
	var own *pane.Pane
	if p := s.pane(n); p != nil {
		own = s.of(p)
	}
	s.copying.Click(own, n, at, s.inside(n), now)
}

// newOffer returns the number of a pane whose agent has asked to put text on the
// clipboard since the last call; 0: none has.
func (s *screen) newOffer() (from int) {
	seen := map[*vt.Locked]int{}
	for i := range s.view.Panes {
		p := &s.view.Panes[i]
		if p.Terminal == nil {
			continue
		}
		seen[p.Terminal] = s.of(p).Offers()
		if seen[p.Terminal] > s.offers.seen[p.Terminal] {
			from, s.offers.text = p.Title.Number, s.of(p).Offered()
		}
	}
	s.offers.seen = seen // without the terminals that are gone
	return from
}
