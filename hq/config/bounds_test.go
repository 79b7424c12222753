package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHugeNames refuses huge names at once, and briefly.
func TestHugeNames(t *testing.T) {
	huge := strings.Repeat("a", 100_000)
	for name, text := range map[string]string{
		"table":         "[checks]\n[hq." + huge + "]\n",
		"key":           "[checks]\nx = 1\n" + huge + " = 1\n",
		"quoted":        "[agent.\"" + huge + "\"]\ncommand = [\"x\"]\n",
		"agent":         "[agent." + huge + "]\ncommand = [\"x\"]\n",
		"dotted":        strings.Repeat("a.", 50_000) + "a = 1\n",
		"inline":        "x = " + strings.Repeat("{a = ", 2000) + "1" + strings.Repeat("}", 2000) + "\n",
		"dotted tables": "[" + strings.Repeat("a.", 50_000) + "a]\nb = 1\n",
	} {
		_, err := Parse([]byte(text), nil)
		if failed := (*Error)(nil); !errors.As(err, &failed) || len(err.Error()) > 300 {
			t.Errorf("%s: %.300v, want a short error", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, File), []byte(strings.Repeat("#\n", maxFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, nil); err == nil || !strings.Contains(err.Error(), "at most 1048576 are allowed") {
		t.Errorf("a huge file: %v, want an error with the limit", err)
	}
}
