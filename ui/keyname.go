package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// modifierNames in the order in which the terminal's library writes them.
var modifierNames = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// labels of the keys that have a name.
var labels = map[string]string{
	"tab": "Tab", "enter": "Enter", "esc": "Esc", "space": "Space", "backspace": "Backspace", "delete": "Delete", "insert": "Insert",
	"home": "Home", "end": "End", "pgup": "PgUp", "pgdown": "PgDn", "up": "Up", "down": "Down", "left": "Left", "right": "Right",
}

// aliases are other ways to write a key.
var aliases = map[string]string{"pgdn": "pgdown", "pageup": "pgup", "pagedown": "pgdown", "escape": "esc", "return": "enter", "del": "delete", "ins": "insert"}

// twins are what a terminal without a newer protocol sends in place of a key.
var twins = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc"}

// Read reads a key as a person writes it for an action, and says why it cannot
// have it: a letter at the prompt is typed, and a pane must be left in every
// terminal.
func (k Key) Read(written string) (string, error) {
	mods, base, err := split(written)
	if err != nil {
		return "", err
	}
	name := strings.Join(append(mods, base), "+")
	if twin := twins[name]; twin != "" {
		return "", fmt.Errorf("terminals send %s for it", labels[twin])
	}
	switch {
	case k.Place == AtPrompt && typed(mods, base):
		return "", errors.New("it is needed to type and edit")
	case k.Place == InPane && name == "ctrl+c":
		return "", errors.New("agents are interrupted by it")
	case k.Place == InPane && !everywhere(mods, base):
		return "", errors.New("a pane is left by a key that agents do not need and every terminal sends: Ctrl with a letter or with ] \\ ^ _, or F1 to F12")
	}
	return name, nil
}

// split takes a key apart; its modifierNames come back in order.
func split(written string) (mods []string, base string, err error) {
	base = strings.TrimSpace(written)
	for {
		mod, rest, found := strings.Cut(base, "+")
		if !found || rest == "" || !slices.Contains(modifierNames, strings.ToLower(mod)) {
			break
		}
		mods, base = append(mods, strings.ToLower(mod)), rest
	}
	slices.SortFunc(mods, func(a, b string) int { return slices.Index(modifierNames, a) - slices.Index(modifierNames, b) })
	mods = slices.Compact(mods)
	lower := strings.ToLower(base)
	if utf8.RuneCountInString(base) == 1 {
		if base != lower && len(mods) == 0 {
			mods = []string{"shift"}
		}
		return mods, lower, nil
	}
	if alias := aliases[lower]; alias != "" {
		lower = alias
	}
	if labels[lower] == "" && function(lower) == 0 {
		return nil, "", errors.New("there is no such key: write ctrl+g, alt+x, f5, pgup or one character")
	}
	return mods, lower, nil
}

// function is the number of a function key, or 0.
func function(base string) (n int) {
	if _, err := fmt.Sscanf(base, "f%d", &n); err != nil || fmt.Sprintf("f%d", n) != base || n > 24 {
		return 0
	}
	return n
}

// typed reports whether a key at the prompt writes or moves.
func typed(mods []string, base string) bool {
	if len(mods) > 0 && !slices.Equal(mods, []string{"shift"}) || function(base) > 0 {
		return false
	}
	return !slices.Contains([]string{"tab", "enter", "esc", "pgup", "pgdown", "insert"}, base)
}

// everywhere reports whether every terminal sends a key, as nothing else.
func everywhere(mods []string, base string) bool {
	switch {
	case len(mods) == 0:
		return function(base) > 0 && function(base) <= 12
	case !slices.Equal(mods, []string{"ctrl"}):
		return false
	}
	return len(base) == 1 && strings.Contains("abdefgklnopqrstuvwxyz]\\^_", base)
}

// label is how people name keys: "Ctrl+] or F12".
func label(strikes []string) string {
	all := make([]string, len(strikes))
	for i, s := range strikes {
		all[i] = labelOf(s)
	}
	if len(all) == 2 {
		return all[0] + " or " + all[1]
	}
	return strings.Join(all, ", ")
}

func labelOf(strike string) string {
	mods, base, err := split(strike)
	switch {
	case err != nil:
		return strike
	case slices.Equal(mods, []string{"shift"}) && utf8.RuneCountInString(base) == 1:
		return strings.ToUpper(base)
	case labels[base] != "":
		base = labels[base]
	case function(base) > 0 || len(mods) > 0:
		base = strings.ToUpper(base)
	}
	var b strings.Builder
	for _, m := range mods {
		b.WriteString(strings.ToUpper(m[:1]) + m[1:] + "+")
	}
	return b.String() + base
}
