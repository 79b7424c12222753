package ui

import (
	"regexp"
	"slices"
	"testing"
)

// plainKey matches the keys that each terminal sends, also one without the keyboard
// protocols of today, over each line.
var plainKey = regexp.MustCompile(`^([!-~]|space|tab|shift\+tab|enter|esc|delete|home|end|pgup|pgdown|up|down|left|right|f([1-9]|1[0-2])|ctrl\+[a-z\]\\]|shift\+[a-z])$`)

// sameAs are those of them that such a terminal cannot tell from another key.
var sameAs = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+s": "what stops output", "ctrl+q": "what lets it go on"}

// TestEachKeyHasAPlainTwin: what can be done with a key can be done with one that
// every terminal sends. The mouse and Alt are extras.
func TestEachKeyHasAPlainTwin(t *testing.T) {
	plain := func(strike string) bool { return plainKey.MatchString(strike) && sameAs[strike] == "" }
	for _, k := range Keys {
		if len(k.Bindings) == 0 || slices.ContainsFunc(k.Bindings, plain) {
			continue
		}
		twin := slices.ContainsFunc(Keys, func(other Key) bool {
			return other.Name == k.Name && slices.ContainsFunc(other.Bindings, plain)
		})
		if !twin {
			t.Errorf("%s %s: %v need more than every terminal sends", k.Name, k.Place, k.Bindings)
		}
	}
	for strike, want := range map[string]bool{"ctrl+j": true, "shift+enter": false, "ctrl+enter": false, "alt+1": false, "ctrl+i": false, "super+k": false, "f13": false, "/": true} {
		if plain(strike) != want {
			t.Errorf("%s: plain %v", strike, !want)
		}
	}
}
