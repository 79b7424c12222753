package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ferrus/store/longtest"
)

func taskedOn(m *memory) *Dir[tasked] {
	return &Dir[tasked]{Files: memoryFiles(m), boot: m.boot}
}

// dies reports whether f is stopped before a step.
func dies(f func() error) (dead bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(died); !ok {
				panic(r)
			}
			dead = true
		}
	}()
	return false, f()
}

// taskedDisk returns a disk after four events of a task.
func taskedDisk(t *testing.T) *memory {
	t.Helper()
	m := newMemory()
	d := taskedOn(m)
	if err := d.make(context.Background(), tasked{State: "Idle"}); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 4; i++ {
		if err := taskedStep(d, i); err != nil {
			t.Fatal(err)
		}
	}
	m.damage("TASK.md", func(b []byte) []byte { return b }) // as after a while
	if err := (memoryFolder{m, m.top.live[".ferrus"]}).syncDir("."); err != nil {
		t.Fatal(err)
	}
	return m.lose(rand.New(rand.NewPCG(1, 1)))
}

func taskedStep(d *Dir[tasked], i int) error {
	_, err := d.Update(context.Background(), Call{}, func(tx *Tx[tasked]) error {
		tx.World = tasked{State: "Busy", N: i, Task: map[string]any{"id": "t-1"}}
		tx.SetText("TASK.md", fmt.Sprint("text ", i/2))
		tx.Record("step", "person", "", "")
		return nil
	})
	return err
}

func (m *memory) damage(name string, change func([]byte) []byte) {
	n := memoryFolder{m, m.top.live[".ferrus"]}.find(name)
	n.data = change(slices.Clone(n.data))
	n.synced, n.unsynced = slices.Clone(n.data), nil
}

// A repair that dies or loses power at any step can be repeated with the same result.
func TestRepairCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it stops before each write of a repair")
	}
	t.Parallel()
	damaged := taskedDisk(t)
	want := essence(t, taskedOn(damaged), must(taskedOn(damaged).Load()))
	damaged.damage(stateName, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"n": 4`), []byte(`"n": 9`)) })
	damaged.damage(journalName, func(b []byte) []byte { return append(append([]byte("x\n"), b...), "torn"...) })
	damaged.damage("docs/000004-TASK.md", func([]byte) []byte { return nil })
	steps, seeds := 0, uint64(7)
	if longtest.On() {
		seeds = 20
	}
	for at := 1; ; at++ {
		m := damaged.clone()
		m.at = at
		dead, err := dies(func() error {
			_, err := taskedOn(m).Repair(context.Background(), tasked.sound)
			return err
		})
		if err != nil {
			t.Fatal(err)
		} else if !dead {
			break
		}
		steps++
		for seed := range seeds {
			after := m.lose(rand.New(rand.NewPCG(seed, uint64(at))))
			d := taskedOn(after)
			if _, err := d.Repair(context.Background(), tasked.sound); err != nil {
				t.Fatalf("step %d, seed %d: %v", at, seed, err)
			}
			if e, err := d.Examine(); err != nil || !e.IsIntact() {
				t.Fatalf("step %d, seed %d: %s, %v", at, seed, describe(e), err)
			}
			if got := essence(t, d, must(d.Load())); got != want {
				t.Fatalf("step %d, seed %d: %s, not %s", at, seed, got, want)
			}
		}
	}
	if steps < 20 {
		t.Fatalf("only %d steps were seen", steps)
	}
}

// An archived task has its lines, wherever the writer died.
func TestArchivedLinesSurvive(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	before := taskedDisk(t)
	steps := 0
	for at := 1; ; at++ {
		m := before.clone()
		m.at = at
		dead, err := dies(func() error {
			_, err := taskedOn(m).Update(context.Background(), Call{}, func(tx *Tx[tasked]) error {
				tx.World.Task = nil
				tx.Archive("t-1")
				tx.Record("reset", "person", "", "")
				return nil
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		steps++
		for seed := range uint64(20) {
			d := taskedOn(m.lose(rand.New(rand.NewPCG(seed, uint64(at)))))
			state := must(d.Load())
			got, err := d.Archived("t-1")
			if state.Seq == 5 && (err != nil || len(got) != 4 || got[3].Seq != 4) {
				t.Fatalf("step %d, seed %d: %d lines, %v", at, seed, len(got), err)
			}
		}
		if !dead {
			break
		}
	}
	if steps < 20 {
		t.Fatalf("only %d steps were seen", steps)
	}
}
