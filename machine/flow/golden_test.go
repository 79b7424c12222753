package flow

import (
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

func TestRendered(t *testing.T) {
	for _, kind := range Types {
		f := Of(kind)
		t.Run(string(kind)+".md", func(t *testing.T) { golden.RequireEqual(t, f.Table.Markdown()) })
		t.Run(string(kind)+".mermaid", func(t *testing.T) { golden.RequireEqual(t, f.Mermaid("")) })
	}
}
