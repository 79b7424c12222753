package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
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
