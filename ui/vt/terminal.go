package vt

import "time"

// maxSize bounds columns and rows: what a sequence may cost depends on them.
const maxSize = 1000

// Terminal is the emulator: the screens and what writes on them, and what it takes to
// understand a program and to answer it. It is not safe for concurrent use; see [Locked].
type Terminal struct {
	Colors Colors // what the program gets when it asks

	writer
	modes    Modes
	parse    parser
	sync     syncOutput
	reported reported
}

// grid holds the two screens, the lines that left them, and what their cells refer to. It
// moves and erases rows and cells, and knows nothing of characters.
type grid struct {
	columns, height int
	*screen         // the one in use, of screens
	screens         [2]screen
	top, bottom     int // the scroll region, both included
	history         history
	tables          styleTable
	erased          cell // what erasing leaves: a blank in the background of the pen
	gen             uint64
}

// writer is the cursor on a grid: where the next character goes, how it is drawn, and what
// moves it there.
type writer struct {
	grid
	pen       pen
	registers registers
	private   private
	tabs      []bool
}

// pen is how the next character is written.
type pen struct {
	style    Style
	number   uint32 // of style
	charsets charsets
	last     rune // what REP repeats, or 0
	joinable bool // the last thing was a character, so the next may join it
}

// private are the settings that only the emulator needs.
type private struct {
	insert, newLine, origin, noWrap bool
	hidden, steady                  bool // of the cursor
	shape                           CursorShape
}

// reported is what the program said about itself, and what it is to be answered.
type reported struct {
	title, directory, clipboard string
	offers                      int
	replies                     []byte
}

// New returns a terminal that keeps up to scrollback lines that left the top.
func New(columns, rows, scrollback int) *Terminal {
	t := &Terminal{Colors: darkColors}
	t.tables = newStyleTable()
	t.history.limit = max(scrollback, 0)
	t.sync.now = time.Now
	t.tables.sweep = t.sweep
	t.columns, t.height = clamp(columns, 1, maxSize), clamp(rows, 1, maxSize)
	t.reset()
	return t
}

// reset returns to the state of a new terminal; what was reported and the scrollback stay.
func (t *Terminal) reset() {
	for i := range t.screens {
		t.screens[i] = newScreen(t.columns, t.height)
		for _, r := range t.screens[i].rows {
			t.touch(r)
		}
	}
	t.screen = &t.screens[0]
	t.top, t.bottom = 0, t.height-1
	t.modes = Modes{AlternateScroll: true}
	t.private = private{}
	t.registers = registers{saved: saved{charsets: asciiSets}}
	t.pen, t.erased = pen{charsets: asciiSets}, blank
	t.sync.rows = nil
	t.resetTabs()
	t.move(t.screen)
}

// Size returns the number of columns and rows.
func (t *Terminal) Size() (columns, rows int) { return t.columns, t.height }

// Modes returns the modes that the program set.
func (t *Terminal) Modes() Modes {
	m := t.modes
	m.Kitty = t.keyboard.flags
	return m
}

// Title returns what the program named its window, without control characters.
func (t *Terminal) Title() string { return t.reported.title }

// Directory returns the program's working directory as it reported by OSC 7, a URL.
func (t *Terminal) Directory() string { return t.reported.directory }

// Clipboard returns what the program last asked to put on the clipboard. It is kept
// for the user to accept; the program never gets to read it back.
func (t *Terminal) Clipboard() string { return t.reported.clipboard }

// Offers returns how often the program asked to put something on the clipboard.
func (t *Terminal) Offers() int { return t.reported.offers }

// Replies returns, once, what must be sent to the program: answers to its
// questions. Call it after each Write.
func (t *Terminal) Replies() []byte {
	b := t.reported.replies
	t.reported.replies = nil
	return b
}

// Scrollback returns the number of lines above the screen.
func (t *Terminal) Scrollback() int { return t.history.count }

// Link returns the target of a style's hyperlink.
func (t *Terminal) Link(s Style) string { return t.tables.links.values[s.Link] }

func clamp(v, low, high int) int { return max(low, min(v, high)) }
