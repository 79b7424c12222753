//go:build unix && !linux

package host

import (
	"net"

	"golang.org/x/sys/unix"
)

// localPeerPID is macOS's socket option that returns the process at the other end.
const localPeerPID = 2

// peer returns the user and the process at the other end of a socket. Where the system
// does not tell the process, its pid is 0.
func peer(fd int) (uid, pid int, err error) {
	who, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, 0, err
	}
	if pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, localPeerPID); err != nil {
		pid = 0
	}
	return int(who.Uid), pid, nil
}

// holdPeer cannot tell here whether the process that connected still runs.
func holdPeer(*net.UnixConn) (same func() bool, release func()) {
	return func() bool { return true }, func() {}
}
