package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

func must[R any](r R, err error) R {
	if err != nil {
		panic(err)
	}
	return r
}

// A state that the journal proves but that is invalid is not written.
func TestUnsoundIsNotRebuilt(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	if err := os.Remove(d.Path(stateName)); err != nil {
		t.Fatal(err)
	}
	r, err := d.Repair(context.Background(), func(tasked) error { return errors.New("no sense") })
	if err != nil || len(r.Unfixed) != 1 || !strings.Contains(r.Unfixed[0], "cannot be rebuilt: no sense") {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := os.Stat(d.Path(stateName)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// A replaced file can be recovered.
func TestRepairKeepsWhatItReplaces(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	swap(stateName, `"n": 6`, `"n": 7`)(t, d)
	swap("TASK.md", "text", "edited")(t, d)
	before := snapshot(t, d.root)
	if _, err := d.Repair(context.Background(), tasked.sound); err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for name, text := range snapshot(t, d.root) {
		if strings.HasPrefix(name, "/"+lostDir+"/") {
			kept[text] = true
		}
	}
	for _, name := range []string{"/STATE.json", "/TASK.md"} {
		if !kept[before[name]] {
			t.Errorf("%s is nowhere in %v", name, kept)
		}
	}
}

// FuzzRepair gives Repair any two files: it ends in a verified state, or changes nothing.
func FuzzRepair(f *testing.F) {
	d := newTasked(f)
	state, journal := d.get(f, stateName), d.get(f, journalName)
	f.Add(state, journal)
	f.Add([]byte(nil), journal)
	f.Add(state, []byte(nil))
	f.Add(state, append(bytes.Clone(journal), journal[:500]...))
	f.Add(bytes.ReplaceAll(state, []byte(`"n": 6`), []byte(`"n": null`)), journal[1:])
	f.Add(
		[]byte(
			`{"schema_version":2,"seq":1,"updated_at":"2026-01-01T00:00:00Z","owner_pid":1,"docs":{"x":{"file":"../y"}},"state":"Idle"}`), []byte("{}\n{\"seq\":1,\"data\":null}\n"))
	f.Fuzz(func(t *testing.T, state, journal []byte) {
		m := newMemory()
		dir := newFolder()
		m.top.live[".ferrus"] = dir
		dir.live[stateName], dir.live[journalName] = &node{data: state}, &node{data: journal}
		d := taskedOn(m)
		if _, err := d.Examine(); err != nil {
			t.Fatal(err)
		}
		r, err := d.Repair(context.Background(), tasked.sound)
		if err != nil || len(r.Unfixed) > 0 {
			return
		}
		e, err := d.Examine()
		if err != nil || !e.IsIntact() {
			t.Fatalf("%+v left %s, %v", r, describe(e), err)
		}
	})
}
