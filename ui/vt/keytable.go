package vt

// final is the last byte of a key's sequence.
type final byte

// functionKey is how a key that is not a character is written.
type functionKey struct {
	legacy int   // its number in the old encoding; 0: it has none
	final  final // of the old encoding
	always bool  // without modifiers it is SS3 final, in any mode
	kitty  int   // its number in the kitty protocol
	ends   final // of the kitty protocol
	keypad byte  // SS3 final in application keypad mode
	types  rune  // what a keypad key types
}

var functionKeys = map[rune]functionKey{
	KeyUp:    {legacy: 1, final: 'A', kitty: 1, ends: 'A'},
	KeyDown:  {legacy: 1, final: 'B', kitty: 1, ends: 'B'},
	KeyRight: {legacy: 1, final: 'C', kitty: 1, ends: 'C'},
	KeyLeft:  {legacy: 1, final: 'D', kitty: 1, ends: 'D'},
	KeyBegin: {legacy: 1, final: 'E', kitty: 1, ends: 'E'},
	KeyEnd:   {legacy: 1, final: 'F', kitty: 1, ends: 'F'},
	KeyHome:  {legacy: 1, final: 'H', kitty: 1, ends: 'H'},

	KeyInsert:   tilde(2),
	KeyDelete:   tilde(3),
	KeyPageUp:   tilde(5),
	KeyPageDown: tilde(6),

	KeyF1:  {legacy: 1, final: 'P', always: true, kitty: 1, ends: 'P'},
	KeyF2:  {legacy: 1, final: 'Q', always: true, kitty: 1, ends: 'Q'},
	KeyF3:  {legacy: 1, final: 'R', always: true, kitty: 13, ends: '~'}, // R would be a cursor report
	KeyF4:  {legacy: 1, final: 'S', always: true, kitty: 1, ends: 'S'},
	KeyF5:  tilde(15),
	KeyF6:  tilde(17),
	KeyF7:  tilde(18),
	KeyF8:  tilde(19),
	KeyF9:  tilde(20),
	KeyF10: tilde(21),
	KeyF11: tilde(23),
	KeyF12: tilde(24),
	KeyF13: {legacy: 25, final: '~', kitty: 57376, ends: 'u'},
	KeyF14: {legacy: 26, final: '~', kitty: 57377, ends: 'u'},
	KeyF15: {legacy: 28, final: '~', kitty: 57378, ends: 'u'},
	KeyF16: {legacy: 29, final: '~', kitty: 57379, ends: 'u'},
	KeyF17: {legacy: 31, final: '~', kitty: 57380, ends: 'u'},
	KeyF18: {legacy: 32, final: '~', kitty: 57381, ends: 'u'},
	KeyF19: {legacy: 33, final: '~', kitty: 57382, ends: 'u'},
	KeyF20: {legacy: 34, final: '~', kitty: 57383, ends: 'u'},
	KeyF21: {kitty: 57384, ends: 'u'},
	KeyF22: {kitty: 57385, ends: 'u'},
	KeyF23: {kitty: 57386, ends: 'u'},
	KeyF24: {kitty: 57387, ends: 'u'},

	KeyKP0:         keypad(57399, 'p', '0'),
	KeyKP1:         keypad(57400, 'q', '1'),
	KeyKP2:         keypad(57401, 'r', '2'),
	KeyKP3:         keypad(57402, 's', '3'),
	KeyKP4:         keypad(57403, 't', '4'),
	KeyKP5:         keypad(57404, 'u', '5'),
	KeyKP6:         keypad(57405, 'v', '6'),
	KeyKP7:         keypad(57406, 'w', '7'),
	KeyKP8:         keypad(57407, 'x', '8'),
	KeyKP9:         keypad(57408, 'y', '9'),
	KeyKPDecimal:   keypad(57409, 'n', '.'),
	KeyKPDivide:    keypad(57410, 'o', '/'),
	KeyKPMultiply:  keypad(57411, 'j', '*'),
	KeyKPSubtract:  keypad(57412, 'm', '-'),
	KeyKPAdd:       keypad(57413, 'k', '+'),
	KeyKPEnter:     keypad(57414, 'M', KeyEnter),
	KeyKPEqual:     keypad(57415, 'X', '='),
	KeyKPSeparator: keypad(57416, 'l', ','),

	KeyCapsLock:    {kitty: 57358, ends: 'u'},
	KeyScrollLock:  {kitty: 57359, ends: 'u'},
	KeyNumLock:     {kitty: 57360, ends: 'u'},
	KeyPrintScreen: {kitty: 57361, ends: 'u'},
	KeyPause:       {kitty: 57362, ends: 'u'},
	KeyMenu:        {legacy: 29, final: '~', kitty: 57363, ends: 'u'},
}

// tilde returns a key that is CSI n ~ in both encodings.
func tilde(n int) functionKey {
	return functionKey{legacy: n, final: '~', kitty: n, ends: '~'}
}

func keypad(kitty int, application byte, types rune) functionKey {
	return functionKey{kitty: kitty, ends: 'u', keypad: application, types: types}
}
