package pane

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/vt"
)

func TestKeysOfEveryKind(t *testing.T) {
	for _, c := range []struct {
		key  tea.Key
		want vt.Key
	}{
		{tea.Key{Code: 'a', Text: "a"}, vt.Key{Code: 'a', Text: "a"}},
		{tea.Key{Code: 'a', Text: "A", Mod: tea.ModShift, ShiftedCode: 'A'},
			vt.Key{Code: 'a', Text: "A", Mod: vt.Shift, Shifted: 'A'}},
		{tea.Key{Code: tea.KeyUp, Mod: tea.ModCtrl | tea.ModAlt}, vt.Key{Code: vt.KeyUp, Mod: vt.Ctrl | vt.Alt}},
		{tea.Key{Code: tea.KeyF5, Mod: tea.ModSuper}, vt.Key{Code: vt.KeyF5, Mod: vt.Super}},
		{tea.Key{Code: tea.KeyF24, Mod: tea.ModMeta}, vt.Key{Code: vt.KeyF24, Mod: vt.Meta}},
		{tea.Key{Code: tea.KeyKp7, Text: "7"}, vt.Key{Code: vt.KeyKP7, Text: "7"}},
		{tea.Key{Code: tea.KeyEnter, Mod: tea.ModShift}, vt.Key{Code: vt.KeyEnter, Mod: vt.Shift}},
		{tea.Key{Code: tea.KeyExtended, Text: "e\u0301"}, vt.Key{Code: 'e', Text: "e\u0301"}},
		{tea.Key{Code: tea.KeyMediaPlay}, vt.Key{}},
		{tea.Key{Code: tea.KeyPgUp, IsRepeat: true}, vt.Key{Code: vt.KeyPageUp, Event: vt.KeyRepeat}},
	} {
		if got := paneKey(c.key); got != c.want {
			t.Errorf("%v is %+v, want %+v", c.key, got, c.want)
		}
	}
}
