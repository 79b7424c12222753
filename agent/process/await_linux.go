package process

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// AwaitEnd returns nil when a process has ended; until then it sleeps, without looking at it again and again. The
// error is [errors.ErrUnsupported] where the kernel or the place of the process does not allow that, and ctx's.
func AwaitEnd(ctx context.Context, id Identity) error {
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	alive, known := Alive(&id) // after opening the descriptor: it refers to this process if the process runs now
	switch {
	case err == nil:
		handle := os.NewFile(uintptr(fd), "pidfd")
		defer handle.Close()
		if alive && known {
			return awaitReadable(ctx, handle)
		}
	case known && alive: // the kernel is too old
		return errors.ErrUnsupported
	}
	if !known {
		return errors.ErrUnsupported
	}
	return nil
}

// awaitReadable waits until a descriptor can be read.
func awaitReadable(ctx context.Context, handle *os.File) error {
	raw, err := handle.SyscallConn()
	if err != nil || handle.SetReadDeadline(time.Time{}) != nil { // the poller does not know such descriptors
		return errors.ErrUnsupported
	}
	stop := context.AfterFunc(ctx, func() { _ = handle.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
	})
	return errors.Join(ctx.Err(), err)
}
