package vt

// Modes are the settings of a program that others act upon.
type Modes struct {
	AltScreen       bool // the alternate screen is shown: no scrollback
	BracketedPaste  bool
	FocusEvents     bool
	AppCursor       bool // arrows are SS3
	AppKeypad       bool
	AlternateScroll bool // the wheel is arrows on the alternate screen
	Mouse           MouseMode
	MouseEncoding   MouseEncoding
	Kitty           KittyFlags
	ModifyOtherKeys int // 0, 1 or 2
	Synchronized    bool
}

// MouseMode is what the program wants to know of the mouse.
type MouseMode uint8

// The mouse modes, each more than the previous one.
const (
	MouseOff    MouseMode = iota
	MousePress            // 9: presses, without modifiers
	MouseClick            // 1000: presses and releases
	MouseDrag             // 1002: and motion while a button is down
	MouseMotion           // 1003: and any motion
)

// MouseEncoding is how a mouse event is written.
type MouseEncoding uint8

// The mouse encodings.
const (
	MouseBytes MouseEncoding = iota
	MouseUTF8                // 1005
	MouseSGR                 // 1006
	MouseURXVT               // 1015
)

// KittyFlags is the progressive enhancement of the kitty keyboard protocol.
type KittyFlags uint8

// The flags of the kitty keyboard protocol.
const (
	KittyDisambiguate KittyFlags = 1 << iota
	KittyEvents
	KittyAlternates
	KittyAllKeys
	KittyText
)

// Cursor is where the program's cursor is and how it looks.
type Cursor struct {
	X, Y    int
	Visible bool
	Shape   CursorShape
	Blink   bool
}

// CursorShape is the form of the cursor.
type CursorShape uint8

// The cursor shapes.
const (
	CursorBlock CursorShape = iota
	CursorUnderline
	CursorBar
)
