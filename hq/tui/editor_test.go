package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What an editor left is read whole or stays in its file.
func TestEditedTextIsNotLost(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "draft.md")
	for written, want := range map[string]string{
		"only for GET\n":                  "",
		"caf\xe9\n":                       "line 1 has the byte 0xe9",
		strings.Repeat("x", maxWritten+1): "more than 1048576 bytes",
	} {
		if err := os.WriteFile(name, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
		got := readDraft(name)
		_, gone := os.Stat(name)
		switch {
		case want == "" && (got.Text != written || got.Error != "" || gone == nil):
			t.Errorf("read %q, %q; want the text, and the file removed", got.Text, got.Error)
		case want != "" && (!strings.Contains(got.Error, want) || !strings.Contains(got.Error, name) || gone != nil):
			t.Errorf("read %d bytes, %q; want %q, and the file left in place", len(got.Text), got.Error, want)
		}
	}
}
