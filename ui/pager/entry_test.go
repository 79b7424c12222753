package pager

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/view"
)

// A reason never touches the state before it, in a pane of any width.
func TestAReasonStandsApart(t *testing.T) {
	entry := view.Entry{At: "02:47", Event: "answer", By: "person", Why: "No"}
	entry.From.Text, entry.To.Text = "AwaitingHuman", "Addressing"
	shown := 0
	for w := 20; w < 140; w++ {
		row := ansi.Strip(EntryRow(style.NewTheme(true), entry, w, false))
		if strings.Contains(row, "AddressingNo") {
			t.Errorf("%d cells: %q", w, row)
		}
		if strings.Contains(row, " No ") {
			shown++
		}
	}
	if shown == 0 {
		t.Error("no row shows the reason")
	}
}
