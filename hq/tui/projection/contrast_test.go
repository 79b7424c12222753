package projection

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"ferrus/hq/conductor"
	"ferrus/ui"
	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// textContrast is what text needs against its background to be read, as the rules for
// pages of the web have it.
const textContrast = 4.5

// ground is what a terminal draws where nothing else is said. A dark terminal is rarely
// all black.
var ground = map[bool]struct{ text, background color.Color }{
	true:  {lipgloss.Color("#d4d4d4"), lipgloss.Color("#1e1e1e")},
	false: {lipgloss.Color("#000000"), lipgloss.Color("#ffffff")},
}

// TestEveryFrameCanBeRead checks that every text cell of every scene in every theme, dark and
// light, has the contrast that text needs. Borders are exempt.
func TestEveryFrameCanBeRead(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it draws every frame in every theme")
	}
	for _, name := range style.ThemeNames() {
		for _, dark := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s-dark-%v", name, dark), func(t *testing.T) {
				t.Parallel()
				reader := &frameReader{t: t, dark: dark, own: name == "terminal", seen: map[vt.Style]bool{}}
				for scene, draw := range everyScene(t) {
					if reader.own && slices.Contains(notOfATheme, scene) {
						continue
					}
					reader.scene = scene
					reader.read(draw(style.Choice{Name: name}, dark).Content)
				}
			})
		}
	}
}

// notOfATheme are the scenes whose colours the terminal's own theme does not choose: what
// an agent draws, and a first run, when no theme is chosen yet.
var notOfATheme = []string{"an agent's colours", "first run"}

// everyScene returns the screens of all states and dialogs, of a first run, and of an agent
// that uses its sixteen colours.
func everyScene(t *testing.T) map[string]func(c style.Choice, dark bool) tea.View {
	all := map[string]func(style.Choice, bool) tea.View{}
	add := func(name string, v func() conductor.View, act func(*ui.Model)) {
		all[name] = func(c style.Choice, dark bool) tea.View {
			shown := projected(v())
			shown.Theme = c
			m := opened(shown, contrastSize[0], contrastSize[1], !dark)
			act(m)
			return m.View()
		}
	}
	for name := range scenes {
		add(name, func() conductor.View { return fixture(t, name) }, func(*ui.Model) {})
	}
	for _, s := range dialogScenes(t) {
		add(s.name, func() conductor.View { return fixture(t, s.state) }, func(m *ui.Model) { s.act(t, m) })
	}
	add("an agent's colours", func() conductor.View {
		v := fixture(t, "executing")
		v.Panes[1] = printed(v.Panes[1], "\r\n"+sixteenColours())
		return v
	}, func(*ui.Model) {})
	all["first run"] = func(_ style.Choice, dark bool) tea.View {
		choice := ui.SetupChoice{Supervisor: "claude-code", Executor: "codex", Checks: []string{"go test ./..."}}
		return guided(proposal(choice), contrastSize[0], contrastSize[1], !dark, nil).View()
	}
	return all
}

// contrastSize has room for everything at once: the task beside the panes, and both sides
// of a diff.
var contrastSize = [2]int{200, 50}

// sixteenColours returns a word in each of an agent's colours, plain and bold.
func sixteenColours() string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "\x1b[%dmword\x1b[1mword\x1b[m \x1b[%dmword\x1b[1mword\x1b[m\r\n", 30+i, 90+i)
	}
	return b.String()
}

// frameReader measures the contrast of text in frames.
type frameReader struct {
	t     *testing.T
	dark  bool
	own   bool              // the theme has the terminal's own colours, and chooses no background
	scene string            // for a report
	seen  map[vt.Style]bool // looks that were measured
}

// read measures the text of a frame. Each look is reported once.
func (r *frameReader) read(content string) {
	screen := vt.New(contrastSize[0], contrastSize[1], 0)
	_, _ = screen.Write([]byte(strings.ReplaceAll(content, "\n", "\r\n")))
	for y := range contrastSize[1] {
		for x := range contrastSize[0] {
			text, look := screen.Cell(x, y)
			if strings.TrimSpace(text) == "" || isBorder(text) || r.seen[look] {
				continue
			}
			r.seen[look] = true
			if why := r.complaint(look); why != "" {
				r.t.Errorf("%s: %s in: %s", r.scene, why, strings.Join(cellTexts(screen, y), ""))
			}
		}
	}
}

func cellTexts(screen *vt.Terminal, y int) (all []string) {
	for x := range contrastSize[0] {
		text, _ := screen.Cell(x, y)
		all = append(all, text)
	}
	return all
}

// isBorder reports whether a cell is a line of a box or a piece of a bar.
func isBorder(text string) bool {
	r := []rune(text)[0]
	return 0x2500 <= r && r <= 0x259f
}

// complaint says why a look is unreadable; empty: it is readable.
func (r *frameReader) complaint(look vt.Style) string {
	if r.own {
		return ownComplaint(look, r.dark)
	}
	text, under := colorOf(look.FG, ground[r.dark].text), colorOf(look.BG, ground[r.dark].background)
	if look.Attr&vt.Reverse != 0 {
		text, under = under, text
	}
	if look.Attr&vt.Faint != 0 {
		text = lipgloss.Blend1D(3, text, under)[1]
	}
	if got := contrastOf(text, under); got < textContrast {
		return fmt.Sprintf("%+v has a contrast of %.2f", look, got)
	}
	return ""
}

// ownComplaint checks the theme of the terminal's own colors: their appearance is up to the
// terminal, so no background is chosen, and only colors that are readable on nearly every
// terminal's background.
func ownComplaint(look vt.Style, dark bool) string {
	fine := map[bool][]uint8{true: {1, 2, 3, 5, 6}, false: {1, 2, 4, 5, 6}}[dark] // 6 is an agent's
	index, named := look.FG.Index()
	switch {
	case look.BG != 0:
		return fmt.Sprintf("%+v has a background of its own", look)
	case look.FG != 0 && (!named || !slices.Contains(fine, index)):
		return fmt.Sprintf("%+v is not a colour to rely on", look)
	}
	return ""
}

func colorOf(c vt.Color, otherwise color.Color) color.Color {
	if i, ok := c.Index(); ok {
		return lipgloss.ANSIColor(i)
	}
	if red, green, blue, ok := c.RGB(); ok {
		return color.RGBA{red, green, blue, 0xff}
	}
	return otherwise
}

// contrastOf is 1 for two equal colours, and 21 for black on white.
func contrastOf(one, other color.Color) float64 {
	a, b := luminanceOf(one), luminanceOf(other)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func luminanceOf(c color.Color) float64 {
	red, green, blue, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(red) + 0.7152*linear(green) + 0.0722*linear(blue)
}
