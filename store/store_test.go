package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newStore returns an Idle state in a project of its own.
func newStore(t testing.TB) (*Dir[world], string) {
	t.Helper()
	project := t.TempDir()
	d, err := Create(context.Background(), project, world{State: "Idle", By: map[string]int{}})
	if err != nil {
		t.Fatal(err)
	}
	return d, project
}

// step records an event that counts.
func step(tx *Tx[world]) error {
	tx.World.N++
	tx.Record("step", "person", "", "")
	return nil
}

func update(t testing.TB, d *Dir[world], call Call, f func(tx *Tx[world]) error) UpdateResult[world] {
	t.Helper()
	out, err := d.Update(context.Background(), call, f)
	if err == nil {
		err = out.Unfinished
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// snapshot returns everything on the disk, by name.
func snapshot(t testing.TB, project string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(project, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data := []byte(e.Type().String())
		if e.Type().IsRegular() {
			data, err = os.ReadFile(path)
		}
		files[strings.TrimPrefix(path, project)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func same(t testing.TB, before, after map[string]string) {
	t.Helper()
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Fatalf("the disk changed from\n%v\nto\n%v", before, after)
	}
}

func TestStateIsForPeople(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	update(t, d, Call{ID: "c1", Session: "s1", Key: "k1"}, func(tx *Tx[world]) error {
		tx.World.State = "Executing"
		tx.SetText("TASK.md", "do it")
		tx.SetResult(map[string]any{"task": "t-1", "none": nil})
		tx.Record("create_task", "person", "", "a < b -> c")
		return nil
	})
	data, err := d.ReadFile("STATE.json")
	if err != nil {
		t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(data, &state); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"updated_at", "owner_pid"} {
		old, err := json.Marshal(state[key])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{`"` + key + `": `, `"at":`} {
			data = []byte(strings.ReplaceAll(string(data), name+string(old), name+`"..."`))
		}
	}
	want := `{
  "schema_version": 2,
  "seq": 1,
  "updated_at": "...",
  "owner_pid": "...",
  "state": "Executing",
  "n": 0,
  "by": {},
  "docs": {
    "TASK.md": {
      "file": "docs/000001-TASK.md",
      "sha256": "e53aef49b46fde4cef6f9a9ddf07a4ce5ff7f33a5f6a1b2bd5d43e3fe1a5b3ac"
    }
  },
  "last": {
    "line": {"seq":1,"at":"...","event":"create_task","by":"person","session":"s1","call":"c1","from":"Idle","to":"Executing","why":"a < b -> c","data":{DATA},"state_sha":"SHA","prev":"NONE"},
    "call": "k1",
    "result": {"none":null,"task":"t-1"}
  },
  "head": {
    "project": "PROJECT",
    "seq": 1,
    "sha256": "LINE",
    "repair": false,
    "bound": true,
    "unkept": "",
    "sum": "SUM"
  }
}
`
	head := must(parse(must(d.ReadFile("STATE.json")))).Head
	line := d.lines(t)[0]
	patch := `"by":{},"docs":{"TASK.md":{"file":"docs/000001-TASK.md","sha256":"` + sha([]byte("do it")) +
		`"}},"n":0,"schema_version":2,"state":"Executing"`
	want = strings.NewReplacer("DATA", patch, "SHA\"", line.StateSHA+"\"", "NONE", noHash,
		"PROJECT", head.Project, "LINE", head.SHA256, "SUM", head.Sum,
		"e53aef49b46fde4cef6f9a9ddf07a4ce5ff7f33a5f6a1b2bd5d43e3fe1a5b3ac", sha([]byte("do it"))).Replace(want)
	if string(data) != want {
		t.Fatalf("STATE.json is\n%s\nwant\n%s", data, want)
	}
}

func (d *Dir[T]) lines(t testing.TB) []Entry {
	t.Helper()
	lines, err := d.Journal(0)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestFoldingTheJournalGivesTheState(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	for i := range 30 {
		update(t, d, Call{}, func(tx *Tx[world]) error {
			switch i % 4 {
			case 0:
				tx.World.By[fmt.Sprint(i)] = i
			case 1:
				tx.World.By = map[string]int{"one": i}
			case 2:
				tx.World.By = nil
			default:
				tx.World.By = map[string]int{}
				tx.SetText("TASK.md", fmt.Sprint(i))
			}
			if i%5 == 0 {
				now := time.Now()
				tx.World.Until = &now
				tx.SetText("TASK.md", "")
			}
			if tx.World.By == nil {
				tx.World.By = map[string]int{}
			}
			tx.Record("step", "person", "", "")
			return nil
		})
	}
	if err := sameAsFolded(d, d.lines(t)); err != nil {
		t.Fatal(err)
	}
	lines := d.lines(t)
	if _, err := Fold(append(lines[:3:3], lines[4:]...)); err == nil {
		t.Fatal("a missing line was not noticed")
	}
	lines[5].Data = json.RawMessage(`{"n":7}`)
	if _, err := Fold(lines); err == nil || !strings.Contains(err.Error(), "seq 6") {
		t.Fatalf("a changed line was not noticed: %v", err)
	}
}

func TestRefusalChangesNothing(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("TASK.md", "do it"); return step(tx) })
	before := snapshot(t, project)
	no := errors.New("no")
	for name, f := range map[string]func(tx *Tx[world]) error{
		"an error": func(tx *Tx[world]) error {
			step(tx)
			tx.World.By["x"] = 1
			tx.SetText("TASK.md", "other")
			return no
		},
		"nothing":              func(tx *Tx[world]) error { tx.World.N = 9; return nil },
		"a text without event": func(tx *Tx[world]) error { tx.SetText("TASK.md", "x"); return nil },
		"a renewal of more":    func(tx *Tx[world]) error { tx.World.N++; tx.Renew(); return nil },
		"two events":           func(tx *Tx[world]) error { step(tx); return step(tx) },
		"a bad name":           func(tx *Tx[world]) error { tx.SetText("../TASK.md", "x"); return step(tx) },
		"the name of a folder": func(tx *Tx[world]) error { tx.SetText("archive", "x"); return step(tx) },
		"a bad task":           func(tx *Tx[world]) error { tx.Archive("a/../.."); return step(tx) },
		"an odd result":        func(tx *Tx[world]) error { tx.SetResult(func() {}); return step(tx) },
	} {
		out, err := d.Update(context.Background(), Call{}, f)
		if (err == nil) != (name == "nothing") || name == "an error" && err != no {
			t.Errorf("%s: %v", name, err)
		}
		if out.State.Seq != 1 || out.State.World.N != 1 || len(out.State.World.By) != 0 {
			t.Errorf("%s: the outcome is %+v", name, out.State)
		}
		same(t, before, snapshot(t, project))
	}
}

func TestEqualCallIsAnsweredAgain(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	call := Call{ID: "c1", Key: "k"}
	answer := func(tx *Tx[world]) error { tx.SetResult(tx.Seq); return step(tx) }
	update(t, d, call, answer)
	update(t, d, Call{}, func(tx *Tx[world]) error { now := time.Now(); tx.World.Until = &now; tx.Renew(); return nil })
	before := snapshot(t, project)
	out := update(t, d, Call{ID: "c2", Key: "k"}, answer)
	if !out.Replayed || string(out.Result) != "1" || out.State.Seq != 1 {
		t.Fatalf("the outcome is %+v", out)
	}
	same(t, before, snapshot(t, project))
	if out := update(t, d, Call{Key: "other"}, answer); out.Replayed {
		t.Fatal("another call was not accepted")
	}
	if out := update(t, d, call, answer); out.Replayed || out.State.Seq != 3 {
		t.Fatal("a call was answered for an event that is not the newest")
	}
	if out := update(t, d, Call{}, answer); out.Replayed || out.State.Seq != 4 {
		t.Fatal("a call without key was taken for an equal one")
	}
}

func TestRenewalHasNoSeqAndNoLine(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	update(t, d, Call{}, step)
	until := time.Now().Add(time.Minute).UTC()
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.World.Until = &until; tx.Renew(); return nil })
	state, err := d.Load()
	if err != nil || state.Seq != 1 || !state.World.Until.Equal(until) || len(d.lines(t)) != 1 {
		t.Fatalf("%+v, %v, %d lines", state, err, len(d.lines(t)))
	}
	update(t, d, Call{}, step)
	if err := sameAsFolded(d, d.lines(t)); err != nil {
		t.Fatal(err)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	update(t, d, Call{}, func(tx *Tx[world]) error {
		tx.SetText("TASK.md", "one")
		if text, err := tx.ReadText("TASK.md"); text != "one" || err != nil {
			t.Errorf("tx.ReadText('TASK.md') is %q, want %q; the error is %v, want none", text, "one", err)
		}
		return step(tx)
	})
	first, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	replace := func(text string) {
		update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("TASK.md", text); return step(tx) })
	}
	replace("two")
	if text, err := d.ReadText(first, "TASK.md"); text != "one" || err != nil {
		t.Fatalf("the text of the state before: %q, %v", text, err)
	}
	replace("")
	if _, err := d.ReadText(first, "TASK.md"); !errors.Is(err, ErrStale) {
		t.Fatalf("a text of long ago: %v", err)
	}
	last, err := d.Load()
	if err != nil || len(last.Docs) != 0 {
		t.Fatalf("%v, %v", last.Docs, err)
	}
	if _, err := d.ReadFile("TASK.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the copy of a text that was removed: %v", err)
	}
}

