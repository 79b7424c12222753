package vt

//go:generate go run widthgen.go

// runeWidth returns the number of cells of a code point, by the rule in the package
// documentation.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r < widthLimit:
		i := int(widthPages[r>>8])<<6 | int(r&0xff)>>2
		return int(widthBlocks[i]) >> (r & 3 * 2) & 3
	case r < 0x40000: // ideographic planes
		return 2
	case r >= 0xe0000 && r < 0xe1000: // tags and variation selectors
		return 0
	}
	return 1
}

// directional reports a character that changes the direction of others or
// shows nothing at all: it could hide what a row says.
func directional(r rune) bool {
	switch {
	case r < 0x61c:
		return false
	case r == 0x61c, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f
}

const (
	softHyphen     = 0xad // shown, as in xterm; not all terminals agree
	joiner         = 0x200d
	textSelector   = 0xfe0e
	emojiSelector  = 0xfe0f
	firstSymbol    = 0x2190 // what a joiner may join begins here
	firstSkinTone  = 0x1f3fb
	lastSkinTone   = 0x1f3ff
	maxClusterSize = 64 // bytes; marks beyond it are dropped
)

func skinTone(r rune) bool { return r >= firstSkinTone && r <= lastSkinTone }
