package deck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// copies waits until the terminal was given a text for its clipboard.
func (h *terminal) copies(text string) {
	h.Helper()
	h.wait("a clipboard with "+text, func() bool { return h.screen.Clipboard() == text })
}

// cell is where the screen shows a text, from 1.
func (h *terminal) cell(text string) (x, y int) {
	h.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for y, line := range strings.Split(h.text(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			return ansi.StringWidth(before) + 1, y + 1
		}
	}
	h.Fatalf("no %q on the screen:\n%s", text, h.text())
	return 0, 0
}

func TestWhatIsReadInAPaneReachesTheClipboard(t *testing.T) {
	h := start(t, "work")
	h.until("2 executor  demo")
	h.keys("\x0f2")
	h.until("keys go to 2 executor")
	h.keys("the needle 漢字 is/here")
	h.until("│the needle 漢字 is/here")
	h.keys("\x1d")
	h.until("Tab complete")
	h.keys("\x0f/needle")
	h.until("find needle▏ 1 of 1")
	h.keys("\rv\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[Cy")
	h.copies("needle 漢")
	h.until("copied 8 characters; Ctrl+Y puts it at the prompt")
	h.keys("/status \x19")
	h.until("> /status needle 漢")
	h.keys("\x15")
	x, y := h.cell("is/here")
	h.keys(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%d;%dm", x, y, x-5, y, x-5, y))
	h.copies("漢字 i")
	h.keys(strings.Repeat(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x, y, x, y), 2))
	h.copies("is/here")
	h.until("copied 7 characters")
	h.keys("\x1d\x03\x03")
	h.ends(0)
}
