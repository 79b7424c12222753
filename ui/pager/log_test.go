package pager

import (
	"fmt"
	"strings"
	"testing"

	"ferrus/ui/style"
	"ferrus/ui/view"
)

// TestTheChosenEntryStaysInSight checks that the chosen entry stays visible when the screen becomes
// smaller.
func TestTheChosenEntryStaysInSight(t *testing.T) {
	t.Parallel()
	var all []view.Entry
	for i := range 20 {
		all = append(all, view.Entry{EntryID: view.EntryID{Seq: uint64(i + 1)}, Event: fmt.Sprintf("event %d.", i+1)})
	}
	l, theme := NewLog(view.EntryID{}), style.NewTheme(true)
	for _, h := range []int{30, 8, 3} {
		if rows := strings.Join(l.Draw(theme, all, 80, h), "\n"); !strings.Contains(rows, "event 20.") {
			t.Errorf("in %d rows the newest, which is chosen, is not seen:\n%s", h, rows)
		}
	}
}
