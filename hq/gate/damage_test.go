package gate

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// FuzzRunning gives the next runner any gate.json: it either says what to do or continues, and ends
// no process without the marker.
func FuzzRunning(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `{"group":1}`, `{"group":-1,"marker":""}`,
		`{"ticket":18446744073709551615,"marker":"x","log":"../../x"}`, `{"ticket":-1}`, `[`, "\x00"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	if _, err := store.Create(f.Context(), dir, core.New(time.Now())); err != nil {
		f.Fatal(err)
	}
	p, err := project.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := p.Store.WriteFile(gateFile, data); err != nil {
			t.Fatal(err)
		}
		err := KillLost(t.Context(), p)
		if err != nil && !strings.Contains(err.Error(), "run: ferrus doctor --repair") {
			t.Fatalf("%q: %v, want a hint to run: ferrus doctor --repair", data, err)
		}
		if _, left := p.Store.ReadFile(gateFile); err == nil && !errors.Is(left, fs.ErrNotExist) {
			t.Fatalf("%q is left: %v", data, left)
		}
	})
}
