package style

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// grounds are the backgrounds that themes are read on: a dark terminal is rarely pure black.
var grounds = map[bool]color.Color{true: lipgloss.Color("#1e1e1e"), false: lipgloss.Color("#ffffff")}

// TestThemesCanBeRead checks that every color of every theme has the contrast that text needs, also
// on the tints of a diff. Borders are exempt.
func TestThemesCanBeRead(t *testing.T) {
	for name, named := range namedColors {
		for dark, colors := range map[bool]Colors{true: named.dark, false: named.light} {
			under := map[string]color.Color{"the background": grounds[dark]}
			for i, ground := range fieldsOf(colors.Tints) {
				under["tint "+i] = lipgloss.Color(ground)
			}
			for over, ground := range under {
				for what, c := range fieldsOf(colors.Code) {
					needs(t, 4.5, name, dark, what, lipgloss.Color(c), over, ground)
				}
			}
			for what, c := range map[string]string{"accent": colors.Accent, "success": colors.Success,
				"warning": colors.Warning, "error": colors.Error, "faint": colors.Faint} {
				needs(t, 4.5, name, dark, what, lipgloss.Color(c), "the background", grounds[dark])
			}
			needs(t, 2, name, dark, "border", lipgloss.Color(colors.Border), "the background", grounds[dark])
			needs(t, 4.5, name, dark, "success", lipgloss.Color(colors.Success), "added", under["tint Added"])
			needs(t, 4.5, name, dark, "error", lipgloss.Color(colors.Error), "removed", under["tint Removed"])
			needs(t, 4.5, name, dark, "faint", lipgloss.Color(colors.Faint), "added", under["tint Added"])
		}
	}
	for dark, colors := range agentColors {
		for i, c := range colors {
			needs(t, 4.5, "an agent's", dark, fmt.Sprint(i), lipgloss.ANSIColor(c), "the background", grounds[dark])
		}
	}
}

func needs(t *testing.T, least float64, theme string, dark bool, what string, c color.Color, over string,
	ground color.Color) {
	t.Helper()
	if got := contrast(c, ground); got < least {
		t.Errorf("%s, dark %v: %s has a contrast of %.2f over %s, and needs %.1f", theme, dark, what, got, over, least)
	}
}

// fieldsOf returns the texts of a struct by the names of their fields.
func fieldsOf(s any) map[string]string {
	all, v := map[string]string{}, reflect.ValueOf(s)
	for i := range v.NumField() {
		all[v.Type().Field(i).Name] = v.Field(i).String()
	}
	return all
}

func TestThemeNames(t *testing.T) {
	for _, name := range ThemeNames() {
		if _, ok := namedColors[name]; !ok && name != terminalTheme {
			t.Errorf("%s has no colours", name)
		}
	}
	if n := len(ThemeNames()); n != len(namedColors)+1 {
		t.Errorf("%d themes have names", n)
	}
}

func TestOwnColours(t *testing.T) {
	var own map[string]string
	for _, name := range ColorNames() {
		if own == nil {
			own = map[string]string{}
		}
		own[name] = "#010203"
	}
	theme := Choice{Name: "nord", Colors: own}.Theme(true, false)
	for what, p := range map[string]Paint{"accent": theme.Brand, "error": theme.Tones[Bad], "faint": theme.Faint,
		"border": theme.Border, "success": theme.Tones[Good], "warning": theme.Tones[Warn]} {
		if want := "38;2;1;2;3"; !strings.Contains(string(p), want) {
			t.Errorf("%s is %q", what, p)
		}
	}
}

// TestReadable checks that blue on black is drawn as a readable blue, in a dark and a light
// terminal, and that an agent's own backgrounds and every other color are unchanged.
func TestReadable(t *testing.T) {
	dark, light := Choice{}.Theme(true, false), Choice{}.Theme(false, false)
	for row, want := range map[string][2]string{
		"plain":                           {"plain", "plain"},
		"\x1b[0;38;5;4mblue\x1b[m":        {"\x1b[0;38;5;75mblue\x1b[m", "\x1b[0;38;5;26mblue\x1b[m"},
		"\x1b[0;1;38;5;4mb\x1b[m x":       {"\x1b[0;1;38;5;75mb\x1b[m x", "\x1b[0;1;38;5;26mb\x1b[m x"},
		"a\x1b[0;38;5;2;58;5;1mb":         {"a\x1b[0;38;5;71;58;5;1mb", "a\x1b[0;38;5;28;58;5;1mb"},
		"\x1b[0;38;5;0;48;5;2mkeep\x1b[m": {"\x1b[0;38;5;0;48;5;2mkeep\x1b[m", "\x1b[0;38;5;0;48;5;2mkeep\x1b[m"},
		"\x1b[0;7;38;5;4mkeep\x1b[m":      {"\x1b[0;7;38;5;4mkeep\x1b[m", "\x1b[0;7;38;5;4mkeep\x1b[m"},
		"\x1b[0;38;5;42mkeep":             {"\x1b[0;38;5;42mkeep", "\x1b[0;38;5;42mkeep"},
		"\x1b[0;38;5;4":                   {"\x1b[0;38;5;4", "\x1b[0;38;5;4"},
	} {
		if d, l := dark.Readable(row), light.Readable(row); d != want[0] || l != want[1] {
			t.Errorf("%q is %q and %q", row, d, l)
		}
	}
	blue := "\x1b[0;38;5;4mblue\x1b[m"
	if got := (Choice{Name: terminalTheme}).Theme(true, false).Readable(blue); got != blue {
		t.Errorf("the terminal's own colours become %q", got)
	}
	if got, want := (Choice{}).Theme(true, true).Readable(blue), "\x1b[0;38;5;12mblue\x1b[m"; got != want {
		t.Errorf("blue among 16 colours on black is %q, want %q", got, want)
	}
	yellow := "\x1b[0;38;5;11myellow\x1b[m"
	if got, want := (Choice{}).Theme(false, true).Readable(yellow), "\x1b[0;38;5;5myellow\x1b[m"; got != want {
		t.Errorf("yellow among 16 colours on white is %q, want %q", got, want)
	}
}

// contrast returns the contrast of two colours as defined for pages of the web: 1 is
// none, 21 is black on white.
func contrast(one, other color.Color) float64 {
	a, b := luminance(one), luminance(other)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
