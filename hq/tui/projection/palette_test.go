package projection

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"

	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// colorPair is how a cell is drawn in a dark and in a light terminal, as the parameters
// of an SGR.
type colorPair struct{ dark, light string }

// palette gives the looks of the theme their letters.
type palette struct {
	letters map[colorPair]rune
	names   map[colorPair][]string
	order   []colorPair
	others  []colorPair // that the theme does not have, as they came
}

// newPalette reads the theme, whose colours are named nowhere else.
func newPalette() *palette {
	p := &palette{letters: map[colorPair]rune{{}: '.'}, names: map[colorPair][]string{}}
	p.read("", reflect.ValueOf(*style.NewTheme(true)), reflect.ValueOf(*style.NewTheme(false)))
	return p
}

// read names every look in a value of both themes, by the fields that lead to it.
func (p *palette) read(name string, dark, light reflect.Value) {
	switch dark.Kind() {
	case reflect.String:
		p.name(name, dark, light)
	case reflect.Array:
		for n := range dark.Len() {
			p.read(fmt.Sprint(name, " ", n), dark.Index(n), light.Index(n))
		}
	case reflect.Struct:
		for i := range dark.NumField() {
			if f := dark.Type().Field(i); f.Name != "Frame" && f.IsExported() { // borders have no look of their own
				p.read(strings.ToLower(f.Name), dark.Field(i), light.Field(i))
			}
		}
	}
}

func (p *palette) name(name string, dark, light reflect.Value) {
	l := colorPair{params(dark.String()), params(light.String())}
	if l == (colorPair{}) {
		return
	}
	if p.names[l] == nil {
		p.letters[l] = rune('a' + len(p.order))
		p.order = append(p.order, l)
	}
	p.names[l] = append(p.names[l], name)
}

// params are those of an SGR.
func params(sequence string) string {
	return strings.TrimSuffix(strings.TrimPrefix(sequence, "\x1b["), "m")
}

// letter returns a look's letter; a look that is not the theme's gets one from Z down.
func (p *palette) letter(l colorPair) rune {
	letter, known := p.letters[l]
	if !known {
		letter = 'Z' - rune(len(p.others))
		if letter < 'A' {
			letter = 'α' + rune(len(p.others)-26)
		}
		p.letters[l] = letter
		p.others = append(p.others, l)
	}
	return letter
}

// TestPalette holds what each letter of the frames is in every theme. Without
// colour, what is left must not hide that something is alarming or chosen.
func TestPalette(t *testing.T) {
	t.Parallel()
	p := newPalette()
	var b strings.Builder
	fmt.Fprintf(&b, "%-3s%-18s%-18s%-14s%-14s%-8s%s\n", "", "dark", "light", "dark, 16", "light, 16", "none", "for")
	for _, l := range p.order {
		fmt.Fprintf(&b, "%-3c%-18s%-18s%-14s%-14s%-8s%s\n", p.letters[l], l.dark, l.light,
			reduced(t, l.dark, colorprofile.ANSI), reduced(t, l.light, colorprofile.ANSI),
			reduced(t, l.dark, colorprofile.ASCII), strings.Join(p.names[l], ", "))
		for background, drawn := range map[string]string{"dark": l.dark, "light": l.light} {
			if got, least := contrast(drawn, background == "light"), leastContrast(p.names[l]); got < least {
				t.Errorf("%s has a contrast of %.1f in a %s terminal, and needs %.1f", p.names[l], got,
					background, least)
			}
		}
		if one, other := reduced(t, l.dark, colorprofile.ASCII), reduced(t, l.light, colorprofile.ASCII); one != other {
			t.Errorf("without colours the themes are not one: %q and %q", one, other)
		}
	}
	golden.RequireEqual(t, b.String())
}

// reduced returns a look as a terminal with fewer colours gets it.
func reduced(t *testing.T, look string, to colorprofile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	w := colorprofile.Writer{Forward: &b, Profile: to}
	if _, err := w.WriteString("\x1b[" + look + "m"); err != nil {
		t.Fatal(err)
	}
	return params(b.String())
}

// leastContrast returns 4.5 for text, and less for lines that are not read.
func leastContrast(names []string) float64 {
	if slices.Contains(names, "border") {
		return 2
	}
	return 4.5
}

// contrast returns the contrast of a look's colour with the background, as defined for
// pages of the web: 1 is none, 21 is black on white.
func contrast(look string, light bool) float64 {
	_, number, coloured := strings.Cut(look, "38;5;")
	if !coloured {
		return 21
	}
	n, _, _ := strings.Cut(number, ";")
	index, _ := strconv.Atoi(n)
	own, under := luminance(uint8(index)), 0.0
	if light {
		under = 1
	}
	return (max(own, under) + 0.05) / (min(own, under) + 0.05)
}

func luminance(index uint8) float64 {
	linear := func(c uint8) float64 { return math.Pow((float64(c)/255+0.055)/1.055, 2.4) }
	r, g, b, _ := vt.PaletteRGB(index).RGB()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
