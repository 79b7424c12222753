package vt

const maxKeyboards = 16

// keyboard is the kitty keyboard mode of a screen, with the stack of modes below it.
type keyboard struct {
	flags KittyFlags
	stack []KittyFlags
}

const allKittyFlags = KittyDisambiguate | KittyEvents | KittyAlternates | KittyAllKeys | KittyText

func (k *keyboard) push(flags KittyFlags) {
	if len(k.stack) == maxKeyboards {
		k.stack = append(k.stack[:0], k.stack[1:]...)
	}
	k.stack = append(k.stack, k.flags)
	k.flags = flags & allKittyFlags
}

func (k *keyboard) pop(n int) {
	for ; n > 0 && len(k.stack) > 0; n-- {
		k.flags = k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
	}
	if n > 0 {
		k.flags = 0
	}
}

// set replaces the flags (how 1), adds to them (2) or takes from them (3).
func (k *keyboard) set(flags KittyFlags, how int) {
	flags &= allKittyFlags
	switch how {
	case 1:
		k.flags = flags
	case 2:
		k.flags |= flags
	case 3:
		k.flags &^= flags
	}
}

// setKeyOption is XTMODKEYS; only modifyOtherKeys is known.
func (t *Terminal) setKeyOption(p *params) {
	if p.param(0, 4) == 4 {
		t.modes.ModifyOtherKeys = min(p.param(1, 0), 2)
	}
}

func (t *Terminal) resetKeyOption(p *params) {
	if p.param(0, 4) == 4 {
		t.modes.ModifyOtherKeys = 0
	}
}
