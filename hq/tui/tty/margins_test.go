package tty

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/vt"
)

// TestScreenIsRightAfterAResizeInTheMiddleOfAFrame checks that, however much of a frame the
// terminal has read when its size changes, the frames after the next full one match the renderer's.
func TestScreenIsRightAfterAResizeInTheMiddleOfAFrame(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it makes many calls")
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	margins := 0
	for range 60 {
		const width, height = 60, 24
		d := drawn{height: height - 1 - random.IntN(3)}
		d.renderer = uv.NewTerminalRenderer(&d.out, []string{"TERM=xterm-256color"})
		d.renderer.SetFullscreen(true)
		d.renderer.SetScrollOptim(true)
		d.terminal = vt.New(width, d.height, 0)
		d.buffer = uv.NewScreenBuffer(width, d.height)
		for range 6 { // until a frame scrolls
			d.next(random)
			frame := bytes.Clone(d.frame())
			if at := bytes.LastIndex(frame, []byte(fmt.Sprintf("\x1b[1;%dr", d.height))); at >= 0 {
				margins++
				_, _ = d.terminal.Write(frame[:at])
				d.resize(width, height)
				_, _ = d.terminal.Write(frame[at:])
				break
			}
			_, _ = d.terminal.Write(frame)
		}
		d.resize(width, height)
		d.height = height
		d.buffer.Resize(width, height)
		d.buffer.Touched = nil
		d.renderer.Erase()
		d.renderer.Resize(width, height)
		for n := range 20 {
			d.next(random)
			_, _ = d.terminal.Write(withoutMargins(d.frame()))
			for y, want := range d.rows {
				if got := ansi.Strip(d.terminal.Row(y)); strings.TrimRight(got, " ") != want {
					t.Fatalf("frame %d, row %d: %q, not %q", n, y, got, want)
				}
			}
		}
	}
	if margins == 0 {
		t.Error("no frame scrolled")
	}
}

// drawn is a renderer and the terminal that it draws on.
type drawn struct {
	renderer *uv.TerminalRenderer
	terminal *vt.Terminal
	buffer   uv.ScreenBuffer
	out      bytes.Buffer
	height   int
	top      int // number of the first row
	rows     []string
}

func (d *drawn) resize(width, height int) { d.terminal.Resize(width, height) }

// next makes the next frame: a list that scrolls, and a line below it that changes.
func (d *drawn) next(random *rand.Rand) {
	d.top = max(0, d.top+random.IntN(7)-3)
	d.rows = d.rows[:0]
	for y := range d.height - 1 {
		d.rows = append(d.rows, fmt.Sprintf("| #%d |", d.top+y))
	}
	d.rows = append(d.rows, fmt.Sprintf("> %d", random.IntN(10)))
}

// frame returns the renderer's output for it.
func (d *drawn) frame() []byte {
	d.out.Reset()
	d.buffer.Clear()
	uv.NewStyledString(strings.Join(d.rows, "\n")).Draw(d.buffer, d.buffer.Bounds())
	d.renderer.Render(d.buffer.RenderBuffer)
	_ = d.renderer.Flush() // to a buffer
	return d.out.Bytes()
}
