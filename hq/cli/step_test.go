package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ferrus/hq/tui/slash"
	"ferrus/ui"
	"ferrus/ui/dialog"
	"ferrus/ui/keys"
	"ferrus/ui/termtest"
	"ferrus/ui/vt"
)

// step is something typed in HQ, and what the screen must then show.
type step struct {
	of string // what of the tables it plays, with commas: /land, key zoom, dialog land
	// typed; {zoom} is the first key bound to that action, {top in copy mode} the first in that place
	keys string
	sees []string
	gone []string // what must not be there any more
	at   string   // words of the row that the cursor must be in
	then string   // typed after all of that
	ends []string // seen after it
	left []string // gone after it
	clip string   // what the clipboard must have in the end
}

// plays returns the names of everything that the step plays.
func (d step) plays() []string { return strings.Split(d.of, ", ") }

// user types into an HQ.
type user struct {
	*termtest.Terminal
	keys map[string][]string // of [keys]
}

// do runs steps in order.
func (h *user) do(all ...step) {
	h.Helper()
	for _, d := range all {
		seen := h.expect(d.sees)
		h.Type(h.bytes(d.keys))
		h.shows(seen, d.gone)
		if d.at != "" {
			h.Wait("a cursor at "+d.at, func() bool { return strings.Contains(h.under(), d.at) })
		}
		seen = h.expect(d.ends)
		if d.then != "" {
			h.Type(h.bytes(d.then))
		}
		h.shows(seen, d.left)
		if d.clip != "" {
			h.Wait("a clipboard with "+d.clip, func() bool { return h.clipboard() == d.clip })
		}
	}
}

// expect watches for all that must appear on the screen.
func (h *user) expect(all []string) (waits []func() string) {
	for _, words := range all {
		waits = append(waits, h.Expect(words))
	}
	return waits
}

// shows waits for what must appear on the screen, and for what must disappear.
func (h *user) shows(come []func() string, leave []string) {
	h.Helper()
	for _, wait := range come {
		wait()
	}
	for _, words := range leave {
		h.WaitGone(words)
	}
}

func (h *user) clipboard() (text string) {
	h.Screen.With(func(v *vt.Terminal) { text = v.Clipboard() })
	return text
}

// under returns the row that the cursor is in.
func (h *user) under() (row string) {
	h.Screen.With(func(v *vt.Terminal) { row = ansi.Strip(v.Row(v.Cursor().Y)) })
	return row
}

var inBraces = regexp.MustCompile(`\{[a-z][a-z -]*\}`)

// bytes returns keys as the terminal sends them.
func (h *user) bytes(keys string) string {
	return inBraces.ReplaceAllStringFunc(keys, func(name string) string {
		name = strings.Trim(name, "{}")
		for _, k := range ui.Keys.Bind(h.keys) {
			if (string(k.Action) == name || keyName(k) == name) && len(k.Keys) > 0 {
				return bytesOf(k.Keys[0])
			}
		}
		h.Fatalf("there is no action %s", name)
		return ""
	})
}

// esc is Escape from a terminal that distinguishes it from the first byte of another key.
const esc = "\x1b[27u"

// sent lists named keys as a terminal sends them.
var sent = map[string]string{
	"ctrl+/": "\x1f",
	"enter":  "\r", "tab": "\t", "esc": esc, "space": " ", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	"backspace": "\x7f", "up": "\x1b[A", "down": "\x1b[B", "left": "\x1b[D", "right": "\x1b[C", "home": "\x1b[H",
	"end":     "\x1b[F",
	"shift+4": "$", "shift+tab": "\x1b[Z", "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B",
	"shift+enter": "\x1b[13;2u", "alt+enter": "\x1b\r",
}

// bytesOf returns one key of the table.
func bytesOf(strike string) string {
	if bytes := sent[strike]; bytes != "" {
		return bytes
	}
	mod, base, found := strings.Cut(strike, "+")
	switch {
	case len(strike) == 1:
		return strike
	case !found || len(base) != 1:
	case mod == "ctrl":
		return string(base[0] & 0x1f)
	case mod == "alt":
		return "\x1b" + base
	case mod == "shift":
		return strings.ToUpper(base)
	}
	panic("no terminal sends " + strike)
}

// TestEverythingIsPlayed finds commands, keys and dialogs that no step plays, and steps for what no
// longer exists.
func TestEverythingIsPlayed(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range slash.Table {
		names = append(names, "/"+c.Name)
	}
	for _, k := range ui.Keys {
		names = append(names, keyName(k))
	}
	for _, d := range dialog.Kinds() {
		names = append(names, "dialog "+d.String())
	}
	played := map[string]bool{
		"other in a dialog":     true, // by TestHQKilled
		"read-item in a dialog": true, // by TestALongItemCanBeRead of ui
		// By the frames of a submission with alarms, in hq/tui/projection:
		"dialog tasks":   true, // by the frames of several tasks
		"dialog approve": true, "show-diff in a dialog": true, "next-alarm in a dialog": true,
	}
	for _, all := range [][]step{idleSteps, workSteps, askedSteps, commentSteps, reviewSteps, approvedSteps, specSteps,
		workflowSteps, pairSteps, planSteps} {
		for _, d := range all {
			for _, name := range d.plays() {
				played[name] = true
				if name != "" && !slices.Contains(names, name) {
					t.Errorf("a step plays %q, which is in no table", name)
				}
			}
		}
	}
	for _, s := range keyCases {
		played[s.key] = true
		if !slices.Contains(names, s.key) {
			t.Errorf("a stroke is of %q, which is in no table", s.key)
		}
	}
	for _, name := range names {
		if !played[name] {
			t.Errorf("no step plays %s", name)
		}
	}
}

// keyName returns an action with its place, because an action may have several.
func keyName(b keys.Binding) string { return fmt.Sprintf("%s %s", b.Action, b.In) }
