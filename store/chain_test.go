package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unchain turns a .ferrus into what a ferrus without a chain would have written.
func unchain(t testing.TB, d interface{ Path(...string) string }) {
	t.Helper()
	var journal bytes.Buffer
	data, err := os.ReadFile(d.Path(journalName))
	for line := range bytes.Lines(data) {
		journal.Write(unlinked(t, bytes.TrimSuffix(line, []byte("\n"))))
		journal.WriteByte('\n')
	}
	state, reading := os.ReadFile(d.Path(stateName))
	err = errors.Join(err, reading, os.WriteFile(d.Path(journalName), journal.Bytes(), 0o600),
		os.WriteFile(d.Path(stateName), headless(t, state), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

// unlinked returns an entry without its hash of the previous line.
func unlinked(t testing.TB, line []byte) []byte {
	t.Helper()
	entry, ok := parseEntry(line)
	if !ok {
		t.Fatalf("%.80q is no entry", line)
	}
	entry.Prev, entry.Before = "", nil
	return must(marshal(entry))
}

// headless returns a STATE.json without its head.
func headless(t testing.TB, state []byte) []byte {
	t.Helper()
	members := must(splitObject(state))
	for i, m := range members {
		if m.name != "last" {
			continue
		}
		var l last
		if err := json.Unmarshal(m.value, &l); err != nil {
			t.Fatal(err)
		}
		l.Line = unlinked(t, l.Line)
		members[i].value = must(marshal(l))
	}
	return joinObject(members[:len(members)-1])
}

// A journal of an earlier ferrus becomes a chain with one event, without asking, and the newest
// call still gets its answer.
func TestAnOlderJournalIsChainedOnce(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	for range 3 {
		update(t, d, Call{}, step)
	}
	call := Call{ID: "c", Key: "k"}
	update(t, d, call, func(tx *Tx[world]) error { tx.SetResult("the answer"); return step(tx) })
	unchain(t, d)
	d, err := Open[world](project)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out := update(t, d, call, step)
		if !out.Replayed || string(out.Result) != `"the answer"` || out.State.Seq != 5 {
			t.Fatalf("%+v", out)
		}
	}
	lines := d.lines(t)
	if len(lines) != 5 || lines[4].Event != "chain" || lines[4].Before == nil || lines[4].From != lines[4].To {
		t.Fatalf("%+v", lines)
	}
	update(t, d, Call{}, step)
	if e, err := d.Examine(); err != nil || !e.IsIntact() {
		t.Fatalf("%s, %v", describe(e), err)
	}
}

// A journal of an earlier ferrus is chained only if it is consistent.
func TestAnOlderJournalMustLeadToItsState(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, *Dir[world]){
		"an edited state": func(t *testing.T, d *Dir[world]) { rewrite(t, d.Path(stateName), `"n":3`, `"n":9`) },
		"no journal":      func(t *testing.T, d *Dir[world]) { os.Remove(d.Path(journalName)) },
		"a short journal": func(t *testing.T, d *Dir[world]) { os.Truncate(d.Path(journalName), 9) },
		"a chain": func(t *testing.T, d *Dir[world]) {
			data := d.get(t, journalName)
			d.put(t, journalName, bytes.Replace(data, []byte("}\n"), []byte(`,"prev":"`+noHash+"\"}\n"), 1))
		},
	} {
		d, project := newStore(t)
		for range 3 {
			update(t, d, Call{}, step)
		}
		unchain(t, d)
		damage(t, d)
		d = must(newDir[world](filepath.Join(project, ".ferrus")))
		before := snapshot(t, project)
		_, err := d.Update(context.Background(), Call{}, step)
		if damaged := (*DamagedError)(nil); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
		if name != "no journal" { // an empty one is made
			same(t, before, snapshot(t, project))
		}
	}
}

// A chain without its head does not pass for a journal without a chain.
func TestAChainStaysOne(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	for range 3 {
		update(t, d, Call{}, step)
	}
	d.put(t, stateName, headless(t, d.get(t, stateName)))
	d = must(newDir[world](filepath.Join(project, ".ferrus")))
	before := snapshot(t, project)
	_, err := d.Update(context.Background(), Call{}, step)
	if damaged := (*DamagedError)(nil); !errors.As(err, &damaged) {
		t.Fatal(err)
	}
	same(t, before, snapshot(t, project))
}

// chaining is the first update of a project that an earlier ferrus wrote.
var chaining = plot{
	begin: func() (*memory, error) {
		m, err := durableDisk()
		delete(m.top.live, "heads")
		delete(m.top.durable, "heads")
		t := &testing.T{}
		m.damage(journalName, func(data []byte) []byte {
			var all []byte
			for line := range bytes.Lines(data) {
				all = append(append(all, unlinked(t, bytes.TrimSuffix(line, []byte("\n")))...), '\n')
			}
			return all
		})
		m.damage(stateName, func(data []byte) []byte { return headless(t, data) })
		return m, err
	},
	do: func(m *memory, acked *int) error {
		state, err := memoryDir(m).Load()
		if err == nil && state.Seq < 5 {
			err = did(stepOn(memoryDir(m), "more"), acked)
		}
		return err
	},
	holds: func(m *memory, acked int) error {
		d, err := openMemory(m)
		if err != nil {
			return err
		}
		lines, err := d.Journal(0)
		if err != nil || len(lines) < 4+acked || len(lines) > 5 || lines[3].Event != "chain" {
			return fmt.Errorf("acknowledged %d: %d lines, %w", acked, len(lines), err)
		}
		if e, err := d.Examine(); err != nil || e.damaged() {
			return fmt.Errorf("%s, %w", describe(e), err)
		}
		return nil
	},
}

// Every changed byte and every moved line of a journal is reported, wherever it is.
func TestEveryChangeOfAJournalIsReported(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	d := newTasked(t)
	data := d.get(t, journalName)
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 400 {
		changed := bytes.Clone(data)
		changed[rng.IntN(len(changed))] ^= 1 << rng.IntN(8)
		if n%2 == 0 {
			lines := strings.SplitAfter(string(data), "\n")
			i := rng.IntN(len(lines) - 2)
			lines[i], lines[i+1] = lines[i+1], lines[i]
			changed = []byte(strings.Join(lines, ""))
		}
		d.put(t, journalName, changed)
		if e, err := d.Examine(); err != nil || e.IsIntact() {
			t.Fatalf("seed %d, change %d: %s, %v", seed, n, describe(e), err)
		}
	}
}
