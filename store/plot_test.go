package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ferrus/store/longtest"
)

// plot is a sequence of changes on a disk that may be stopped before each of its steps.
type plot struct {
	begin func() (*memory, error)
	do    func(m *memory, acked *int) error // acked counts what was acknowledged
	holds func(m *memory, acked int) error  // of the disk that is left
}

// crash stops a plot before each of its steps, examines many disks that this may leave, and repeats
// the plot in a second process that is stopped anywhere.
func (p plot) crash(ways int, ignore func(op, name string) bool) (steps int, err error) {
	first, err := p.begin()
	if err != nil {
		return 0, err
	}
	first.ignore = ignore
	for at := 1; ; at++ {
		m, acked := first.clone(), 0
		m.at = at
		dead, err := dies(func() error { return p.do(m, &acked) })
		if err != nil {
			return at, err
		}
		for seed := range uint64(ways) {
			rng := rand.New(rand.NewPCG(seed, uint64(at)))
			if err := p.holds(m.lose(rng), acked); err != nil {
				return at, fmt.Errorf("power lost before step %d, seed %d: %w", at, seed, err)
			}
			if err := p.again(m.clone(), acked, rng, at+20); err != nil {
				return at, fmt.Errorf("killed before step %d, seed %d: %w", at, seed, err)
			}
		}
		if !dead {
			return at - 1, nil
		}
	}
}

func (p plot) again(m *memory, acked int, rng *rand.Rand, steps int) error {
	m.at = 1 + rng.IntN(steps)
	now := 0
	if _, err := dies(func() error { return p.do(m, &now) }); err != nil {
		return fmt.Errorf("second process: %w", err)
	}
	if err := p.holds(m.lose(rng), max(acked, now)); err != nil {
		return fmt.Errorf("second process stopped before step %d: %w", m.at, err)
	}
	return nil
}

func memoryDir(m *memory) *Dir[world] {
	return &Dir[world]{Files: memoryFiles(m), boot: m.boot}
}

// durableDisk returns a disk after three events, of which everything is durable.
func durableDisk() (*memory, error) {
	m := newMemory()
	d, err := createMemory(m)
	if err != nil {
		return nil, err
	}
	for i := range 3 {
		if err := stepOn(d, fmt.Sprint("text ", i)); err != nil {
			return nil, err
		}
	}
	err = d.WriteFile("checks/1.json", []byte("check"))
	for _, name := range []string{journalName, "TASK.md"} {
		m.damage(name, func(b []byte) []byte { return b }) // as after a while
	}
	for _, dir := range []string{".", docsDir, checksDir} {
		err = errors.Join(err, memoryFolder{m, m.top.live[".ferrus"]}.syncDir(dir))
	}
	return m, err
}

func stepOn(d *Dir[world], text string) error {
	_, err := d.Update(context.Background(), Call{}, func(tx *Tx[world]) error {
		tx.World.N++
		tx.SetText("TASK.md", text)
		tx.Record("step", "ferrus", "", "")
		return nil
	})
	return err
}

// did counts one acknowledged change.
func did(err error, acked *int) error {
	if err == nil {
		*acked++
	}
	return err
}

// files writes, rewrites, removes and claims files that are not the state.
var files = plot{
	begin: durableDisk,
	do: func(m *memory, acked *int) error {
		d := memoryDir(m)
		for _, f := range []func() error{
			func() error { return d.WriteFile("agents.json", []byte("one")) },
			func() error { return d.WriteFile("runs/a/manifest.json", []byte("one")) },
			func() error { return d.Remove("checks/1.json") },
			func() error { return d.WriteFile("run/gate.json", []byte("mark")) },
			func() error {
				return d.WriteFileAndRemove("checks/2.json", []byte("record"), "run/gate.json", "run/gate.groups")
			},
		} {
			if err := did(f(), acked); err != nil {
				return err
			}
		}
		if err := d.MkdirExclusive("runs/b"); !errors.Is(err, fs.ErrExist) { // then it is another's
			return did(err, acked)
		}
		return nil
	},
	holds: func(m *memory, acked int) error {
		d := memoryDir(m)
		here := func(name string) bool { data, err := d.ReadFile(name); return err == nil && len(data) > 0 }
		runs, err := d.List("runs")
		switch {
		case err != nil:
			return err
		case acked > 0 && !here("agents.json"), acked > 1 && !here("runs/a/manifest.json"):
			return errors.New("a file that was written is not there")
		case acked > 2 && here("checks/1.json"):
			return errors.New("a file that was removed is there")
		case acked > 3 && !here("run/gate.json") && !here("checks/2.json"):
			return errors.New("the mark is gone before the record is there")
		case acked > 4 && !here("checks/2.json"):
			return errors.New("the record is not there")
		case acked > 5 && !slices.Contains(runs, "b"):
			return errors.New("a directory that was claimed is not there")
		}
		return nil
	},
}

