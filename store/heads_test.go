package store

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// keptStore returns a state at seq 3 whose head is kept outside.
func keptStore(t testing.TB) (d *Dir[world], project string, heads Heads) {
	t.Helper()
	project, heads = filepath.Join(t.TempDir(), "project"), Heads(filepath.Join(t.TempDir(), "state",
		"ferrus", "heads"))
	err := os.Mkdir(project, 0o700)
	if err == nil {
		d, err = Create(context.Background(), project, world{State: "Idle", By: map[string]int{}}, heads)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		update(t, d, Call{}, step)
	}
	return d, project, heads
}

// copyTree copies a directory as a backup does.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// refuses checks that an update of a project is refused and changes nothing.
func refuses(t *testing.T, project string, heads Heads) error {
	t.Helper()
	before := snapshot(t, project)
	d := must(newDir[world](filepath.Join(project, ".ferrus"), heads))
	_, err := d.Update(context.Background(), Call{}, step)
	if err == nil {
		t.Fatal("it was accepted")
	}
	if verified := d.Verify(context.Background()); verified == nil {
		t.Error("and verified")
	}
	same(t, before, snapshot(t, project))
	return err
}

func TestHeadsArePrivate(t *testing.T) {
	t.Parallel()
	d, _, heads := keptStore(t)
	info, err := os.Stat(string(heads))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	files, err := os.ReadDir(string(heads))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 || info.Size() > slotBytes+1024 {
			t.Errorf("%s: %v, %d bytes, %v", f.Name(), info.Mode(), info.Size(), err)
		}
	}
	if problem := d.HeadProblem(); problem != "" {
		t.Errorf("d.HeadProblem() is %q, want %q", problem, "")
	}
}

// An older record that is put back as a whole is consistent in itself: only the head outside shows
// it.
func TestAnOlderRecordIsRefused(t *testing.T) {
	t.Parallel()
	d, project, heads := keptStore(t)
	kept := filepath.Join(t.TempDir(), "kept")
	copyTree(t, d.root, kept)
	update(t, d, Call{}, step)
	for _, name := range []string{stateName, journalName} {
		copyTree(t, filepath.Join(kept, name), d.root)
	}
	var damaged *DamagedError
	if err := refuses(t, project, heads); !errors.As(err, &damaged) || damaged.Fix != fixRepair {
		t.Fatal(err)
	}
	e, err := d.Examine()
	if err != nil || e.IsIntact() || e.Outside == nil {
		t.Fatalf("%s, %v", describe(e), err)
	}
	r, err := d.Repair(context.Background(), nil)
	if err != nil || len(r.Fixed) != 1 || len(r.Unfixed) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	update(t, d, Call{}, step)
	if line, ok, err := d.ReadEntry(4); !ok || err != nil || line.Event != EventRepair ||
		!strings.Contains(line.Why, "replaced by an older copy") {
		t.Fatalf("%+v, %v", line, err)
	}
}

// A renewal is not in the journal, but an older STATE.json of the same event is still noticed.
func TestAnOlderRenewalIsRefused(t *testing.T) {
	t.Parallel()
	d, project, heads := keptStore(t)
	older := d.get(t, stateName)
	until := time.Now().Add(time.Hour) // another state, also within one millisecond
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.World.Until = &until; tx.Renew(); return nil })
	d.put(t, stateName, older)
	var damaged *DamagedError
	if err := refuses(t, project, heads); !errors.As(err, &damaged) {
		t.Fatal(err)
	}
}

