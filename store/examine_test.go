package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"ferrus/store/longtest"
)

// tasked is a state that has a task.
type tasked struct {
	State string         `json:"state"`
	N     int            `json:"n"`
	Until *string        `json:"lease_until,omitempty"`
	Task  map[string]any `json:"task,omitempty"`
}

func (w tasked) sound() error {
	if w.State != "Idle" && w.State != "Busy" {
		return fmt.Errorf("%q is no state", w.State)
	}
	return nil
}

// newTasked is at seq 6: two events without a task, then one begins.
func newTasked(t testing.TB) *Dir[tasked] {
	t.Helper()
	d, err := Create(context.Background(), t.TempDir(), tasked{State: "Idle"})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 6; i++ {
		out, err := d.Update(context.Background(), Call{}, func(tx *Tx[tasked]) error {
			tx.World.N, tx.World.State = i, []string{"Idle", "Busy"}[i%2]
			if i == 3 {
				tx.World.Task = map[string]any{"id": "t-1", "title": "the title"}
			}
			tx.SetText("TASK.md", fmt.Sprint("text ", i/4))
			if i == 2 {
				tx.SetText("NOTE.md", "note")
			}
			tx.Record("step", "person", "", "")
			return nil
		})
		if err := errors.Join(err, out.Unfinished); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *Dir[T]) put(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(d.Path(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d *Dir[T]) get(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(d.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// swap replaces what a pattern finds in a file.
func swap(name, pattern, with string) func(testing.TB, *Dir[tasked]) {
	return func(t testing.TB, d *Dir[tasked]) {
		before := d.get(t, name)
		after := regexp.MustCompile(pattern).ReplaceAll(before, []byte(with))
		if bytes.Equal(before, after) {
			t.Fatalf("%s has no %s", name, pattern)
		}
		d.put(t, name, after)
	}
}

func lines(change func([]string) []string) func(testing.TB, *Dir[tasked]) {
	return func(t testing.TB, d *Dir[tasked]) {
		all := strings.SplitAfter(string(d.get(t, journalName)), "\n")
		d.put(t, journalName, []byte(strings.Join(change(all[:len(all)-1]), "")))
	}
}

func gone(names ...string) func(testing.TB, *Dir[tasked]) {
	return func(t testing.TB, d *Dir[tasked]) {
		for _, name := range names {
			if err := os.Remove(d.Path(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func both(all ...func(testing.TB, *Dir[tasked])) func(testing.TB, *Dir[tasked]) {
	return func(t testing.TB, d *Dir[tasked]) {
		for _, f := range all {
			f(t, d)
		}
	}
}

// Every damage is found and named, and Repair gives back the state that was, or
// leaves all as it is and says what to do.
func TestDamageIsFoundAndRepaired(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	for name, test := range map[string]struct {
		damage func(testing.TB, *Dir[tasked])
		found  string // of the Examination
		did    string
		left   string // not repaired
		anew   bool   // the journal starts afresh
	}{
		"wrong number": {damage: swap(stateName, `"n": 6`, `"n": 7`), found: `n is 7, not 6`,
			did: `STATE.json: n is 6 again, not 7`},
		"huge number": {damage: swap(stateName, `"n": 6`, `"n": 1e400`), found: `n cannot be`,
			did: `rebuilt from the journal, as seq 6`},
		"negative number": {damage: swap(stateName, `"n": 6`, `"n": -1`), found: `n is -1, not 6`,
			did: `n is 6 again`},
		"null": {damage: swap(stateName, `"n": 6`, `"n": null`), found: `n is null`,
			did: `n is 6 again, not null`},
		"unknown state": {damage: swap(stateName, `"state": "Idle"`, `"state": "Dancing"`),
			found: `state is "Dancing", not "Idle"`, did: `state is "Idle" again`},
		"member added": {damage: swap(stateName, `"n": 6`, `"n": 6, "more": {"x": 1}`),
			found: `more is {"x":1}, not `, did: `more is left out again`},
		"member taken out": {damage: swap(stateName, `"n": 6,\s*`, ``), found: `n is , not 6`, did: `n is 6 again`},
		"deep": {damage: swap(stateName, `"the title"`, `"another"`),
			found: `task.title is "another", not "the title"`, did: `task.title is "the title" again`},
		"doc elsewhere": {damage: swap(stateName, `"file": "docs/`, `"file": "../docs/`),
			found: `is not a file in docs`, did: `docs.NOTE.md.file is`},
		"schema": {damage: swap(stateName, `"schema_version": 2`, `"schema_version": 99`),
			found: `schema 99`, did: `schema_version is 2 again`},
		"seq": {damage: swap(stateName, `"seq": 6`, `"seq": 77`), found: `seq is 77, not 6`,
			did: `seq is 6 again`},
		"seq to none": {damage: both(swap(stateName, `"seq": 6`, `"seq": 0`),
			swap(stateName, `(?s),\s*"last".*`, "}")), found: `seq is 0, not 6`, did: `seq is 6 again`},
		"pid": {damage: swap(stateName, `"owner_pid": \d+`, `"owner_pid": "x"`),
			found: `owner_pid cannot be a string`, did: `rebuilt from the journal, as seq 6`},
		"torn state": {damage: func(t testing.TB, d *Dir[tasked]) {
			d.put(t, stateName, d.get(t, stateName)[:100])
		}, found: "damaged", did: `rebuilt from the journal, as seq 6`},
		"no state": {damage: gone(stateName), found: "there is no .ferrus/STATE.json",
			did: `rebuilt from the journal, as seq 6`},
		"empty state": {damage: func(t testing.TB, d *Dir[tasked]) {
			d.put(t, stateName, nil)
		}, found: "damaged", did: `rebuilt`},
		"state of 17 MiB": {damage: func(t testing.TB, d *Dir[tasked]) {
			d.put(t, stateName, make([]byte, 17<<20))
		}, found: "larger than 16 MiB", did: `rebuilt`},
		"line not appended": {damage: lines(func(l []string) []string {
			return l[:5]
		}), found: "", did: "appended the entry of seq 6, which its writer had left in STATE.json"},
		"that, and an edit": {damage: both(swap(stateName, `"n": 6`, `"n": 7`), lines(func(l []string) []string {
			return l[:5]
		})), found: "n is 7, not 6", did: "n is 6 again"},
		"torn": {damage: lines(func(l []string) []string {
			return append(l, l[0][:40])
		}), found: "torn 40", did: "40 bytes after its last line were cut off"},
		"torn before": {damage: lines(func(l []string) []string {
			l[5] = l[5][:40]
			return l
		}), found: "torn 40", did: "40 bytes after its last line were cut off"},
		"doubled": {damage: lines(func(l []string) []string {
			return append(l[:4:4], append([]string{l[3]}, l[4:]...)...)
		}), found: "line 5: it repeats the previous line, seq 4",
			did: "removed lines that do not continue the journal (1); the others (6) lead to STATE.json"},
		"an old one again": {damage: lines(func(l []string) []string {
			return append(l, l[1])
		}), found: "line 7: seq 2 occurred before", did: "do not continue the journal (1)"},
		"foreign": {damage: lines(func(l []string) []string {
			return append(l[:2:2], append([]string{strings.ReplaceAll(l[2], "the title", "foreign")}, l[2:]...)...)
		}), found: "line 3: seq 3 does not lead to the state that was written with it",
			did: "do not continue the journal (1)"},
		"garbage": {damage: lines(func(l []string) []string {
			return append([]string{"garbage\n", "\x00\n"}, l...)
		}), found: "line 2: it is not a journal entry", did: "do not continue the journal (2)"},
		"100 MB": {damage: lines(func(l []string) []string {
			return append(l[:3:3], append([]string{`{"seq":4,"data":"` + strings.Repeat("x", 100<<20) +
				"\"}\n"}, l[3:]...)...)
		}), found: "line 4: it has 100 MiB", did: "do not continue the journal (1)"},
		"missing line": {damage: lines(func(l []string) []string {
			return append(l[:2:2], l[3:]...)
		}), found: "line 3: seq 4 follows seq 2", did: "a new journal starts with the current state", anew: true},
		"no journal": {damage: gone(journalName), found: "it has no valid entry",
			did: "a new journal starts", anew: true},
		"garbage only": {damage: func(t testing.TB, d *Dir[tasked]) {
			d.put(t, journalName, []byte("x\ny\nz"))
		}, found: "it has no valid entry", did: "a new journal starts", anew: true},
		"text missing": {damage: gone("docs/000004-TASK.md"), found: "docs/000004-TASK.md",
			did: "docs/000004-TASK.md was restored from its copy TASK.md"},
		"text changed": {damage: swap("docs/000004-TASK.md", "text", "test"),
			found: "it is not the text that was written", did: "restored"},
		"copy missing": {damage: gone("TASK.md"), found: "copy TASK.md", did: "TASK.md was copied again"},
		"copy changed": {damage: swap("TASK.md", "text", "edited"), found: "copy TASK.md",
			did: "TASK.md was copied again"},
		"all": {damage: both(gone(stateName, "docs/000004-TASK.md", "NOTE.md"), lines(func(l []string) []string {
			return append(l, "x\n", l[0][:9])
		})), found: "there is no .ferrus/STATE.json", did: "STATE.json was rebuilt"},
		"text and copy": {damage: gone("docs/000004-TASK.md", "TASK.md"), found: "docs/000004-TASK.md",
			left: "TASK.md: docs/000004-TASK.md is lost"},
		"those, and no state": {damage: gone(stateName, "docs/000004-TASK.md", "TASK.md"), found: "there is no",
			left: "STATE.json cannot be rebuilt while docs/000004-TASK.md is not what was written"},
		"nothing proves it": {damage: both(gone(stateName), lines(func(l []string) []string {
			return l[1:]
		})), found: "line 1: seq 2 does not lead", left: "STATE.json cannot be rebuilt: the journal does not lead " +
			"to its newest event"},
		"no files": {damage: gone(stateName, journalName), found: "there is no", left: "cannot be rebuilt"},
		"edit and a gap": {damage: both(swap(stateName, `"n": 6`, `"n": 7`), lines(func(l []string) []string {
			return l[:3]
		})), found: "", left: "cannot be rebuilt"},
		"two histories": {damage: lines(func(l []string) []string {
			return otherHistory
		}), found: "its entries lead to seq 9, and STATE.json is at 6", left: "different histories"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTasked(t)
			var want string
			if state, err := d.Load(); err == nil {
				want = essence(t, d, state)
			}
			test.damage(t, d)
			e, err := d.Examine()
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(e); !strings.Contains(got, test.found) {
				t.Errorf("found\n%s\nnot %s", got, test.found)
			}
			before := snapshot(t, d.root)
			r, err := d.Repair(context.Background(), tasked.sound)
			if err != nil {
				t.Fatal(err)
			}
			if test.left != "" {
				if !strings.Contains(strings.Join(r.Unfixed, "\n"), test.left) || len(r.Fixed) > 0 {
					t.Fatalf("%+v", r)
				}
				same(t, before, snapshot(t, d.root))
				return
			}
			if !strings.Contains(strings.Join(r.Fixed, "\n"), test.did) || len(r.Unfixed) > 0 {
				t.Fatalf("%+v", r)
			}
			whole(t, d, want, test.anew)
		})
	}
}

// otherHistory leads to seq 9.
var otherHistory = func() []string {
	folded, all := map[string]any{}, []string(nil)
	for i := 1; i <= 9; i++ {
		folded["n"], folded["seq"] = i, i
		sum, err := fingerprint(folded)
		if err != nil {
			panic(err)
		}
		all = append(all, fmt.Sprintf(`{"seq":%d,"event":"step","data":{"n":%d},"state_sha":"%s"}`+"\n", i, i, sum))
	}
	return all
}()

// essence returns a state without what a rebuilt one need not have.
func essence(t testing.TB, d *Dir[tasked], s State[tasked]) string {
	t.Helper()
	texts := ""
	for _, name := range []string{"TASK.md", "NOTE.md"} {
		text, err := d.ReadText(s, name)
		if err != nil {
			t.Fatal(err)
		}
		texts += text + ";"
	}
	data, err := json.Marshal([]any{s.Schema, s.Docs, s.World, texts})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// whole demands that everything is unchanged, proves right, and continues.
func whole(t *testing.T, d *Dir[tasked], want string, anew bool) {
	t.Helper()
	e, err := d.Examine()
	if err != nil || !e.IsIntact() {
		t.Fatalf("after the repair: %s, %v", describe(e), err)
	}
	state, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	if got := essence(t, d, state); got != want {
		t.Fatalf("the state is\n%s\nand was\n%s", got, want)
	}
	again, err := d.Repair(context.Background(), tasked.sound)
	if err != nil || len(again.Fixed)+len(again.Unfixed) > 0 {
		t.Fatalf("a second repair: %+v, %v", again, err)
	}
	out, err := d.Update(context.Background(), Call{}, func(tx *Tx[tasked]) error {
		tx.World.N++
		tx.Record("step", "person", "", "")
		return nil
	})
	if err != nil || out.State.Seq != state.Seq+1 {
		t.Fatalf("seq %d follows %d, %v", out.State.Seq, state.Seq, err)
	}
	all, err := d.Journal(0)
	if newest := out.State.Seq; err != nil || all[len(all)-1].Seq != newest || !anew && len(all) != int(newest) {
		t.Fatalf("%d lines, %v", len(all), err)
	}
	if at := len(all) - 2; state.Seq > 6 && (all[at].Event != EventRepair || all[at].Why == "") {
		t.Fatalf("the journal does not tell of the repair: %+v", all[at])
	}
	if _, err := Fold(all); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadDir(d.Path(lostDir)); err == nil {
		for _, k := range kept {
			if !regexp.MustCompile(`^[A-Za-z0-9._-]+\.before-repair-\d+$`).MatchString(k.Name()) {
				t.Errorf("kept as %s", k.Name())
			}
		}
	}
}

// describe returns an examination in words.
func describe(e Examination) string {
	var b strings.Builder
	if e.Unusable != nil {
		fmt.Fprintln(&b, e.Unusable)
	}
	for _, x := range e.Edits {
		fmt.Fprintf(&b, "%s is %s, not %s\n", x.Member, x.Have, x.Want)
	}
	for _, o := range e.Journal.Bad {
		fmt.Fprintf(&b, "line %d: %s\n", o.Number, o.Why)
	}
	fmt.Fprintf(&b, "torn %d\n%s\n%s\n", e.Journal.Torn, e.Journal.Disconnected, e.Journal.Broken)
	for _, x := range e.Texts {
		fmt.Fprintf(&b, "%s %s: %v\n", x.Name, x.File, x.Why)
	}
	for _, x := range e.Copies {
		fmt.Fprintln(&b, "copy", x)
	}
	return b.String()
}

// An older STATE.json that was put back is known by the journal, which holds it
// and continues.
func TestOlderStateIsTakenForward(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	older := d.get(t, stateName)
	if _, err := d.Update(context.Background(), Call{}, func(tx *Tx[tasked]) error {
		tx.World.N = 99
		tx.Record("step", "person", "", "")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := essence(t, d, must(d.Load()))
	d.put(t, stateName, older)
	r, err := d.Repair(context.Background(), tasked.sound)
	if err != nil || !strings.Contains(strings.Join(r.Fixed, "\n"), "as seq 7 left it") {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := essence(t, d, must(d.Load())); got != want {
		t.Fatalf("%s, not %s", got, want)
	}
}

func must[R any](r R, err error) R {
	if err != nil {
		panic(err)
	}
	return r
}

// A state that the journal proves and that makes no sense is not written.
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

// What is replaced can be had back.
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

// Examining changes nothing, whatever there is to see.
func TestExamineChangesNothing(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	both(swap(stateName, `"n": 6`, `"n": 7`), gone("TASK.md"), lines(func(l []string) []string {
		return append(l, "x")
	}))(t, d)
	before := snapshot(t, d.root)
	if _, err := d.Examine(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.CheckFiles(false); err != nil {
		t.Fatal(err)
	}
	same(t, before, snapshot(t, d.root))
}

func TestOddities(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	if all, err := d.CheckFiles(false); err != nil || len(all) > 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	outside := t.TempDir()
	before, err := os.Stat(outside)
	err = errors.Join(err, os.Chmod(d.Path("docs"), 0o755), os.Chmod(d.Path(stateName), 0o666), os.Chmod(d.root, 0o750),
		os.Symlink(outside, d.Path("logs", "away")), os.MkdirAll(d.Path("run", "git", "objects"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	for _, fix := range []bool{false, true} {
		all, err := d.CheckFiles(fix)
		var got []string
		for _, o := range all {
			got = append(got, fmt.Sprintf("%s %s %v", o.Name, o.Why, o.Worse))
		}
		want := ". has mode 0750, not 0700 false\nSTATE.json has mode 0666, not 0600 true\ndocs has mode 0755, not " +
			"0700 false\nlogs/away is a link, which ferrus did not make true"
		if strings.Join(got, "\n") != want || err != nil {
			t.Fatalf("%s, %v", strings.Join(got, "\n"), err)
		}
	}
	if all, err := d.CheckFiles(true); err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode() != before.Mode() {
		t.Fatalf("%v, %v", info, err)
	}
}

// The archive of a task has its lines, from the one that began it.
func TestArchiveHasTheTasksLines(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	if _, err := d.Update(context.Background(), Call{}, func(tx *Tx[tasked]) error {
		tx.Archive("t-1")
		tx.World.Task = map[string]any{"id": "t-2"}
		tx.Record("create", "person", "", "")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got, err := d.Archived("t-1")
	if err != nil || len(got) != 4 || got[0].Seq != 3 || got[3].Seq != 6 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err := d.Archived("t-9"); err != nil || len(got) > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, bad := range []string{"../..", "a/../..", "", "a\x00", strings.Repeat("x", 10<<10)} {
		if _, err := d.Archived(bad); err == nil {
			t.Errorf("%.20q was read", bad)
		}
	}
	for seq := range uint64(10) {
		line, ok, err := d.ReadEntry(seq)
		if err != nil || ok != (seq > 0 && seq < 8) || ok && line.Seq != seq {
			t.Errorf("seq %d: %v %v", seq, ok, err)
		}
	}
}

func TestBackwards(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays random steps")
	}
	t.Parallel()
	for _, text := range []string{"", "\n", "a\n", "a\nb\n", "\n\n", strings.Repeat("x", 200_000) + "\n" + "y\n",
		journalOf(1, 3000)} {
		b := backwardReader{file: strings.NewReader(text), start: int64(len(text))}
		got := ""
		for {
			line, at, err := b.previous()
			if err != nil {
				break
			}
			if text[at:at+int64(len(line))] != string(line) {
				t.Fatalf("%.20q is not at %d", line, at)
			}
			got = string(line) + "\n" + got
		}
		if got != text {
			t.Errorf("%.40q came back as %.40q", text, got)
		}
	}
}

// FuzzRepair gives Repair any two files: it ends in a state that proves right,
// or changes nothing.
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

// What follows a gap is reported with it, not line by line.
func TestGapIsReportedOnce(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	lines(func(l []string) []string { return append(l[:2:2], l[3:]...) })(t, d)
	e, err := d.Examine()
	if err != nil || len(e.Journal.Bad) != 1 || e.Journal.BadCount != 3 {
		t.Fatalf("%+v, %v", e.Journal, err)
	}
}
