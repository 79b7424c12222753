package store

import (
	"errors"
	"io/fs"
	"testing"
)

// A writer that dies leaves two hashes of its file. A change of another file does not tell which of them counts,
// however far that change gets.
func TestAChangeSettlesOnlyItsOwnFile(t *testing.T) {
	t.Parallel()
	cases := 0
	for first := 1; ; first++ {
		m := newMemory()
		if !diesIn(t, m, createMemory, first, func(d *Dir[world]) error {
			return d.WriteFile("agents.json", []byte("agents"))
		}) {
			break
		}
		for second := 1; ; second++ {
			m := m.clone()
			died := diesIn(t, m, openMemory, second, func(d *Dir[world]) error {
				return d.WriteFile("checks/1.json", []byte("check"))
			})
			m.at = -1
			d, err := openMemory(m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.ReadFile("agents.json"); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("one writer killed before step %d, the next before step %d: %v", first, second, err)
			}
			cases++
			if !died {
				break
			}
		}
	}
	if cases < 100 {
		t.Errorf("%d cases, want every step of both writers", cases)
	}
}

// diesIn opens the store on a disk, and reports whether the process died in a change that is killed before the given
// step of it.
func diesIn(t *testing.T, m *memory, open func(*memory) (*Dir[world], error), step int,
	change func(*Dir[world]) error) bool {
	t.Helper()
	d, err := open(m)
	if err != nil {
		t.Fatal(err)
	}
	m.at = m.n + step
	dead, err := dies(func() error { return change(d) })
	if err != nil {
		t.Fatal(err)
	}
	return dead
}
