package host

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// fresh is how long a socket is left alone that nobody listens at: its host may be
// about to.
const fresh = time.Minute

// Sweep removes what killed hosts of all projects left behind, and returns how many
// sockets that were.
func Sweep() (sockets int) {
	all := places("")[0]
	if private(all) != nil {
		return 0
	}
	projects, err := os.ReadDir(all)
	if err != nil {
		return 0
	}
	for _, p := range projects {
		dir := filepath.Join(all, p.Name())
		if private(dir) == nil {
			sockets += sweep(dir)
			_ = syscall.Rmdir(dir) // one that is in use stays; who is about to use it makes it again
		}
	}
	return sockets
}

// sweep removes the dead sockets of one project.
func sweep(dir string) (sockets int) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, n := range names {
		info, err := n.Info()
		if err != nil || info.Mode().Type() != os.ModeSocket || !strings.HasSuffix(n.Name(), ".sock") || time.Since(info.ModTime()) < fresh {
			continue
		}
		socket := filepath.Join(dir, n.Name())
		if conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"}); err == nil {
			conn.Close() //nolint:errcheck // it was only to know
		} else if errors.Is(err, syscall.ECONNREFUSED) && os.Remove(socket) == nil {
			sockets++
		}
	}
	return sockets
}
