package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// dataSync makes the content and the size of a file durable.
func dataSync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync "+f.Name(), err)
		}
	}
}
