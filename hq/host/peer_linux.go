package host

import "golang.org/x/sys/unix"

// peer returns the user and the process at the other end of a socket. A process that this
// one cannot see has the pid 0.
func peer(fd int) (uid, pid int, err error) {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, 0, err
	}
	return int(who.Uid), int(who.Pid), nil
}