// moved is a STATE.json that was moved away: the rest is kept, and another state begins.
var moved = plot{
	begin: func() (*memory, error) {
		m, err := durableDisk()
		f := memoryFolder{m, m.top.live[".ferrus"]}
		return m, errors.Join(err, f.remove(stateName), f.syncDir("."))
	},
	do: func(m *memory, acked *int) error {
		_, err := createMemory(m)
		return did(err, acked)
	},
	holds: func(m *memory, acked int) error {
		if !anywhere(m, `"seq":3`) || !anywhere(m, "text 1") {
			return errors.New("the journal or a text of the state before is gone")
		}
		d, err := openMemory(m)
		if acked == 0 && errors.Is(err, ErrNone) {
			return nil
		} else if err != nil {
			return err
		}
		if lines, err := d.Journal(0); err != nil || len(lines) > 0 {
			return fmt.Errorf("%d lines of the state before, %w", len(lines), err)
		}
		if texts, err := d.List(docsDir); err != nil || len(texts) > 0 {
			return fmt.Errorf("%d texts of the state before, %w", len(texts), err)
		}
		return nil
	},
}

// scribbles lists what can be wrong with a file, and what of it must be kept.
var scribbles = map[string]struct {
	change func([]byte) []byte
	kept   string
}{
	stateName: {func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(`"n": 3`), []byte(`"n": 9`))
	}, `"n": 9`},
	journalName: {func(b []byte) []byte {
		return append(append([]byte("shopping list\n"), b...), "torn"...)
	}, "shopping list"},
	"docs/000003-TASK.md": {func([]byte) []byte { return []byte("scribbled") }, "scribbled"},
}

// repaired returns a repair of what is wrong with some files.
func repaired(names ...string) plot {
	return plot{
		begin: func() (*memory, error) {
			m, err := durableDisk()
			for _, name := range names {
				m.damage(name, scribbles[name].change)
			}
			return m, err
		},
		do: func(m *memory, acked *int) error {
			_, err := memoryDir(m).Repair(context.Background(), nil)
			return did(err, acked)
		},
		holds: func(m *memory, acked int) error {
			for _, name := range names {
				if text := scribbles[name].kept; !anywhere(m, text) {
					return fmt.Errorf("%s is gone", text)
				}
			}
			d := memoryDir(m)
			if err := sound(d, acked); err != nil || !slices.Contains(names, journalName) {
				return err
			}
			_, ok, err := d.ReadEntry(2)
			if err == nil && !ok {
				err = errors.New("an entry of the journal is gone")
			}
			return err
		},
	}
}

// repairs are all of them.
var repairs = repaired(stateName, journalName, "docs/000003-TASK.md")

// repairsJournal repairs a project whose journal is gone.
var repairsJournal = plot{
	begin: func() (*memory, error) {
		m, err := durableDisk()
		f := memoryFolder{m, m.top.live[".ferrus"]}
		return m, errors.Join(err, f.remove(journalName), f.syncDir("."))
	},
	do:    repaired().do,
	holds: func(m *memory, acked int) error { return sound(memoryDir(m), acked) },
}

// sound checks that a repaired disk is sound, and that any other disk can be repaired.
func sound(d *Dir[world], acked int) error {
	if acked == 0 {
		if _, err := d.Repair(context.Background(), nil); err != nil {
			return err
		}
	}
	e, err := d.Examine()
	if err != nil || !e.IsIntact() || e.Seq != 4 {
		return fmt.Errorf("acknowledged %d: seq %d, %s, %v", acked, e.Seq, describe(e), err)
	}
	if line, ok, err := d.ReadEntry(4); !ok || err != nil || line.Event != EventRepair || line.Why == "" {
		return fmt.Errorf("the journal does not tell of the repair: %+v, %w", line, err)
	}
	return nil
}

// anywhere reports whether some file of .ferrus contains a text.
func anywhere(m *memory, text string) bool {
	var in func(n *node) bool
	in = func(n *node) bool {
		if !n.dir {
			return strings.Contains(string(n.data), text)
		}
		for _, below := range n.live {
			if in(below) {
				return true
			}
		}
		return false
	}
	return in(m.top)
}

// Operations beside events survive a crash, too.
func TestCrashOutsideEvents(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	ways := 2
	if longtest.On() {
		ways = 40
	}
	for name, p := range map[string]plot{"files": files, "a repair without a journal": repairsJournal,
		"a chain": chaining, "a state moved away": moved,
		"a repair": repairs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := p.crash(ways, nil)
			if err != nil || steps < 8 {
				t.Fatalf("%d steps, %v", steps, err)
			}
			t.Logf("%d steps", steps)
		})
	}
}

// lost returns the one thing of a name that was moved away.
func lost[T any](t *testing.T, d *Dir[T], name string) string {
	t.Helper()
	names, err := d.List(lostDir)
	at := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name+".put-away-") })
	if err != nil || at < 0 {
		t.Fatalf("no %s in %v, %v", name, names, err)
	}
	return lostDir + "/" + names[at]
}
