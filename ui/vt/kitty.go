package vt

import "strconv"

// kittyKey returns a key by the kitty keyboard protocol:
// CSI code:shifted:base ; modifiers:event ; text u.
func (m Modes) kittyKey(k Key, flags KittyFlags) []byte {
	if flags&KittyEvents == 0 {
		if k.Event == KeyRelease {
			return nil
		}
		k.Event = KeyPress
	}
	if flags&(KittyDisambiguate|KittyAllKeys) == 0 && k.Event != KeyRelease {
		return m.legacyKey(k)
	}
	f, function := functionKeys[k.Code]
	if !function {
		f = functionKey{kitty: int(k.Code), ends: 'u'}
	}
	if flags&KittyAllKeys == 0 && k.types(f, function) {
		if b, done := k.kittyText(f); done {
			return b
		}
	}
	return k.kittySequence(f, function, flags)
}

// types reports a key that, without more than Shift, types something.
func (k Key) types(f functionKey, function bool) bool {
	return k.Mod&^(Shift|CapsLock|NumLock) == 0 && (!function || f.keypad != 0)
}

// kittyText returns a key that types, while the program does not want all keys as
// sequences; done is false when it gets one all the same.
func (k Key) kittyText(f functionKey) (b []byte, done bool) {
	shift := k.Mod&Shift != 0
	switch {
	case k.Code == KeyEnter || k.Code == KeyTab || k.Code == KeyBackspace:
		if k.Event == KeyRelease {
			return nil, !shift // so that a shell can be typed in after a crash
		}
		return []byte{byte(k.Code)}, !shift
	case f.keypad != 0 || k.Code == KeyEscape || k.Event == KeyRelease:
		return nil, false // these would be taken for something else
	case k.Text != "":
		return []byte(k.Text), true
	}
	return []byte(string(k.character())), true
}

// kittySequence returns a key as a sequence.
func (k Key) kittySequence(f functionKey, function bool, flags KittyFlags) []byte {
	event := choose(k.Event != KeyPress, ":"+strconv.Itoa(int(k.Event)+1), "")
	text := ""
	if flags&KittyText != 0 && flags&KittyAllKeys != 0 && k.Event != KeyRelease &&
		k.Mod&^(Shift|CapsLock|NumLock) == 0 {
		text = codePoints(k.Text)
	}
	b := []byte("\x1b[")
	if f.ends == 'u' || f.ends == '~' || k.Mod != 0 || event != "" {
		b = strconv.AppendInt(b, int64(f.kitty), 10)
	}
	if flags&KittyAlternates != 0 && !function {
		b = append(b, k.alternates()...)
	}
	switch {
	case k.Mod != 0 || event != "":
		b = append(b, ';')
		b = strconv.AppendInt(b, int64(k.Mod)+1, 10)
		b = append(b, event...)
	case text != "":
		b = append(b, ';')
	}
	if text != "" {
		b = append(b, ';')
		b = append(b, text...)
	}
	return append(b, byte(f.ends))
}

// alternates returns the other characters of the key.
func (k Key) alternates() string {
	shifted, base := "", ""
	if k.Mod&Shift != 0 && k.Shifted != 0 {
		shifted = strconv.Itoa(int(k.Shifted))
	}
	if k.Base != 0 && k.Base != k.Code {
		base = ":" + strconv.Itoa(int(k.Base))
	}
	if shifted+base == "" {
		return ""
	}
	return ":" + shifted + base
}

// codePoints writes text as numbers, without control characters.
func codePoints(text string) string {
	var b []byte
	for _, r := range text {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			continue
		}
		if len(b) > 0 {
			b = append(b, ':')
		}
		b = strconv.AppendInt(b, int64(r), 10)
	}
	return string(b)
}
