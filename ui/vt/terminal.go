package vt

// Terminal is the emulator. It is not safe for concurrent use; see [Locked].
type Terminal struct{ columns, rows int }

// New makes a terminal that keeps scrollback lines that left the top.
func New(columns, rows, scrollback int) *Terminal { return &Terminal{columns: columns, rows: rows} }

// Write takes what the program printed. It never fails.
func (t *Terminal) Write(p []byte) (int, error) { return len(p), nil }

// Size is the number of columns and rows.
func (t *Terminal) Size() (columns, rows int) { return t.columns, t.rows }

// Resize changes the size and keeps what is shown.
func (t *Terminal) Resize(columns, rows int) { t.columns, t.rows = columns, rows }

// Snapshot returns bytes that bring a fresh terminal of this size to the same
// screen, modes and cursor.
func (t *Terminal) Snapshot() []byte { return nil }

// Row is row y as text with SGR sequences. It ends in a reset, and default
// blanks at its end are left off.
func (t *Terminal) Row(y int) string { return "" }

// Gen moves when anything visible changed.
func (t *Terminal) Gen() uint64 { return 0 }

// RowGen moves when row y changed.
func (t *Terminal) RowGen(y int) uint64 { return 0 }

// Cursor is the cursor as shown.
func (t *Terminal) Cursor() Cursor { return Cursor{} }

// Modes are the modes the program set.
func (t *Terminal) Modes() Modes { return Modes{} }

// Title is what the program named its window.
func (t *Terminal) Title() string { return "" }

// Directory is the program's working directory as it told by OSC 7.
func (t *Terminal) Directory() string { return "" }

// Clipboard is what the program last asked to put on the clipboard.
func (t *Terminal) Clipboard() string { return "" }

// Bells counts the bells rung.
func (t *Terminal) Bells() int { return 0 }

// Replies returns, once, what must be sent to the program.
func (t *Terminal) Replies() []byte { return nil }

// Scrollback is the number of lines above the screen.
func (t *Terminal) Scrollback() int { return 0 }

// Line is line n of the scrollback, 0 the oldest, as [Terminal.Row].
func (t *Terminal) Line(n int) string { return "" }

// Cell is the text and style at x, y; the right half of a wide cell has no text.
func (t *Terminal) Cell(x, y int) (string, Style) { return " ", Style{} }

// Link is the target of a style's hyperlink.
func (t *Terminal) Link(s Style) string { return "" }

// EncodeKey is a key as the program wants it.
func (t *Terminal) EncodeKey(k Key) []byte { return nil }

// EncodeMouse is a mouse event as the program wants it; nil when it does not.
func (t *Terminal) EncodeMouse(m Mouse) []byte { return nil }

// EncodePaste is pasted text as the program wants it.
func (t *Terminal) EncodePaste(text string) []byte { return nil }

// EncodeFocus tells the program that it got or lost the focus, if it asked.
func (t *Terminal) EncodeFocus(focused bool) []byte { return nil }
