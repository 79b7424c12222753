package conductor

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"

	"ferrus/hq/session"
	"ferrus/store"
)

// diskRetry is how long the conductor waits before it tries to write again.
const diskRetry = 2 * time.Second

// diskFaults are what a disk says that takes nothing now.
var diskFaults = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO, store.ErrNone}

// disk knows whether .ferrus can be written. While it cannot, sessions go on, none is
// started, and the human sees why.
type disk struct {
	root    string // of .ferrus
	loop    *session.Loop
	notices *notices
	retry   func() // writes and reads again what could not be
	fault   error  // why nothing can be written; nil: it can, as far as is known
}

// unwritable reports an error that is the disk's and not the caller's.
func (d *disk) unwritable(err error) bool {
	if slices.ContainsFunc(diskFaults, func(one error) bool { return errors.Is(err, one) }) {
		return true
	}
	var at *fs.PathError
	return errors.Is(err, fs.ErrPermission) && errors.As(err, &at) && strings.HasPrefix(at.Path, d.root)
}

// reportError shows an error. One of the disk is kept, and what it kept from being
// written is tried again until it can be.
func (d *disk) reportError(err error) {
	if !d.unwritable(err) {
		d.notices.once(err.Error())
		return
	}
	if d.fault == nil {
		d.loop.After(diskRetry, d.tryAgain)
	}
	d.fault = err
}

func (d *disk) tryAgain() {
	if d.fault != nil {
		d.fault = nil
		d.retry()
	}
}
