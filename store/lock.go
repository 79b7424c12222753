package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/process"
)

// Lock is a lock below run that this process holds. The kernel releases it when the
// process ends, however it ends; the file stays, and means nothing without the lock.
type Lock struct {
	mu   sync.Mutex // guards file
	file *os.File   // nil once it was released
}

// Close releases the lock. Further calls do nothing.
func (l *Lock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	return errors.Join(file.Truncate(0), held{file}.Close())
}

// ExtraFiles returns files for exec.Cmd.ExtraFiles: the lock is then held until the
// started process ends, even if this one is killed. Close still releases the lock, for
// both processes. It returns nothing once the lock was released.
func (l *Lock) ExtraFiles() []*os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return []*os.File{l.file}
}

// TryLock takes the lock run/<name> and writes this process's pid into it, in decimal. It
// does not wait for a holder: the error is a *[LockedError] if another process, or another
// Lock of this one, holds it. The caller calls [Lock.Close].
func (d *Files) TryLock(name string) (*Lock, error) {
	file, err := d.openLock(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return lockOpened(file, name)
}

// lockOpened takes the lock of a file and writes this process's pid into it. On an error it closes it.
func lockOpened(file *os.File, name string) (*Lock, error) {
	if err := takeLock(file); errors.Is(err, errBusy) {
		pid := writtenPID(file)
		return nil, errors.Join(&LockedError{Name: name, PID: pid}, file.Close())
	} else if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, errors.Join(err, file.Close()))
	}
	if _, err := file.WriteAt(fmt.Appendln(nil, os.Getpid()), 0); err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, errors.Join(err, held{file}.Close()))
	}
	return &Lock{file: file}, nil
}

// TryLockFile is like [Files.TryLock] for a file that is not below .ferrus. It makes the file, and the
// directory that it is in, if they are missing.
func TryLockFile(name string) (*Lock, error) {
	if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return lockOpened(file, name)
}

// Holder reports whether a process holds the lock run/<name>, and which. It does not take
// the lock. The pid is 0 if the holder has not written it within a second.
func (d *Files) Holder(name string) (pid int, isHeld bool, err error) {
	file, err := d.openLock(name, os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, fmt.Errorf("inspect lock %s: %w", name, err)
	}
	pid, isHeld, err = whoHas(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, false, fmt.Errorf("inspect lock %s: %w", name, err)
	}
	return pid, isHeld, nil
}

// openLock opens the file of a lock, and makes it if flag says so.
func (d *Files) openLock(name string, flag int) (*os.File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	f, err := d.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if flag&os.O_CREATE != 0 {
		if err := makeDirs(f, runDir); err != nil {
			return nil, err
		}
	}
	return f.raw(path.Join(runDir, name), flag)
}

// takeLock takes the lock exclusively. [Files.Holder] holds it shared for an instant, which
// takeLock waits out; a real holder it does not wait for.
func takeLock(file *os.File) error {
	for range 100 {
		if err := tryFlock(file); !errors.Is(err, errBusy) {
			return err
		}
		if _, isHeld, err := whoHas(file); err != nil {
			return err
		} else if isHeld {
			return errBusy
		}
		// random, or two inspectors would never get past each other
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	}
	return errBusy
}

// nameless is how long a holder may take to write its pid. A process that was killed
// between fork and exec leaves a child that has the lock open without a valid pid.
const nameless = time.Second

// whoHas reports whether another process holds the lock, and which; the pid is 0 if it
// is not written in time.
func whoHas(file *os.File) (pid int, isHeld bool, err error) {
	for deadline := time.Now().Add(nameless); ; time.Sleep(time.Millisecond) {
		if isHeld, err = taken(file); !isHeld || err != nil {
			return 0, false, err
		}
		if pid = writtenPID(file); pid != 0 || time.Now().After(deadline) {
			return pid, true, nil
		}
	}
}

// taken reports whether another process holds the lock. The only way to ask the kernel
// is to take the lock shared and release it at once.
func taken(file *os.File) (bool, error) {
	err := flockCall(file, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return false, flockCall(file, unix.LOCK_UN)
}

// writtenPID returns the pid in the file of a lock that is held; 0 if there is none, or
// if that process is gone and the present holder has not written its own yet.
func writtenPID(file *os.File) int {
	var data [32]byte
	n, _ := file.ReadAt(data[:], 0) //nolint:errcheck // what cannot be read names no process
	line, _, _ := bytes.Cut(data[:n], []byte("\n"))
	pid, err := strconv.Atoi(string(line))
	if err != nil || !process.Exists(pid) {
		return 0
	}
	return pid
}
