package ui

import (
	"ferrus/ui/keys"
	"regexp"
	"slices"
	"testing"
)

// plainKey matches the keys that every terminal sends over every line, even without modern keyboard
// protocols.
var plainKey = regexp.MustCompile(
	`^([!-~]|space|backspace|tab|shift\+tab|enter|esc|delete|home|end|pgup|pgdown|up|down|left|right|f([1-9]|1[0-2])|ctrl\+[a-z_\]\\]|shift\+[a-z])$`)

// sameAs lists those of them that such a terminal cannot distinguish from another key.
var sameAs = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+s": "what stops output",
	"ctrl+q": "what resumes it"}

// TestEachKeyHasAPlainTwin checks that every action has a key that every terminal sends. The mouse
// and Alt are extras.
func TestEachKeyHasAPlainTwin(t *testing.T) {
	plain := func(key string) bool { return plainKey.MatchString(key) && sameAs[key] == "" }
	for _, k := range Keys {
		if len(k.Keys) == 0 || slices.ContainsFunc(k.Keys, plain) {
			continue
		}
		twin := slices.ContainsFunc(Keys, func(other keys.Binding) bool {
			return other.Action == k.Action && slices.ContainsFunc(other.Keys, plain)
		})
		if !twin {
			t.Errorf("%s %s: %v need more than every terminal sends", k.Action, k.In, k.Keys)
		}
	}
	for key, want := range map[string]bool{"ctrl+j": true, "shift+enter": false, "ctrl+enter": false, "alt+1": false,
		"ctrl+i": false, "super+k": false, "f13": false, "/": true} {
		if plain(key) != want {
			t.Errorf("%s: plain %v", key, !want)
		}
	}
}
