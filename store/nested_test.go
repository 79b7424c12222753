package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A directory below .ferrus has its own state and journal, and shares nothing with the one above
// it.
func TestStateWithin(t *testing.T) {
	t.Parallel()
	above, _ := newStore(t)
	d, err := CreateIn(t.Context(), above, "workflows/one", world{State: "Idle", By: map[string]int{}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		update(t, d, Call{}, step)
	}
	if _, err := CreateIn(t.Context(), above, "workflows/one", world{State: "Idle"}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made twice: %v", err)
	}
	again, err := OpenIn[world](above, "workflows/one")
	if err != nil {
		t.Fatal(err)
	}
	state, err := again.Load()
	if err != nil || state.Seq != 3 || state.World.N != 3 {
		t.Errorf("%+v, %v", state, err)
	}
	names, err := again.List(".")
	if err != nil || !slices.Contains(names, "state.json") || slices.Contains(names, stateName) {
		t.Errorf("%v, %v", names, err)
	}
	if main, err := above.Load(); err != nil || main.Seq != 0 {
		t.Errorf("the state above moved: %+v, %v", main, err)
	}
	lines, err := again.Journal(0)
	if err == nil {
		_, err = Fold(lines)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestNoLinkWithin(t *testing.T) {
	t.Parallel()
	above, _ := newStore(t)
	if err := os.Symlink(t.TempDir(), filepath.Join(above.root, "workflows")); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateIn(t.Context(), above, "workflows/one", world{State: "Idle"}); err == nil {
		t.Error("followed a link")
	}
	if _, err := OpenIn[world](above, "workflows/one"); err == nil {
		t.Error("opened through a link")
	}
}