func TestCopiesAreNeverReadBack(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("TASK.md", "mine"); return step(tx) })
	if err := os.WriteFile(d.Path("TASK.md"), []byte("yours"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open[world](project)
	if err != nil {
		t.Fatal(err)
	}
	state, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	verifyCopies(t, d, state)
}

func TestWaitForTheLockEndsWithTheContext(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	ctx, cancel := context.WithCancel(context.Background())
	update(t, d, Call{}, func(tx *Tx[world]) error {
		done := make(chan error)
		go func() {
			_, err := d.Update(ctx, Call{}, step)
			done <- err
		}()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the wait ended with %v", err)
		}
		return step(tx)
	})
	if out := update(t, d, Call{}, step); out.State.Seq != 2 {
		t.Fatalf("seq %d", out.State.Seq)
	}
}

func TestViewHoldsTheStateStill(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	update(t, d, Call{}, step)
	before := snapshot(t, project)
	done := make(chan error, 1)
	no := errors.New("no")
	err := d.View(context.Background(), func(s State[world]) error {
		go func() {
			_, err := d.Update(context.Background(), Call{}, step)
			done <- err
		}()
		now, err := d.Load()
		if err != nil || s.Seq != 1 || s.World.N != 1 || now.Seq != 1 {
			t.Errorf("%+v, and now %+v, %v", s, now, err)
		}
		if after := snapshot(t, project); len(after) != len(before) ||
			after["/.ferrus/STATE.json"] != before["/.ferrus/STATE.json"] {
			t.Errorf("before %v, after %v", before, after)
		}
		return no
	})
	if !errors.Is(err, no) {
		t.Errorf("the error of the function is %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if s, err := d.Load(); err != nil || s.World.N != 2 {
		t.Errorf("who waited has left %+v, %v", s.World, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	lock := d.View(context.Background(), func(State[world]) error {
		return d.View(ended, func(State[world]) error { return nil })
	})
	if !errors.Is(lock, context.Canceled) {
		t.Errorf("waiting ends with %v", lock)
	}
}
