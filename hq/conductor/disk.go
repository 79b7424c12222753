package conductor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ferrus/store"
)

// diskAgain is how long the conductor waits before it tries to write again.
const diskAgain = 2 * time.Second

// illnesses are what a disk says when it takes nothing, now.
var illnesses = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO, store.ErrNone}

// unwritable reports an error that is the disk's and not the caller's.
func (c *Conductor) unwritable(err error) bool {
	if slices.ContainsFunc(illnesses, func(one error) bool { return errors.Is(err, one) }) {
		return true
	}
	var at *fs.PathError
	return errors.Is(err, fs.ErrPermission) && errors.As(err, &at) && strings.HasPrefix(at.Path, c.project.Store.Path())
}

// deny takes note that the disk takes nothing. What lives goes on, nothing is
// started, and the person sees why; the registry is tried again until it can be
// written.
func (c *Conductor) deny(err error) {
	if !c.unwritable(err) {
		c.once(err.Error())
		return
	}
	if c.unwritten == "" {
		c.after(diskAgain, c.tryAgain)
	}
	c.unwritten = err.Error()
}

func (c *Conductor) tryAgain() {
	if c.unwritten == "" || c.shutting {
		return
	}
	c.unwritten, c.saved = "", ""
	c.save()
	c.reload()
}

// trouble is what the person must know of the disk.
func (c *Conductor) trouble() string {
	if c.problem == "" && c.unwritten != "" {
		return "nothing can be written, so nothing is started: " + c.unwritten
	}
	return c.problem
}

// relock takes the lock of a .ferrus that is not the one it was taken in: somebody
// took that away and another is in its place.
func (c *Conductor) relock() error {
	pid, held, err := c.project.Store.Holder(LockName)
	switch {
	case err != nil:
		return err
	case held && pid != os.Getpid():
		return fmt.Errorf("process %d conducts this project now: leave this one, or end that", pid)
	case held:
		return nil
	}
	lock, err := c.project.Store.TryLock(LockName)
	if err != nil {
		return err
	}
	old := c.lock
	c.lock = lock
	return old.Close()
}
