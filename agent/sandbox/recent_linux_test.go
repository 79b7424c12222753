package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := heldBefore(file, w.Network, "why", now.Add(heldFor-1)); err == nil {
		t.Errorf("weaker walls are used where stronger ones held: %v", err)
	}
	if err := heldBefore(file, w.Network, "why", now.Add(heldFor)); err != nil {
		t.Errorf("walls that held a day ago: %v", err)
	}
	if err := heldBefore(file, Proxied, "why", now); err != nil {
		t.Errorf("walls that held with another network: %v", err)
	}
	note(func(of *tried) { of.Doubted = true })
	if _, ok := readTried(file, w.Network, now); ok {
		t.Error("walls count that a program did not start in")
	}
	if err := heldBefore(file, w.Network, "why", now); err == nil {
		t.Error("weaker walls are used where a program did not start in walls that held")
	}
	note(func(of *tried) { of.System = "another" })
	if err := heldBefore(file, w.Network, "why", now); err != nil {
		t.Errorf("walls that held on another system: %v", err)
	}
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

// TestWallsThatHeldAreNotReplacedByWeakerOnes has walls hold at first, and then no longer, for no reason that the
// system gives: a program inside may have used up namespaces, processes or open files.
func TestWallsThatHeldAreNotReplacedByWeakerOnes(t *testing.T) {
	w := walls(t, Namespace, Open)
	file := filepath.Join(t.TempDir(), "state", "walls.json")
	held := true
	p := probes{Namespace, func(context.Context, Network) (Walls, error) {
		if !held {
			return Walls{}, &Error{"start namespace walls", "no space left on device"}
		}
		return w, nil
	}, func(context.Context) (Walls, error) { return Walls{Kind: Landlock}, nil }}
	if got, err := p.chooseAsBefore(t.Context(), Auto, Open, file); err != nil || got.Kind != Namespace {
		t.Fatalf("at first: %v, %v", got, err)
	}
	held = false
	if got, err := p.chooseAsBefore(t.Context(), Auto, Open, file); err == nil {
		t.Errorf("later there is %s, want an error", got)
	} else if cure := Cure(err); !strings.Contains(cure, "used up") {
		t.Errorf("the remedy of %v is %q", err, cure)
	}
	if got, err := p.chooseAsBefore(t.Context(), Auto, Open, file+".none"); err != nil || got.Kind != Landlock {
		t.Errorf("where none held before: %v, %v", got, err)
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
