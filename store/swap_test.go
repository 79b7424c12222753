package store

import (
	"path"
	"slices"
)

// swappedMemory returns a disk on which every text is written after the commit of the
// state that names it, and durably then.
func swappedMemory() *memory {
	m := newMemory()
	m.swap = true
	return m
}

// swapped is .ferrus on such a disk, for one update.
type swapped struct {
	memoryFolder
	texts []*heldText // that wait for the commit
}

// heldText is a text that is not on the disk yet.
type heldText struct {
	memoryFile
	data []byte
}

func (t *heldText) Write(p []byte) (int, error) { t.data = append(t.data, p...); return len(p), nil }
func (t *heldText) Sync() error                 { return nil }

func (f *swapped) create(name string) (file, error) {
	if path.Dir(name) != docsDir || f.find(name) != nil {
		return f.memoryFolder.create(name)
	}
	t := &heldText{memoryFile: memoryFile{m: f.m, n: &node{}, name: name}}
	f.texts = append(f.texts, t)
	return t, nil
}

// syncDir of the commit is followed by what should have come before it.
func (f *swapped) syncDir(dir string) error {
	err := f.memoryFolder.syncDir(dir)
	if dir != "." || !calledBy("record") {
		return err
	}
	for _, t := range slices.Clone(f.texts) {
		if err := writeNew(f.memoryFolder, t.name, t.data, true); err != nil {
			return err
		}
	}
	f.texts = nil
	return f.memoryFolder.syncDir(docsDir)
}
