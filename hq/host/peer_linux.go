package host

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the user and the process at the other end of a socket. A process that this
// one cannot see has the pid 0.
func peer(fd int) (uid, pid int, err error) {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, 0, err
	}
	return int(who.Uid), int(who.Pid), nil
}

// holdPeer returns a function that reports whether the process that connected still runs, so
// that its pid cannot be another's by now. An older kernel cannot tell: then it reports
// true.
func holdPeer(conn *net.UnixConn) (same func() bool, release func()) {
	handle := -1
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			if got, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD); err == nil {
				handle = got
			}
		})
	}
	if handle < 0 {
		return func() bool { return true }, func() {}
	}
	ended := func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 0)
		return err == nil && n > 0
	}
	return func() bool { return !ended() }, func() { _ = unix.Close(handle) }
}
