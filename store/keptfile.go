package store

import (
	"bytes"
	"errors"
)

// slotted is a record whose file has two slots. Each write replaces the older record, and is synced, so a crash
// leaves at least the newer one. No file is made, renamed or removed for it, which takes some file systems longer
// than the sync.
type slotted[T any] interface {
	*T
	summed
	generation() *uint64 // each record's is one more than the previous one's
}

// slotBytes is the distance between the slots. They are on different pages: a torn write of one leaves the other.
const slotBytes = 4096

// recordAt returns the record at an offset in a file. What follows its line is the end of a longer one.
func recordAt(data []byte, offset int) []byte {
	data = data[min(offset, len(data)):]
	return data[:bytes.IndexByte(data, '\n')+1]
}

// noSlot says that the file has to be replaced: to write either slot would destroy its only record.
const noSlot = -1

// decodeNewest returns the newest record of a file, and the offset at which to write the next one, or noSlot. The
// error is errNotOurs if the file has none.
func decodeNewest[T any, P slotted[T]](data []byte) (newest T, next int, err error) {
	var second T
	first := recordAt(data, 0)
	err = decodeSummed(first, P(&newest))
	switch {
	case decodeSummed(recordAt(data, slotBytes), P(&second)) == nil &&
		(err != nil || *P(&second).generation() > *P(&newest).generation()):
		return second, 0, nil
	case err != nil:
		var none T
		return none, noSlot, err
	case len(first) > slotBytes:
		return newest, noSlot, nil
	}
	return newest, slotBytes, nil
}

// readNewest reads the newest record of a file. The error is fs.ErrNotExist if there is no file.
func readNewest[T any, P slotted[T]](f folder, name string) (newest T, err error) {
	data, err := readWhole(f, name)
	if err == nil {
		newest, _, err = decodeNewest[T, P](data)
	}
	return newest, err
}

// writeNewest writes a record, durably. A file that has none is replaced. Writers of a file take turns.
func writeNewest[T any, P slotted[T]](f folder, name string, v P) error {
	data, err := readWhole(f, name)
	if err != nil && !isMissing(err) {
		return err
	}
	last, offset, _ := decodeNewest[T, P](data) // of a file without a record, zero and noSlot
	*v.generation() = *P(&last).generation() + 1
	data, err = encodeSummed(v)
	if err != nil {
		return err
	}
	if offset == noSlot || len(data) > slotBytes {
		return replaceKept(f, name, data)
	}
	file, err := f.change(name)
	if err != nil {
		return err
	}
	if _, err = file.WriteAt(data, int64(offset)); err == nil {
		err = file.syncData()
	}
	return errors.Join(err, file.Close())
}

// replaceKept replaces a file, durably.
func replaceKept(f folder, name string, data []byte) error {
	temp := name + ".tmp" // one for all: the writers of a project take turns
	if err := writeNew(f, temp, data, true); err != nil {
		return err
	}
	if err := f.rename(temp, name); err != nil {
		return err
	}
	return f.syncDir(".")
}

// readRecord reads a file that was written by overwrite. The error is fs.ErrNotExist if there is none.
func readRecord(f folder, name string, v summed) error {
	data, err := readWhole(f, name)
	if err != nil {
		return err
	}
	return decodeSummed(recordAt(data, 0), v)
}

// overwrite writes the only record of a file. A power failure or a full disk can lose or tear it.
func overwrite(f folder, name string, v summed) error {
	data, err := encodeSummed(v)
	if err != nil {
		return err
	}
	file, err := f.edit(name)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(data, 0)
	return errors.Join(err, file.Close())
}
