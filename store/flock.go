package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// held is a locked file.
type held struct{ file *os.File }

// Close unlocks explicitly before it closes: a child between fork and exec has the file
// open too, and closing alone would leave the lock to it.
func (h held) Close() error {
	return errors.Join(flockCall(h.file, unix.LOCK_UN), h.file.Close())
}

// LockFile waits for the lock of a file outside a .ferrus, and makes the file, but not its
// directory, if it is missing. The error is the cause of ctx if that ends first. Close
// releases the lock, as the end of the process does; the file stays.
func LockFile(ctx context.Context, name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err == nil {
		err = flock(ctx, f)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return held{f}, nil
}

// flock waits for the lock. If the context ends first, the file is closed once the lock
// becomes free: a blocked flock(2) cannot be cancelled. On an error it owns the file.
func flock(ctx context.Context, f *os.File) error {
	if err := tryFlock(f); err == nil {
		return nil
	} else if !errors.Is(err, errBusy) {
		return errors.Join(err, f.Close())
	}
	got := make(chan error)
	go func() {
		err := flockCall(f, unix.LOCK_EX)
		select {
		case got <- err:
		case <-ctx.Done():
			f.Close()
		}
	}()
	select {
	case err := <-got:
		if err != nil {
			err = errors.Join(err, f.Close())
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tryFlock takes the lock or returns errBusy.
func tryFlock(f *os.File) error {
	err := flockCall(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errBusy
	}
	return err
}

// flockCall calls flock(2), again if a signal interrupts it.
func flockCall(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("flock "+f.Name(), err)
		}
	}
}
