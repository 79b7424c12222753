package config

import (
	"reflect"
	"testing"
)

func TestTheme(t *testing.T) {
	c := parse(t, "[hq]\ntheme = \"nord\"\n[hq.colors]\naccent = \"#88C0d0\"\nerror = 203\nfaint = \"245\"\n")
	want := map[string]string{"accent": "#88C0d0", "error": "203", "faint": "245"}
	if c.HQ.Theme != "nord" || !reflect.DeepEqual(c.HQ.Colors, want) {
		t.Errorf("the theme is %q with %v, want nord with %v", c.HQ.Theme, c.HQ.Colors, want)
	}
	for text, want := range map[string]string{
		"\n[hq]\ntheme = \"nrod\"": `ferrus.toml:3: hq.theme is "nrod", but must be one of: ferrus, nord, gruvbox, ` +
			`contrast, terminal`,
		"[hq.colors]\naccnt = 3": "ferrus.toml:2: hq.colors.accnt is not a color of HQ; the colors are accent, " +
			"success, warning, error, faint, border",
		"[hq.colors]\naccent = \"blue\"": `ferrus.toml:2: hq.colors.accent must be a color such as "#88c0d0", or a ` +
			`number from 0 to 255, not the string "blue"`,
		"[hq.colors]\naccent = 256": `ferrus.toml:2: hq.colors.accent must be a color such as "#88c0d0", or a ` +
			`number from 0 to 255, not the number 256`,
	} {
		if _, err := Parse([]byte(text), agents); err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}
