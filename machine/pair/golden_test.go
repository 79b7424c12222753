package pair

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name + ".golden"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it, then run go test -update:\n%s", path, got)
	}
}

func TestRendered(t *testing.T) {
	tab := Table(Policy{Iterations: 20, Silent: SilentLimit})
	golden(t, "table.md", tab.Markdown())
	golden(t, "diagram.mermaid", tab.Mermaid())
}
