package stage

import (
	"errors"
	"syscall"
	"unsafe"
)

// errExchanged is what [Held.check] finds.
var errExchanged = errors.New("something else was put there while the sandbox was built; try again")

// identify notes what a mount shows.
func (h *Held) identify() error {
	if h.Source == "" {
		return nil
	}
	fd, err := OpenReal(h.Source)
	if err != nil {
		return err
	}
	defer syscall.Close(fd) //nolint:errcheck // it was not written
	var info syscall.Stat_t
	err = syscall.Fstat(fd, &info)
	h.dev, h.ino = info.Dev, info.Ino
	return err
}

// OpenReal opens what is at a path, for examination only, and follows no symbolic link.
func OpenReal(path string) (int, error) {
	const only = oPath | syscall.O_NOFOLLOW | syscall.O_CLOEXEC
	at, err := syscall.Open("/", only, 0)
	if err != nil {
		return 0, err
	}
	for _, part := range split(path, '/') {
		next, err := syscall.Openat(at, part, only, 0)
		syscall.Close(at) //nolint:errcheck // it was not written
		if err != nil {
			return 0, wrap(path, err)
		}
		var info syscall.Stat_t
		if err := syscall.Fstat(next, &info); err != nil || info.Mode&syscall.S_IFMT == syscall.S_IFLNK {
			syscall.Close(next) //nolint:errcheck // it was not written
			return 0, wrap(path, errors.Join(errExchanged, err))
		}
		at = next
	}
	return at, nil
}

// check returns an error unless the mount is at its path, which this process sees inside.
func (h Held) check() error {
	fd, err := OpenReal(h.Path)
	if err != nil {
		return err
	}
	defer syscall.Close(fd) //nolint:errcheck // it was not written
	var info syscall.Stat_t
	var file syscall.Statfs_t
	mountRoot, known, err := isMountRoot(fd)
	err = errors.Join(err, syscall.Fstat(fd, &info), syscall.Fstatfs(fd, &file))
	const readOnly = 1
	switch {
	case err != nil:
		return wrap("look at "+h.Path, err)
	case known && !mountRoot,
		h.ino != 0 && (info.Dev != h.dev || info.Ino != h.ino),
		h.ReadOnly && file.Flags&readOnly == 0:
		return wrap(h.Path, errExchanged)
	}
	return nil
}

// isMountRoot reports whether a descriptor is of the top of a mount. Linux before 5.8 does not say so.
func isMountRoot(fd int) (yes, known bool, err error) {
	const emptyPath, basic, root = 0x1000, 0x7ff, 0x2000
	var got struct {
		mask, blksize uint32
		attributes    uint64
		_             [5]uint64
		attributesOf  uint64 // what the file system knows of them
		_             [24]uint64
	}
	var name [1]byte
	_, _, failed := syscall.RawSyscall6(numberStatx, uintptr(fd), uintptr(unsafe.Pointer(&name)), emptyPath, basic,
		uintptr(unsafe.Pointer(&got)), 0)
	if failed != 0 {
		return false, false, failed
	}
	return got.attributes&root != 0, got.attributesOf&root != 0, nil
}
