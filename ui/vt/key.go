package vt

// Mod is a set of modifiers, with the bits of the kitty protocol.
type Mod uint8

// The modifiers.
const (
	Shift Mod = 1 << iota
	Alt
	Ctrl
	Super
	Hyper
	Meta
	CapsLock
	NumLock
)

// KeyEvent is what happened to a key.
type KeyEvent uint8

// The events of a key. The zero value is a press.
const (
	KeyPress KeyEvent = iota
	KeyRepeat
	KeyRelease
)

// Key is one event of the keyboard.
type Key struct {
	Code    rune   // the key without modifiers: 'a', or one of the constants
	Text    string // what it types, if anything: "A"
	Mod     Mod
	Shifted rune // what Code is with Shift, if known
	Base    rune // what Code is on a US keyboard, if known
	Event   KeyEvent
}

// The keys that are named by what they type in every encoding.
const (
	KeyTab       rune = 9
	KeyEnter     rune = 13
	KeyEscape    rune = 27
	KeySpace     rune = 32
	KeyBackspace rune = 127
)

// The keys that type nothing. The values are beyond Unicode.
const (
	KeyUp rune = 0x110000 + iota
	KeyDown
	KeyRight
	KeyLeft
	KeyBegin
	KeyEnd
	KeyHome
	KeyInsert
	KeyDelete
	KeyPageUp
	KeyPageDown
	KeyF1
	KeyF2
	KeyF3
	KeyF4
	KeyF5
	KeyF6
	KeyF7
	KeyF8
	KeyF9
	KeyF10
	KeyF11
	KeyF12
	KeyF13
	KeyF14
	KeyF15
	KeyF16
	KeyF17
	KeyF18
	KeyF19
	KeyF20
	KeyF21
	KeyF22
	KeyF23
	KeyF24
	KeyKP0
	KeyKP1
	KeyKP2
	KeyKP3
	KeyKP4
	KeyKP5
	KeyKP6
	KeyKP7
	KeyKP8
	KeyKP9
	KeyKPDecimal
	KeyKPDivide
	KeyKPMultiply
	KeyKPSubtract
	KeyKPAdd
	KeyKPEnter
	KeyKPEqual
	KeyKPSeparator
	KeyCapsLock
	KeyScrollLock
	KeyNumLock
	KeyPrintScreen
	KeyPause
	KeyMenu
	keyEnd // one past the last
)
