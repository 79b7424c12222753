package pane

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/vt"
)

// special are the keys that type nothing, as the emulator names them.
var special = map[rune]rune{
	tea.KeyUp: vt.KeyUp, tea.KeyDown: vt.KeyDown, tea.KeyRight: vt.KeyRight, tea.KeyLeft: vt.KeyLeft,
	tea.KeyBegin: vt.KeyBegin,
	tea.KeyFind:  vt.KeyHome, tea.KeySelect: vt.KeyEnd, tea.KeyInsert: vt.KeyInsert, tea.KeyDelete: vt.KeyDelete,
	tea.KeyPgUp: vt.KeyPageUp, tea.KeyPgDown: vt.KeyPageDown, tea.KeyHome: vt.KeyHome, tea.KeyEnd: vt.KeyEnd,
	tea.KeyKpEnter: vt.KeyKPEnter, tea.KeyKpEqual: vt.KeyKPEqual, tea.KeyKpMultiply: vt.KeyKPMultiply,
	tea.KeyKpPlus:  vt.KeyKPAdd,
	tea.KeyKpComma: vt.KeyKPSeparator, tea.KeyKpSep: vt.KeyKPSeparator, tea.KeyKpMinus: vt.KeyKPSubtract,
	tea.KeyKpDecimal: vt.KeyKPDecimal, tea.KeyKpDivide: vt.KeyKPDivide,
	tea.KeyKpUp: vt.KeyUp, tea.KeyKpDown: vt.KeyDown, tea.KeyKpLeft: vt.KeyLeft, tea.KeyKpRight: vt.KeyRight,
	tea.KeyKpPgUp: vt.KeyPageUp, tea.KeyKpPgDown: vt.KeyPageDown, tea.KeyKpHome: vt.KeyHome, tea.KeyKpEnd: vt.KeyEnd,
	tea.KeyKpInsert: vt.KeyInsert, tea.KeyKpDelete: vt.KeyDelete, tea.KeyKpBegin: vt.KeyBegin,
	tea.KeyCapsLock: vt.KeyCapsLock, tea.KeyScrollLock: vt.KeyScrollLock, tea.KeyNumLock: vt.KeyNumLock,
	tea.KeyPrintScreen: vt.KeyPrintScreen, tea.KeyPause: vt.KeyPause, tea.KeyMenu: vt.KeyMenu,
	tea.KeyBackspace: vt.KeyBackspace, tea.KeyTab: vt.KeyTab, tea.KeyEnter: vt.KeyEnter, tea.KeyEscape: vt.KeyEscape,
	tea.KeySpace: vt.KeySpace,
}

func init() {
	for i := range rune(24) {
		special[tea.KeyF1+i] = vt.KeyF1 + i
	}
	for i := range rune(10) {
		special[tea.KeyKp0+i] = vt.KeyKP0 + i
	}
}

// modifiers pairs the bits, which the two packages order differently.
var modifiers = []struct {
	from tea.KeyMod
	to   vt.Mod
}{
	{tea.ModShift, vt.Shift}, {tea.ModAlt, vt.Alt}, {tea.ModCtrl, vt.Ctrl}, {tea.ModSuper, vt.Super},
	{tea.ModHyper, vt.Hyper}, {tea.ModMeta, vt.Meta}, {tea.ModCapsLock, vt.CapsLock}, {tea.ModNumLock, vt.NumLock},
}

func modifier(m tea.KeyMod) (out vt.Mod) {
	for _, pair := range modifiers {
		if m&pair.from != 0 {
			out |= pair.to
		}
	}
	return out
}

// paneKey returns what the keyboard sent, in the words of the emulator. A key that
// no program knows is the zero Key.
func paneKey(k tea.Key) vt.Key {
	out := vt.Key{Code: k.Code, Text: k.Text, Mod: modifier(k.Mod), Shifted: k.ShiftedCode, Base: k.BaseCode}
	if k.IsRepeat {
		out.Event = vt.KeyRepeat
	}
	switch code, ok := special[k.Code]; {
	case ok:
		out.Code = code
	case k.Code == tea.KeyExtended:
		out.Code, _ = utf8.DecodeRuneInString(k.Text)
	case k.Code > tea.KeyExtended:
		return vt.Key{}
	}
	return out
}

// buttons are the mouse buttons, as the emulator names them.
var buttons = map[tea.MouseButton]vt.Button{
	tea.MouseLeft: vt.LeftButton, tea.MouseMiddle: vt.MiddleButton, tea.MouseRight: vt.RightButton,
	tea.MouseWheelUp: vt.WheelUp, tea.MouseWheelDown: vt.WheelDown, tea.MouseWheelLeft: vt.WheelLeft,
	tea.MouseWheelRight: vt.WheelRight,
	tea.MouseBackward:   vt.BackButton, tea.MouseForward: vt.ForwardButton,
}

// paneMouse returns what the mouse did, seen from the cell x, y of the screen.
func paneMouse(msg tea.MouseMsg, x, y int) vt.Mouse {
	at := msg.Mouse()
	out := vt.Mouse{X: at.X - x, Y: at.Y - y, Button: buttons[at.Button], Mod: modifier(at.Mod)}
	switch msg.(type) {
	case tea.MouseReleaseMsg:
		out.Action = vt.MouseReleased
	case tea.MouseMotionMsg:
		out.Action = vt.MouseMoved
	}
	return out
}