// For a project that was moved and also set back by one event, the error names both, and so does
// the journal when you adopt it.
func TestAPlaceThatWasAlsoTakenBack(t *testing.T) {
	t.Parallel()
	d, project, heads := keptStore(t)
	kept := filepath.Join(t.TempDir(), "kept")
	copyTree(t, d.root, kept)
	update(t, d, Call{}, step)
	for _, name := range []string{stateName, journalName} {
		copyTree(t, filepath.Join(kept, name), d.root)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(project, moved); err != nil {
		t.Fatal(err)
	}
	var at *PlaceError
	if err := refuses(t, moved, heads); !errors.As(err, &at) || !strings.Contains(at.Why, "was moved here from ") ||
		!strings.Contains(at.Why, "it is at seq 3, and 4 was reached here") {
		t.Fatal(err)
	}
	d = must(Open[world](moved, heads))
	if why, err := d.Adopt(context.Background()); err != nil || why != at.Why {
		t.Fatalf("d.Adopt(context.Background()) is %v, want %v; the error is %v, want none", why, at.Why, err)
	}
	update(t, d, Call{}, step)
	if line := d.lines(t)[3]; line.Event != EventAdopt || !strings.Contains(line.Why, at.Why) {
		t.Fatalf("%+v", line)
	}
}

// A moved, copied or restored project waits for you, and continues when you say so.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, project, other string) string // returns where it is now
		why    string
	}{
		"moved": {func(t *testing.T, project, other string) string {
			if err := os.Rename(project, other); err != nil {
				t.Fatal(err)
			}
			return other
		}, "was moved here from "},
		"copied": {func(t *testing.T, project, other string) string {
			copyTree(t, project, other)
			return other
		}, "was copied from "},
		"restored": {func(t *testing.T, project, other string) string {
			copyTree(t, project, other)
			if err := errors.Join(os.RemoveAll(project), os.Rename(other, project)); err != nil {
				t.Fatal(err)
			}
			return project
		}, "was replaced as a whole"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, project, heads := keptStore(t)
			project = c.change(t, project, filepath.Join(t.TempDir(), "other"))
			var at *PlaceError
			if err := refuses(t, project, heads); !errors.As(err, &at) || !strings.Contains(err.Error(), c.why) ||
				!strings.HasSuffix(err.Error(), "; run: ferrus trust") {
				t.Fatal(err)
			}
			d := must(Open[world](project, heads))
			why, err := d.Adopt(context.Background())
			if err != nil || !strings.Contains(why, c.why) {
				t.Fatalf("%q, %v", why, err)
			}
			if again, err := d.Adopt(context.Background()); err != nil || again != "" {
				t.Fatalf("it asks again: %q, %v", again, err)
			}
			out := update(t, must(Open[world](project, heads)), Call{}, step)
			lines := d.lines(t)
			if out.State.Seq != 5 || lines[3].Event != "adopt" || !strings.Contains(lines[3].Why, c.why) {
				t.Fatalf("seq %d, %+v", out.State.Seq, lines[3])
			}
			if err := d.Verify(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Two copies that were both adopted each continue; if one takes the other's place by a move, the
// other is refused.
func TestCopiesThatBothContinueAreSeen(t *testing.T) {
	t.Parallel()
	d, project, heads := keptStore(t)
	other := filepath.Join(t.TempDir(), "other")
	copyTree(t, project, other)
	copied := must(Open[world](other, heads))
	if _, err := copied.Adopt(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		update(t, d, Call{}, step)
		update(t, copied, Call{}, step)
	}
	away := project + ".away"
	if err := os.Rename(project, away); err != nil { // as a disk that is not there
		t.Fatal(err)
	}
	copyTree(t, away, project+".again")
	again := must(Open[world](project+".again", heads))
	if why, err := again.Adopt(context.Background()); err != nil || !strings.Contains(why, "moved") {
		t.Fatalf("%q, %v", why, err)
	}
	if err := os.Rename(away, project); err != nil {
		t.Fatal(err)
	}
	var at *PlaceError
	if err := refuses(t, project, heads); !errors.As(err, &at) {
		t.Fatal(err)
	}
}

// Another machine, or heads that were deleted: you are asked.
func TestUnknownHead(t *testing.T) {
	t.Parallel()
	_, project, heads := keptStore(t)
	if err := os.RemoveAll(string(heads)); err != nil {
		t.Fatal(err)
	}
	var at *PlaceError
	if err := refuses(t, project, heads); !errors.As(err, &at) ||
		!strings.Contains(at.Why, "not known on this machine") {
		t.Fatal(err)
	}
}

// A state directory that cannot be used does not stop the work; once it can be used, you are asked.
func TestHeadsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	project, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	heads := Heads(filepath.Join(file, "ferrus", "heads"))
	d, err := Create(context.Background(), project, world{By: map[string]int{}}, heads)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		update(t, d, Call{}, step)
	}
	if err := errors.Join(d.Verify(context.Background()), os.Remove(file)); err != nil {
		t.Fatal(err)
	}
	if problem := must(Inspect[world](project, Heads(os.DevNull+"/x"))).HeadProblem(); problem == "" {
		t.Error("it does not say why")
	}
	var at *PlaceError
	if err := refuses(t, project, heads); !errors.As(err, &at) {
		t.Fatal(err)
	}
}

// A STATE.json without a head, where one was left, was not written by an earlier ferrus.
func TestAHeadIsNotForgotten(t *testing.T) {
	t.Parallel()
	d, project, heads := keptStore(t)
	unchain(t, d)
	var damaged *DamagedError
	if err := refuses(t, project, heads); !errors.As(err, &damaged) {
		t.Fatal(err)
	}
}

func TestUserHeads(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	if got := UserHeads(); got != "/state/ferrus/heads" {
		t.Errorf("UserHeads() is %q, want %q", got, "/state/ferrus/heads")
	}
	t.Setenv("XDG_STATE_HOME", "not absolute")
	t.Setenv("HOME", "/home/x")
	if got := UserHeads(); got != "/home/x/.local/state/ferrus/heads" {
		t.Errorf("UserHeads() is %q, want %q", got, "/home/x/.local/state/ferrus/heads")
	}
	t.Setenv("HOME", "")
	if got := UserHeads(); got != "" && !filepath.IsAbs(string(got)) {
		t.Errorf("heads are kept in %q, want an absolute path", got)
	}
}

// A record of which ferrus knows only that it is one, such as the queue's, is adopted with its
// texts.
func TestAdoptsWhatIsOpaque(t *testing.T) {
	t.Parallel()
	d, project, heads := keptStore(t)
	update(t, d, Call{}, func(tx *Tx[world]) error {
		tx.SetText("TASK.md", "do it")
		return step(tx)
	})
	other := filepath.Join(t.TempDir(), "other")
	copyTree(t, project, other)
	copied := must(Open[Opaque](other, heads))
	if why, err := copied.Adopt(context.Background()); err != nil || !strings.Contains(why, "copied") {
		t.Fatalf("%q, %v", why, err)
	}
	now := must(Open[world](other, heads))
	s, was := must(now.Load()), must(d.Load())
	text, err := now.ReadText(s, "TASK.md")
	if err != nil || text != "do it" || !reflect.DeepEqual(s.World, was.World) {
		t.Errorf("%q, %v; %+v", text, err, s.World)
	}
}
