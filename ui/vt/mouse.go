package vt

// Mouse is one event of the mouse over the terminal's cells.
type Mouse struct {
	X, Y   int // from 0
	Button Button
	Action MouseAction
	Mod    Mod
}

// Button is a mouse button or a turn of the wheel.
type Button uint8

// The buttons. NoButton goes with motion.
const (
	NoButton Button = iota
	LeftButton
	MiddleButton
	RightButton
	WheelUp
	WheelDown
	WheelLeft
	WheelRight
	BackButton
	ForwardButton
)

// MouseAction is what happened to the button.
type MouseAction uint8

// The actions of the mouse. The zero value is a press.
const (
	MousePressed MouseAction = iota
	MouseReleased
	MouseMoved
)
