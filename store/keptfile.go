package store

import (
	"bytes"
	"errors"
	"math"
)

// turned is a record of which its file has the newest two: each is written over the older one, and synced. A crash
// leaves the newer one at least, and no file is made, renamed or removed for it, which takes some file systems
// longer than the sync.
type turned[T any] interface {
	*T
	summed
	turn() *uint64 // of the two, the greater is the newer
}

// placeBytes is the distance of the two: a page, which no disk writes together with the next.
const placeBytes = 4096

// recordAt returns the record at a place of a file. What follows its line is the end of a longer one.
func recordAt(data []byte, place int) []byte {
	data = data[min(place, len(data)):]
	return data[:bytes.IndexByte(data, '\n')+1]
}

// decodeNewest returns the newest record of a file, and the place for the next one; none, math.MaxInt, where that
// would destroy it. The error is errNotOurs if the file has none.
func decodeNewest[T any, P turned[T]](data []byte) (newest T, next int, err error) {
	var second T
	first := recordAt(data, 0)
	err = decodeSummed(first, P(&newest))
	switch {
	case decodeSummed(recordAt(data, placeBytes), P(&second)) == nil &&
		(err != nil || *P(&second).turn() > *P(&newest).turn()):
		return second, 0, nil
	case err != nil:
		var none T
		return none, math.MaxInt, err
	case len(first) > placeBytes:
		return newest, math.MaxInt, nil
	}
	return newest, placeBytes, nil
}

// readNewest reads the newest record of a file. The error is fs.ErrNotExist if there is no file.
func readNewest[T any, P turned[T]](f folder, name string) (newest T, err error) {
	data, err := readWhole(f, name)
	if err == nil {
		newest, _, err = decodeNewest[T, P](data)
	}
	return newest, err
}

// writeNewest writes a record, durably. A file that has none is replaced. Writers of a file take turns.
func writeNewest[T any, P turned[T]](f folder, name string, v P) error {
	data, err := readWhole(f, name)
	if err != nil && !isMissing(err) {
		return err
	}
	last, place, _ := decodeNewest[T, P](data) // without one, there is no place either
	*v.turn() = *P(&last).turn() + 1
	data, err = encodeSummed(v)
	if err != nil {
		return err
	}
	if place == math.MaxInt || len(data) > placeBytes {
		return replaceKept(f, name, data)
	}
	file, err := f.change(name)
	if err != nil {
		return err
	}
	if _, err = file.WriteAt(data, int64(place)); err == nil {
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
