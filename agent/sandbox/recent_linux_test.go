package sandbox

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"ferrus/store/exectest"
)

// TestWallsThatWereTriedCount checks which walls of another process a gate relies on: walls that were tried a few
// minutes ago, on the same system, with the same programs.
func TestWallsThatWereTriedCount(t *testing.T) {
	w := walls(t, Namespace, Open)
	file := filepath.Join(t.TempDir(), "state", "walls.json")
	now := time.Now()
	note := func(change func(of *tried)) {
		t.Helper()
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		noteTried(file, w, now)
		all := readRecent(file)
		if len(all) != 1 {
			t.Fatalf("%d walls are noted in %s, want 1", len(all), file)
		}
		of := all[w.Network]
		change(&of)
		all[w.Network] = of
		replaceKept(file, all)
	}
	note(func(*tried) {})
	got, ok := readTried(file, w.Network, now.Add(recentFor-1))
	if w.Findings = nil; !ok || !reflect.DeepEqual(got, w) {
		t.Fatalf("walls that were just tried: %+v, %t; want %+v", got, ok, w)
	}
	for name, at := range map[string]time.Time{"ten minutes later": now.Add(recentFor), "before": now.Add(-1)} {
		if _, ok := readTried(file, w.Network, at); ok {
			t.Errorf("they count %s", name)
		}
	}
	if _, ok := readTried(file, Proxied, now); ok {
		t.Error("they count for another network")
	}
	if err := os.Chmod(file, 0o622); err != nil {
		t.Fatal(err)
	}
	if _, ok := readTried(file, w.Network, now); ok {
		t.Error("a file that others can write counts")
	}
	note(func(of *tried) { of.System = "another" })
	if _, ok := readTried(file, w.Network, now); ok {
		t.Error("walls of another system count")
	}
	weaker := w
	weaker.Reason = "the proxy does not start"
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	noteTried(file, weaker, now)
	noteTried(file, Walls{Kind: Landlock, Network: Open}, now)
	if all := readRecent(file); len(all) > 0 {
		t.Errorf("weaker walls than asked for are noted: %+v", all)
	}
}

// TestTheSystemIsKnownByItsState checks that another program in the place of bubblewrap is another system.
func TestTheSystemIsKnownByItsState(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "bwrap")
	state := func() string {
		t.Helper()
		if err := exectest.WriteFile(program+".new", []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(program+".new", program); err != nil {
			t.Fatal(err)
		}
		hash, ok := systemState(Walls{Bwrap: program})
		again, _ := systemState(Walls{Bwrap: program})
		if !ok || hash != again {
			t.Fatalf("the state is %s, %t, and then %s", hash, ok, again)
		}
		return hash
	}
	if first, second := state(), state(); first == second {
		t.Error("another bubblewrap makes no difference")
	}
	if _, ok := systemState(Walls{Bwrap: program + ".gone"}); ok {
		t.Error("a system without bubblewrap has a state")
	}
}
