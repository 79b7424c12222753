package png

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"ferrus/ui/vt"
)

// drawn is a bare picture of what s shows in columns x 1 cells.
func drawn(t *testing.T, columns int, s string) *image.NRGBA {
	t.Helper()
	v := vt.New(columns, 1, 0)
	v.Write([]byte(s))
	picture, err := Draw(v, Options{Bare: true})
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func TestNoCharacterOfAScreenIsMissing(t *testing.T) {
	t.Parallel()
	fonts, err := loadFonts(defaultSize)
	if err != nil {
		t.Fatal(err)
	}
	const used = "│─┌┐└┘├┤┬┴┼╭╮╰╯━┃╌═║▏▎▍▌▋▊▉█▀▄▐░▒▓▔▕●○◉◌◐◑◆◇■□▪▸▾▶▲▼✓✔✗✘×❯❮›‹»" +
		"⏺⏸⏹⎿⏎↵↩↪↑↓←→↳⇒⚠★☆✢✳✶✻✽☐☑☒⋯⋮…•·⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⣿≤≥≠λπ–—‘’“”€£°±äéñЖ◎◯∙"
	p := pen{img: image.NewNRGBA(image.Rect(0, 0, 40, 40)), rect: image.Rect(0, 0, 17, 36)}
	for _, r := range used {
		if !p.box(r) && !p.block(r) && !p.braille(r) && !p.symbol(r) && !fonts.has(r) {
			t.Errorf("%c (%U) cannot be drawn", r, r)
		}
	}
	for r := rune(0x2500); r < 0x25a0; r++ {
		before := bytes.Clone(p.img.Pix)
		p.color.R++
		if p.color.A = 255; !p.box(r) && !p.block(r) || bytes.Equal(before, p.img.Pix) {
			t.Errorf("%c (%U) draws nothing", r, r)
		}
	}
}

func TestLinesMeetAtTheEdges(t *testing.T) {
	t.Parallel()
	picture := drawn(t, 3, "─┼╮")
	b := picture.Bounds()
	middle := b.Dy() / 2
	want := picture.NRGBAAt(b.Dx()/2, middle)
	for x := range 2 * b.Dx() / 3 {
		if got := picture.NRGBAAt(x, middle); got != want {
			t.Fatalf("the line is %v at %d, %v in the middle", got, x, want)
		}
	}
	if got := picture.NRGBAAt(b.Dx()*5/6, b.Dy()-1); got != want {
		t.Errorf("the corner does not reach the bottom: %v", got)
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	picture := drawn(t, 4, "\x1b[48;2;1;2;3m \x1b[m\x1b[7m \x1b[m\x1b[31m█\x1b[2m█")
	width, middle := picture.Bounds().Dx()/4, picture.Bounds().Dy()/2
	colors := vt.New(1, 1, 0).Colors
	red := toColor(vt.PaletteRGB(1))
	want := []color.NRGBA{
		{1, 2, 3, 255},
		toColor(colors.Foreground),
		red,
		blend(red, toColor(colors.Background), 0.45),
	}
	for x, want := range want {
		if got := picture.NRGBAAt(x*width+width/2, middle); got != want {
			t.Errorf("cell %d is %v, want %v", x, got, want)
		}
	}
}

func TestTheCursorIsDrawnWhenAsked(t *testing.T) {
	t.Parallel()
	v := vt.New(2, 1, 0)
	for _, c := range []struct {
		shape string
		drawn bool
	}{{"", true}, {"\x1b[6 q", true}, {"\x1b[4 q", true}, {"\x1b[?25l", false}} {
		v.Write([]byte(c.shape))
		without, err1 := Draw(v, Options{})
		with, err2 := Draw(v, Options{Cursor: true})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if drawn := !bytes.Equal(without.Pix, with.Pix); drawn != c.drawn {
			t.Errorf("after %q the cursor is drawn: %v", c.shape, drawn)
		}
	}
}

func TestEveryStyleShows(t *testing.T) {
	t.Parallel()
	plain := drawn(t, 2, "ab")
	for _, sgr := range []string{"1", "2", "3", "1;3", "4", "4:2", "4:3", "4:4", "4:5", "7", "8", "9", "53", "4;58;5;1"} {
		if bytes.Equal(plain.Pix, drawn(t, 2, "\x1b["+sgr+"mab").Pix) {
			t.Errorf("SGR %s does not show", sgr)
		}
	}
}

func TestWriteIsAPictureOfThatSize(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Write(&b, vt.New(20, 5, 0), Options{}); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := picture.Bounds().Size(), image.Pt(24*17, 5*36+4*17); got != want {
		t.Errorf("it has %v pixels, want %v", got, want)
	}
	if _, _, _, alpha := picture.At(0, 0).RGBA(); alpha != 0 {
		t.Error("the corners of the window are not round")
	}
}
