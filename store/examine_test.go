package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"ferrus/store/longtest"
)

// Every damage is found and named, and Repair either restores the state or changes nothing and says
// what to do.
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

// essence returns a state without the parts that a rebuilt one may lack.
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

// whole checks that everything is unchanged and verified, and that the store continues.
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

// An older STATE.json that was put back is recognized by the journal, which contains it and
// continues.
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

// Examining changes nothing, whatever it finds.
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
