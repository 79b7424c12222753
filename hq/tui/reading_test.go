package tui

import (
	"fmt"
	"strings"
	"testing"

	"ferrus/ui/vt"
)

// copies waits until the terminal gets a text for its clipboard.
func (h *hqTest) copies(text string) {
	h.Helper()
	h.Wait("a clipboard with "+text, func() (is bool) {
		h.Screen.With(func(v *vt.Terminal) { is = v.Clipboard() == text })
		return is
	})
}

func TestWhatIsReadInAPaneReachesTheClipboard(t *testing.T) {
	h := start(t, "work")
	h.WaitFor("2 executor  demo")
	h.Type("\x0f2")
	h.WaitFor("Keys go to 2 executor")
	h.Type("the needle 漢字 is/here")
	h.WaitFor("│the needle 漢字 is/here")
	h.Type("\x1d")
	h.WaitFor("/ commands")
	h.Type("\x0f/needle")
	h.WaitFor("find needle▏ 1 of 1")
	h.Type("\rv\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[Cy")
	h.copies("needle 漢")
	h.WaitFor("Copied 8 characters; Ctrl+Y puts it at the prompt")
	h.Type("/status \x19")
	h.WaitFor("> /status needle 漢")
	h.Type("\x15")
	x, y := h.Cell("is/here")
	h.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%d;%dm", x, y, x-5, y, x-5, y))
	h.copies("漢字 i")
	h.Type(strings.Repeat(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x, y, x, y), 2))
	h.copies("is/here")
	h.WaitFor("Copied 7 characters")
	h.Type("\x1d\x03\x03")
	h.ends(0)
}

// Text over the panes can be copied, too: a part of it with the mouse, all of it with a key.
func TestWhatIsReadInAPageReachesTheClipboard(t *testing.T) {
	h := start(t, "work")
	h.WaitFor("2 executor  demo")
	h.Type("/status --all\r")
	h.WaitFor("Sessions:")
	x, y := h.Cell("Sessions:")
	h.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%d;%dm", x, y, x+3, y, x+3, y))
	h.copies("Sess")
	h.WaitFor("Copied 4 characters")
	h.Type("y")
	h.WaitGone("Copied 4 characters")
	h.WaitFor("Copied")
	h.Type("q\x19")
	h.WaitFor("  create_task       only while Idle, Complete") // near the end of it
	h.Type("\x03\x03")
	h.ends(0)
}
