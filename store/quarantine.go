package store

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"time"
)

// lostDir contains what belongs to no state, and what Repair replaced: nothing that you
// may miss is deleted.
const lostDir = "lost"

// moveToLost moves a file or a directory to lost. The move is durable after the next
// sync of the directory that it was in.
func moveToLost(f folder, name string) error {
	to, err := lostName(f, name, "put-away")
	if err != nil {
		return err
	}
	if err := f.rename(name, to); err != nil {
		return err
	}
	return f.syncDir(lostDir)
}

// copyToLost copies a file to lost, durably. A file that does not exist is no error.
func copyToLost(f folder, name string) error {
	to, err := lostName(f, name, "before-repair")
	if err != nil {
		return err
	}
	if err := ignoreMissing(copyFile(f, name, to)); err != nil {
		return errors.Join(err, removeAny(f, to)) // a part of it would only fill the disk
	}
	return f.syncDir(lostDir)
}

// linkToLost is copyToLost for a file of any size that is not written again before it is replaced.
func linkToLost(f folder, name string) error {
	to, err := lostName(f, name, "before-repair")
	if err != nil {
		return err
	}
	if f.link(name, to) != nil { // not every file system has links
		return copyToLost(f, name)
	}
	return f.syncDir(lostDir)
}

// lostName returns an unused name in lost: STATE.json.before-repair-<unix time>.
func lostName(f folder, name, why string) (string, error) {
	if err := makeDirs(f, lostDir); err != nil {
		return "", err
	}
	if err := f.syncDir("."); err != nil { // the process that made it may have died before it was durable
		return "", err
	}
	names, err := f.list(lostDir)
	if err != nil {
		return "", err
	}
	first := fmt.Sprintf("%s.%s-%d", path.Base(name), why, time.Now().Unix())
	to := first
	for i := 2; slices.Contains(names, to); i++ {
		to = fmt.Sprintf("%s-%d", first, i)
	}
	return path.Join(lostDir, to), nil
}
