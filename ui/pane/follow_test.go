package pane

import (
	"fmt"
	"strings"
	"testing"

	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// The visible lines stay in place while an agent prints, even when the scrollback is full and drops
// as many lines as come.
func TestFollowKeepsWhatIsRead(t *testing.T) {
	p := &Pane{Terminal: vt.NewLocked(20, 4, 10)}
	theme := new(style.Theme)
	lines := func(from, to int) {
		for i := from; i < to; i++ {
			_, _ = fmt.Fprintf(p.Terminal, "line %d\r\n", i)
		}
	}
	top := func() string {
		p.Follow(false)
		return strings.TrimSpace(strings.ReplaceAll(p.Draw(theme, 20, 4, &CopyMode{})[0], "\x1b[m", ""))
	}
	lines(0, 30)
	p.ScrollTo(4)
	read := top()
	if read != "line 23" {
		t.Fatalf("4 lines back is %q", read)
	}
	lines(30, 33)
	if got := top(); got != read || p.Back != 7 {
		t.Errorf("3 lines later it shows %q, %d lines back", got, p.Back)
	}
	lines(33, 60)
	if got := top(); got != "line 47" || p.Back != 10 {
		t.Errorf("when it is forgotten, it shows %q, %d lines back, instead of the oldest", got, p.Back)
	}
}
