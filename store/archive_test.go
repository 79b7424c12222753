package store

import (
	"errors"
	"testing"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.SetText("TASK.md", "old"); return step(tx) })
	if err := d.WriteFile("checks/1.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	update(t, d, Call{}, func(tx *Tx[world]) error {
		tx.Archive("t-1")
		tx.SetText("TASK.md", "new")
		return step(tx)
	})
	text, err := d.ReadFile("archive/t-1/TASK.md")
	check, err2 := d.ReadFile("archive/t-1/checks/1.json")
	left, err3 := d.List("checks")
	if err := errors.Join(err, err2, err3); err != nil || string(text) != "old" || string(check) != "{}" ||
		len(left) > 0 {
		t.Fatalf("%q, %q, %v, %v", text, check, left, err)
	}
}

// A check of the next task stays, though one of the same name was archived, and another process writes first.
func TestChecksOfTheNextTaskStay(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	update(t, d, Call{}, step)
	if err := d.WriteFile("checks/1.json", []byte("old")); err != nil {
		t.Fatal(err)
	}
	update(t, d, Call{}, func(tx *Tx[world]) error { tx.Archive("t-1"); return step(tx) })
	if err := d.WriteFile("checks/1.json", []byte("new")); err != nil {
		t.Fatal(err)
	}
	other, err := Open[world](project)
	if err != nil {
		t.Fatal(err)
	}
	update(t, other, Call{}, step)
	if got, err := d.ReadFile("checks/1.json"); string(got) != "new" || err != nil {
		t.Errorf("the check is %q, %v", got, err)
	}
}
