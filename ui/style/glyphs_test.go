package style

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ferrus/ui/text"
)

func TestGlyphsOf(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ map[string]string
		want    Charset
	}{
		{"nothing is named", map[string]string{"TERM": "xterm"}, EveryGlyph},
		{"UTF-8", map[string]string{"TERM": "xterm", "LANG": "de_DE.UTF-8"}, EveryGlyph},
		{"as others write it", map[string]string{"LC_CTYPE": "en_US.utf8", "LANG": "C"}, EveryGlyph},
		{"the C locale", map[string]string{"TERM": "xterm", "LANG": "C"}, ASCIIGlyphs},
		{"LC_ALL wins", map[string]string{"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, ASCIIGlyphs},
		{"Latin 1", map[string]string{"LANG": "de_DE@euro"}, ASCIIGlyphs},
		{"the console", map[string]string{"TERM": "linux", "LANG": "C.UTF-8"}, ConsoleGlyphs},
		{"the console with nothing named", map[string]string{"TERM": "linux"}, ConsoleGlyphs},
		{"the console in another character set", map[string]string{"TERM": "linux", "LC_ALL": "C"}, ASCIIGlyphs},
	} {
		if got := glyphsOf(func(name string) string { return c.environ[name] }); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestTerminalOf(t *testing.T) {
	for _, c := range []struct {
		environ map[string]string
		want    Terminal
	}{
		{nil, Terminal{}},
		{map[string]string{"COLORFGBG": "0;15"}, Terminal{Light: true}},
		{map[string]string{"COLORFGBG": "12;default;7"}, Terminal{Light: true}},
		{map[string]string{"COLORFGBG": "15;0"}, Terminal{}},
		{map[string]string{"TERM": "linux"}, Terminal{Glyphs: ConsoleGlyphs, Mute: true}},
	} {
		if got := TerminalOf(func(name string) string { return c.environ[name] }); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.environ, got, c.want)
		}
	}
}

func TestStandInsAreAsWide(t *testing.T) {
	for r, pair := range standIns() {
		for i, stand := range pair {
			g := Charset(i + 1)
			if drawn := g.Render(string(r)); text.Width(drawn) != text.Width(string(r)) || drawn != string(r) &&
				drawn != string(stand) {
				t.Errorf("%q is drawn as %q", r, drawn)
			}
			if !g.Has(stand) {
				t.Errorf("%q stands for %q where it is not there itself", stand, r)
			}
		}
	}
	for _, c := range []struct{ frame, console, ascii string }{
		{"\x1b[1m╭─ ● work … ╮\x1b[m", "\x1b[1m┌─ • work ~ ┐\x1b[m", "\x1b[1m+- * work ~ +\x1b[m"},
		{"日本 é ñ ж", "???? é ñ ж", "???? ? ? ?"},
		{"🙂 e\u0301 ⠋", "?? e *", "?? e *"},
		{"plain", "plain", "plain"},
	} {
		if got := ConsoleGlyphs.Render(c.frame); got != c.console {
			t.Errorf("console: %q, want %q", got, c.console)
		}
		if got := ASCIIGlyphs.Render(c.frame); got != c.ascii {
			t.Errorf("ASCII: %q, want %q", got, c.ascii)
		}
	}
}

// TestFewColoursKeepTheirPlaces has the theme of 16 colours name no other.
func TestFewColoursKeepTheirPlaces(t *testing.T) {
	var a Caps
	for _, dark := range []bool{true, false} {
		a.Light = !dark
		theme := a.Learn(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
		for _, p := range append(theme.Tones[:], theme.Brand, theme.Faint, theme.Border, theme.Focused, theme.Found,
			theme.Alarm, theme.Quoted, theme.Syntax[1]) {
			if strings.Contains(string(p), "38;") {
				t.Errorf("dark %v: %q is no colour of 16", dark, p)
			}
		}
		if theme := a.Learn(tea.ColorProfileMsg{Profile: colorprofile.TrueColor}); theme.Border !=
			NewTheme(dark).Border {
			t.Errorf("dark %v: many colours are not used", dark)
		}
	}
}
