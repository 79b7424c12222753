package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/process"
)

// Lock is a lock under run that this process holds. It goes with the process
// at the latest.
type Lock struct {
	mu   sync.Mutex // guards file
	file *os.File   // nil when it was given back
}

// Close gives the lock back. Once is enough.
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

// ExtraFiles is what a process that is started may keep open: the lock is not free before
// it ends, also when the process that took the lock was killed. Closing the lock gives
// it back all the same. Nothing, when it was given back.
func (l *Lock) ExtraFiles() []*os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return []*os.File{l.file}
}

// TryLock takes the lock run/<name> and writes this process into it. When
// another has it the error is *[LockedError].
func (d *Dir[T]) TryLock(name string) (*Lock, error) {
	file, err := d.openLock(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
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

// Holder says whether somebody has the lock run/<name>, and who; it leaves the
// lock to others. The pid is 0 when the holder has not said yet who it is.
func (d *Dir[T]) Holder(name string) (pid int, isHeld bool, err error) {
	file, err := d.openLock(name, os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, fmt.Errorf("look at lock %s: %w", name, err)
	}
	pid, isHeld, err = whoHas(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, false, fmt.Errorf("look at lock %s: %w", name, err)
	}
	return pid, isHeld, nil
}

func (d *Dir[T]) openLock(name string, flag int) (*os.File, error) {
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

// takeLock takes the lock for this process alone. Somebody who only looks has
// it shared for a moment; that is waited for, and a holder is not.
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
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond) // or two who look would never pass
	}
	return errBusy
}

// nameless is how long is waited for a holder to say who it is. A process that
// was killed while it started another leaves a child that has the lock open until
// it becomes that program.
const nameless = time.Second

// whoHas says whether another holds the lock, and which process; the pid is 0
// when it does not say so in time.
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

// taken says whether another holds the lock. The kernel answers that only to
// who asks for a share of it, which is given back at once.
func taken(file *os.File) (bool, error) {
	err := flockCall(file, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return false, flockCall(file, unix.LOCK_UN)
}

// writtenPID is who wrote itself into a lock that is held; 0 when the one who is
// written there is gone, so that the holder has not written yet.
func writtenPID(file *os.File) int {
	var data [32]byte
	n, _ := file.ReadAt(data[:], 0) //nolint:errcheck // what cannot be read names nobody
	line, _, _ := bytes.Cut(data[:n], []byte("\n"))
	pid, err := strconv.Atoi(string(line))
	if err != nil || !process.Exists(pid) {
		return 0
	}
	return pid
}
