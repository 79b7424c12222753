package remote

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The file says when the newest turn ended, and is gone while the next one runs.
func TestTurnsAreNoted(t *testing.T) {
	t.Parallel()
	v := &shown{Session: Session{TurnEnd: filepath.Join(t.TempDir(), "turn-end")}}
	v.noteTurn(false)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(v.TurnEnd, old, old); err != nil {
		t.Fatal(err)
	}
	v.noteTurn(false)
	if info, err := os.Stat(v.TurnEnd); err != nil || !info.ModTime().After(old) {
		t.Errorf("after the next end: %v, %v", info, err)
	}
	v.noteTurn(true)
	if _, err := os.Stat(v.TurnEnd); err == nil {
		t.Error("while a turn runs, the file says that it has ended")
	}
}
