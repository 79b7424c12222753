package keys

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// modifiers in the order in which Bubble Tea writes them.
var modifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// labels of the keys that have a name.
var labels = map[string]string{
	"tab": "Tab", "enter": "Enter", "esc": "Esc", "space": "Space",
	"backspace": "Backspace", "delete": "Delete", "insert": "Insert",
	"home": "Home", "end": "End", "pgup": "PgUp", "pgdown": "PgDn",
	"up": "Up", "down": "Down", "left": "Left", "right": "Right",
}

// aliases are other ways to write a key.
var aliases = map[string]string{
	"pgdn": "pgdown", "pageup": "pgup", "pagedown": "pgdown", "escape": "esc", "return": "enter",
	"del": "delete", "ins": "insert",
}

// twins are what terminals without a newer protocol send in place of a key.
var twins = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc"}

// Read parses a key that is written for an action, and returns its name. It refuses
// keys that the action cannot have: letters at the prompt are typed, and it must be
// possible to leave a pane in every terminal.
func (b Binding) Read(written string) (string, error) {
	mods, base, err := split(written)
	if err != nil {
		return "", err
	}
	name := strings.Join(append(mods, base), "+")
	if twin := twins[name]; twin != "" {
		return "", fmt.Errorf("terminals send %s for it", labels[twin])
	}
	switch {
	case b.In&AtPrompt != 0 && edits(mods, base):
		return "", errors.New("it is needed to type and edit")
	case b.In&InPane != 0 && name == "ctrl+c":
		return "", errors.New("it interrupts agents")
	case b.In&InPane != 0 && !universal(mods, base):
		return "", errors.New(`it must be a key that every terminal sends and no agent needs: ` +
			`Ctrl with a letter or with ] \ ^ _, or F1 to F12`)
	}
	return name, nil
}

// split takes a key apart; its modifiers come back in order.
func split(written string) (mods []string, base string, err error) {
	base = strings.TrimSpace(written)
	for {
		mod, rest, found := strings.Cut(base, "+")
		if !found || rest == "" || !slices.Contains(modifiers, strings.ToLower(mod)) {
			break
		}
		mods, base = append(mods, strings.ToLower(mod)), rest
	}
	slices.SortFunc(mods, func(a, b string) int { return slices.Index(modifiers, a) - slices.Index(modifiers, b) })
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
	if labels[lower] == "" && functionNumber(lower) == 0 {
		return nil, "", errors.New("unknown key: write ctrl+g, alt+x, f5, pgup or one character")
	}
	return mods, lower, nil
}

// functionNumber returns the number of a function key, or 0.
func functionNumber(base string) int {
	digits, _ := strings.CutPrefix(base, "f")
	if n, err := strconv.Atoi(digits); err == nil && 0 < n && n <= 24 && base == "f"+strconv.Itoa(n) {
		return n
	}
	return 0
}

// edits reports whether a key at the prompt writes or moves the cursor.
func edits(mods []string, base string) bool {
	if len(mods) > 0 && !slices.Equal(mods, []string{"shift"}) || functionNumber(base) > 0 {
		return false
	}
	return !slices.Contains([]string{"tab", "enter", "esc", "pgup", "pgdown", "insert"}, base)
}

// universal reports whether every terminal sends a key, and for nothing else.
func universal(mods []string, base string) bool {
	switch {
	case len(mods) == 0:
		return functionNumber(base) > 0 && functionNumber(base) <= 12
	case !slices.Equal(mods, []string{"ctrl"}):
		return false
	}
	return len(base) == 1 && strings.Contains("abdefgklnopqrstuvwxyz]\\^_", base)
}

// Label returns keys as humans name them: "Ctrl+] or F12".
func Label(keys ...string) string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = labelOf(k)
	}
	if len(all) == 2 {
		return all[0] + " or " + all[1]
	}
	return strings.Join(all, ", ")
}

func labelOf(key string) string {
	mods, base, err := split(key)
	switch {
	case err != nil:
		return key
	case slices.Equal(mods, []string{"shift"}) && utf8.RuneCountInString(base) == 1:
		return strings.ToUpper(base)
	case labels[base] != "":
		base = labels[base]
	case functionNumber(base) > 0 || len(mods) > 0:
		base = strings.ToUpper(base)
	}
	var b strings.Builder
	for _, m := range mods {
		b.WriteString(strings.ToUpper(m[:1]) + m[1:] + "+")
	}
	return b.String() + base
}

// Letter returns what a key types; empty: nothing.
func Letter(key string) string {
	if key == "space" {
		return " "
	}
	if rest, ok := strings.CutPrefix(key, "shift+"); ok && utf8.RuneCountInString(rest) == 1 {
		return strings.ToUpper(rest)
	}
	if utf8.RuneCountInString(key) == 1 {
		return key
	}
	return ""
}
