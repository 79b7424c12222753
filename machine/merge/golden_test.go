package merge

import (
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

// rendered compares a text with its golden file; -update writes it.
func rendered(t *testing.T, name, got string) {
	t.Helper()
	t.Run(name, func(t *testing.T) { golden.RequireEqual(t, got) })
}

func TestRendered(t *testing.T) {
	rendered(t, "table.md", Table(4).Markdown())
	rendered(t, "diagram.mermaid", Table(4).Mermaid())
}
