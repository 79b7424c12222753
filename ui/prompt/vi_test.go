package prompt

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/view"
)

// typeVi presses keys: each letter is one, and § is Esc.
func typeVi(p *Model, typed string) {
	v := &view.View{}
	for _, r := range typed {
		msg := tea.KeyPressMsg{Code: r, Text: string(r)}
		switch r {
		case '§':
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case ' ':
			msg.Code = tea.KeySpace
		case '\n':
			msg = tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}
		}
		p.Press(Keys, v, msg)
	}
}

// TestViEdits types keys after a text and Esc, then | where the cursor is.
func TestViEdits(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"one two", "", "one tw|o"},
		{"one two", "0", "|one two"},
		{"one two", "hh", "one |two"},
		{"one two", "0l$", "one tw|o"},
		{"  one", "^", "  |one"},
		{"one, two_3 four", "0w", "one|, two_3 four"},
		{"one, two_3 four", "02w", "one, |two_3 four"},
		{"one two", "b", "one |two"},
		{"one two", "bb", "|one two"},
		{"one two", "0e", "on|e two"},
		{"one two", "0ee", "one tw|o"},
		{"a.b.c", "0f.", "a|.b.c"},
		{"a.b.c", "02f.", "a.b|.c"},
		{"a.b.c", "0lt.", "a.|b.c"},
		{"a.b.c", "0f!", "|a.b.c"},
		{"one two three", "0dw", "|two three"},
		{"one two three", "02dw", "|three"},
		{"one two three", "0d2w", "|three"},
		{"one two three", "0wd$", "one| "},
		{"one two three", "d0", "|e"},
		{"one two three", "bdb", "one |three"},
		{"one two three", "0wde", "one | three"},
		{"one(two)", "0df(", "|two)"},
		{"one(two)", "0dt(", "|(two)"},
		{"one two", "0cwsix§", "si|x two"},
		{"a two", "0cwsix§", "si|x two"},
		{"one two", "0wCnine§", "one nin|e"},
		{"one two", "0wD", "one| "},
		{"one two", "ccnew§", "ne|w"},
		{"one", "dd", "|"},
		{"one\ntwo\nthree", "kdd", "one\n|three"},
		{"one\ntwo", "ddp", "one\n|two"},
		{"one\ntwo", "yyP", "one\n|two\ntwo"},
		{"one\ntwo", "k2dd", "|"},
		{"one\ntwo", "k$", "on|e\ntwo"},
		{"one\ntwo", "kdwj", "on\nt|wo"},
		{"one two", "0ywP", "one| one two"},
		{"one two", "0x", "|ne two"},
		{"one two", "03x", "| two"},
		{"xy", "0xp", "y|x"},
		{"one", "0rX", "|Xne"},
		{"one", "02rX", "X|Xe"},
		{"one", "05rX", "|one"},
		{"one two", "0dwu", "one tw|o"},
		{"one two", "0dw.", "|"},
		{"one two three", "0dw.", "|three"},
		{"one two", "0cwsix§w.", "six si|x"},
		{"ab", "0x.", "|"},
		{"one", "0ix§", "|xone"},
		{"one", "0ax§", "o|xne"},
		{"  one", "Ix§", "  |xone"},
		{"one", "0Ax§", "one|x"},
		{"one", "otwo§", "one\ntw|o"},
		{"one", "Otwo§", "tw|o\none"},
		{"one", "0ax§..", "oxx|xne"},
		{"one two", "0d§x", "|ne two"},
		{"", "x", "|"},
		{"", "dw", "|"},
		{"", "P", "|"},
		{"", "/§", "|/"},
		{"äöü ß", "0w", "äöü |ß"},
		{"äöü ß", "0dw", "|ß"},
		{"one", "9999x", "o|n"},
	} {
		p := New(nil, nil)
		p.Resize(40, 10)
		p.UseVi(true)
		typeVi(&p, c.text+"§"+c.keys)
		at := p.offset()
		got := p.Value()[:at] + "|" + p.Value()[at:]
		if got != c.want {
			t.Errorf("%q, %s: %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}
