package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ferrus/store"
)

// TestJSONIsPlain checks that JSON has no character that a terminal acts on or does not show, and
// loses none.
func TestJSONIsPlain(t *testing.T) {
	text := "a\x1b[31m\x7f\u009b\u202ebidi\u2066\u200b\ufeff\U000e0041é漢"
	var out bytes.Buffer
	if err := (&streams{out: &out}).printJSON(text); err != nil {
		t.Fatal(err)
	}
	want := `"a\u001b[31m\u007f\u009b\u202ebidi\u2066\u200b\ufeff\udb40\udc41é漢"` + "\n"
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text || out.String() != want {
		t.Errorf("%s, want %s; read back %q, %v", out.String(), want, back, err)
	}
	out.Reset()
	line := &journalPrinter{out: &out, json: true}
	if err := line.printLine(store.Entry{Why: text}); err != nil || !strings.Contains(out.String(),
		strings.TrimSpace(want)) || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("a line of the journal: %q, %v", out.String(), err)
	}
}
