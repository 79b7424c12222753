package vt

import "unicode/utf8"

const legacyMod = Shift | Alt | Ctrl | Meta

// encodeKey returns a key by the kitty protocol, by modifyOtherKeys, or as terminals
// always sent it.
func (m Modes) encodeKey(k Key) []byte {
	if k.Code == 0 { // text without a key, from an input method
		return choose(k.Event == KeyRelease, nil, []byte(k.Text))
	}
	if m.Kitty != 0 {
		return m.kittyKey(k, m.Kitty)
	}
	if k.Event == KeyRelease {
		return nil
	}
	return m.legacyKey(k)
}

// legacyKey returns a key without the kitty protocol.
func (m Modes) legacyKey(k Key) []byte {
	k.Mod &= legacyMod
	if f, ok := functionKeys[k.Code]; ok {
		return m.legacyFunction(k, f)
	}
	level := m.ModifyOtherKeys
	if level == 2 && k.Mod&^Shift != 0 || level > 0 && k.lossy() {
		b := appendNumbers([]byte("\x1b["), 27, k.modNumber(), int(k.character()))
		return append(b, '~')
	}
	b := k.plain()
	if k.Mod&(Alt|Meta) != 0 && len(b) > 0 {
		b = append([]byte{0x1b}, b...)
	}
	return b
}

// modNumber returns the modifiers as the old sequences count them.
func (k Key) modNumber() int {
	return 1 + int(k.Mod&(Shift|Alt|Ctrl)) + choose(k.Mod&Meta != 0, 8, 0)
}

// character returns what the key types with Shift but without other modifiers.
func (k Key) character() rune {
	if k.Mod&Shift != 0 && k.Shifted != 0 {
		return k.Shifted
	}
	return k.Code
}

// lossy reports whether the old encoding does not tell all modifiers.
func (k Key) lossy() bool {
	switch k.Code {
	case KeyEnter, KeyEscape:
		return k.Mod&(Shift|Ctrl) != 0
	case KeyTab:
		return k.Mod&Ctrl != 0
	case KeyBackspace:
		return k.Mod&Shift != 0
	}
	if k.Mod&Ctrl == 0 {
		return false
	}
	_, ok := controlByte(k.character())
	return !ok || k.Mod&Shift != 0 && k.Code >= 'a' && k.Code <= 'z'
}

// plain returns a key that types, in the old encoding, without Alt.
func (k Key) plain() []byte {
	switch {
	case k.Code == KeyTab && k.Mod&Shift != 0:
		return []byte("\x1b[Z")
	case k.Code == KeyBackspace && k.Mod&Ctrl != 0:
		return []byte{'\b'}
	case k.Code < KeySpace || k.Code == KeyBackspace:
		return []byte{byte(k.Code)}
	case k.Mod&Ctrl != 0:
		if c, ok := controlByte(k.character()); ok {
			return []byte{c}
		}
	case k.Text != "":
		return []byte(k.Text)
	}
	if !utf8.ValidRune(k.Code) {
		return nil
	}
	return utf8.AppendRune(nil, k.character())
}

// controlByte returns what Ctrl makes of a character.
func controlByte(r rune) (byte, bool) {
	switch {
	case r >= 'a' && r <= 'z' || r >= '@' && r <= '_':
		return byte(r) & 0x1f, true
	case r == ' ' || r == '2':
		return 0, true
	case r >= '3' && r <= '7':
		return byte(r-'3') + 0x1b, true
	case r == '/':
		return 0x1f, true
	case r == '?' || r == '8':
		return 0x7f, true
	case r == '~' || r == '`':
		return 0x1e, true
	}
	return 0, false
}

// legacyFunction returns a key that types nothing, or one of the keypad.
func (m Modes) legacyFunction(k Key, f functionKey) []byte {
	switch {
	case f.keypad != 0:
		if m.AppKeypad && k.Mod == 0 {
			return []byte{0x1b, 'O', f.keypad}
		}
		return m.legacyKey(Key{Code: f.types, Text: k.Text, Mod: k.Mod})
	case f.legacy == 0:
		return nil
	case k.Mod == 0 && (f.always || m.AppCursor && f.final != '~'):
		return []byte{0x1b, 'O', byte(f.final)}
	}
	return f.final.sequence(f.legacy, k.modNumber())
}

// sequence is CSI number ; mod final, without what need not be said.
func (f final) sequence(number, mod int) []byte {
	b := []byte("\x1b[")
	switch {
	case mod > 1:
		b = appendNumbers(b, number, mod)
	case f == '~':
		b = appendNumbers(b, number)
	}
	return append(b, byte(f))
}
