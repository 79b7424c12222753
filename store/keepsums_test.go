package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files that are put back together with their sums are consistent in themselves: only the hash of
// the sums outside shows it.
func TestOlderFilesAreRefused(t *testing.T) {
	t.Parallel()
	const agents = "agents.json"
	d, _, _ := keptStore(t)
	ok(t, d.WriteFile(agents, []byte("one")))
	older := [][]byte{d.get(t, agents), d.get(t, sumsName)}
	ok(t, d.WriteFile(agents, []byte("two")))
	ok(t, d.Verify(t.Context()))
	d.put(t, agents, older[0])
	d.put(t, sumsName, older[1])
	var damaged *DamagedError
	if err := d.Verify(t.Context()); !errors.As(err, &damaged) || filepath.Base(damaged.File) != sumsName {
		t.Errorf("verified: %v", err)
	}
	if data, err := d.ReadFile(agents); !errors.As(err, &damaged) {
		t.Errorf("read %q, %v", data, err)
	}
	if err := d.WriteFile(agents, []byte("three")); !errors.As(err, &damaged) {
		t.Errorf("written over: %v", err)
	}
	if e, err := d.Examine(); err != nil || e.IsIntact() || e.Files == nil {
		t.Errorf("%s, %v", describe(e), err)
	}
	r, err := d.Repair(t.Context(), nil)
	if err != nil || len(r.Unfixed) > 0 || !strings.Contains(strings.Join(r.Fixed, "\n"), "an older or another copy") {
		t.Fatalf("%+v, %v", r, err)
	}
	ok(t, d.WriteFile(agents, []byte("four")))
	ok(t, d.Verify(t.Context()))
}

// After a completed change only the new file is valid; after one during which the writer or the
// power was lost, the previous file is valid as well.
func TestAConfirmedChange(t *testing.T) {
	t.Parallel()
	const agents = "agents.json"
	d, _, heads := keptStore(t)
	ok(t, d.WriteFile(agents, []byte("one")))
	early := confirmedFile(t, heads)
	before, err := os.ReadFile(early)
	ok(t, err)
	ok(t, d.WriteFile(agents, []byte("two")))
	ok(t, d.Verify(t.Context()))
	refused := func(why string) {
		t.Helper()
		var damaged *DamagedError
		if err := d.Verify(t.Context()); !errors.As(err, &damaged) || filepath.Base(damaged.File) != agents {
			t.Errorf("%s: %v", why, err)
		}
	}
	d.put(t, agents, []byte("one"))
	refused("the file before the change")
	for why, confirmed := range map[string][]byte{"torn": before[:len(before)/2], "empty": {}, "an older one": before} {
		ok(t, os.WriteFile(early, confirmed, 0o600))
		if err := d.Verify(t.Context()); err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}
	d.put(t, agents, []byte("two"))
	ok(t, d.WriteFile(agents, []byte("three")))
	d.put(t, agents, []byte("two"))
	refused("after the next change")
	d.put(t, agents, []byte("three"))
	ok(t, d.Remove(agents))
	ok(t, d.Verify(t.Context()))
	d.put(t, agents, []byte("three"))
	refused("a file that was removed")
}

// confirmedFile returns the one there is.
func confirmedFile(t *testing.T, heads Heads) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(string(heads), "*.confirmed"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%q, %v", all, err)
	}
	return all[0]
}

// A file that changes while nothing can be written outside leads to a question for you, not to a
// report of damage.
func TestFilesThatChangedUnkept(t *testing.T) {
	t.Parallel()
	const agents = "agents.json"
	d, _, heads := keptStore(t)
	ok(t, d.WriteFile(agents, []byte("one")))
	ok(t, os.Chmod(string(heads), 0o722)) // what other users can write is not used
	ok(t, d.WriteFile(agents, []byte("two")))
	ok(t, d.Verify(t.Context()))
	ok(t, os.Chmod(string(heads), 0o700))
	var at *PlaceError
	if err := d.Verify(t.Context()); !errors.As(err, &at) || !strings.Contains(at.Why, "could not be kept outside") {
		t.Fatalf("verified: %v", err)
	}
	if why, err := d.Adopt(t.Context()); err != nil || why != at.Why {
		t.Fatalf("d.Adopt(t.Context()) is %v, want %v; the error is %v, want none", why, at.Why, err)
	}
	ok(t, d.Verify(t.Context()))
	ok(t, d.WriteFile(agents, []byte("three")))
}

// ok fails a test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
