package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// longestPath is a length in bytes that every system accepts for the path of a socket.
const longestPath = 100

// socketPath makes the directory of a project's sockets, which only its user may enter, and
// returns the path of a slot's socket.
func socketPath(project, slot string) (string, error) {
	dirs := socketDirs(project)
	socket := filepath.Join(dirs[1], slot+".sock")
	if len(socket) > longestPath {
		const tooLong = "place a session's socket: %s has %d bytes, but at most %d are allowed: " +
			"set XDG_RUNTIME_DIR to a shorter path"
		return "", fmt.Errorf(tooLong, socket, len(socket), longestPath)
	}
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("place a session's socket: %w", err)
		}
		if err := checkPrivate(dir); err != nil {
			return "", fmt.Errorf("place a session's socket: %w", err)
		}
	}
	return socket, nil
}

// socketDirs returns the directory of all projects, below XDG_RUNTIME_DIR where there is
// one and else below /tmp, and in it the directory of one project.
func socketDirs(project string) [2]string {
	sum := sha256.Sum256([]byte(project))
	all := allSocketDirs()[0]
	return [2]string{all, filepath.Join(all, hex.EncodeToString(sum[:8]))}
}

// allSocketDirs returns the directories that may have the sockets of this user: first the
// one for this environment, then the others.
func allSocketDirs() (dirs []string) {
	user := strconv.Itoa(os.Geteuid())
	for _, runtime := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/user/" + user} {
		dir := filepath.Join(runtime, "ferrus")
		if filepath.IsAbs(runtime) && checkPrivate(runtime) == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	shared := "/tmp/ferrus-" + user
	if dirs = append(dirs, shared); os.Getenv("XDG_RUNTIME_DIR") == "" {
		slices.Reverse(dirs)
	}
	return dirs
}

// checkPrivate returns why other users might be able to enter a directory.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !ok || int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%[1]s is accessible to others (%[2]v); run: chmod 700 %[1]s", dir, info.Mode().Perm())
	}
	return nil
}

// listenSocket makes a project's directory and listens there for clients of a slot. The last
// host of another slot may remove the directory at any moment; then it is made again.
func listenSocket(project, slot string) (l *net.UnixListener, socket string, err error) {
	for range 100 {
		if socket, err = socketPath(project, slot); err == nil {
			l, err = listen(socket)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return l, socket, err
}

// removeSocketDir removes the directory of a removed socket, unless it has others.
func removeSocketDir(socket string) {
	_ = syscall.Rmdir(filepath.Dir(socket)) // the last one succeeds
}

// socketName returns the name of a slot's socket. The name of its task would make a path that is
// too long for a socket.
func socketName(task, slot string) string {
	if task == "" {
		return slot
	}
	sum := sha256.Sum256([]byte(task))
	return slot + "-" + hex.EncodeToString(sum[:4])
}

// Forget removes what a killed host of a task's slot left behind. The socket of a running host
// stays.
func Forget(project, task, slot string) {
	dirs := socketDirs(project)
	if checkPrivate(dirs[0]) != nil || checkPrivate(dirs[1]) != nil {
		return
	}
	socket := filepath.Join(dirs[1], socketName(task, slot)+".sock")
	removeDead(socket) // one that stays is removed by the next host of its slot
	removeSocketDir(socket)
}

// removeDead removes a socket that no host listens at, and reports whether it did. It asks for a socket of
// another type, which the kernel refuses where one listens: that host hears nothing of it.
func removeDead(socket string) bool {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err == nil {
		conn.Close() //nolint:errcheck // it was only a probe
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED) && os.Remove(socket) == nil
}

// listen listens at a socket, and replaces the socket of a dead host.
func listen(socket string) (*net.UnixListener, error) {
	address := &net.UnixAddr{Name: socket, Net: "unix"}
	if other, err := net.DialUnix("unix", nil, address); err == nil {
		return nil, errors.Join(fmt.Errorf("listen for clients: a host is running at %s", socket), other.Close())
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listen for clients: %w", err)
	}
	l, err := net.ListenUnix("unix", address)
	if err != nil {
		return nil, fmt.Errorf("listen for clients: %w", err)
	}
	return l, nil
}

// connect connects to a host, if it belongs to our user.
func connect(socket string) (*net.UnixConn, error) {
	if err := checkPrivate(filepath.Dir(socket)); err != nil {
		return nil, fmt.Errorf("reach a session's host: %w", err)
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("reach a session's host: %w", err)
	}
	if err := checkPeer(conn); err != nil {
		return nil, errors.Join(fmt.Errorf("reach a session's host: %w", err), conn.Close())
	}
	return conn, nil
}

// checkPeer returns an error if another user is at the other end of a connection.
func checkPeer(conn *net.UnixConn) error {
	_, err := Peer(conn)
	return err
}

// Peer returns the process at the other end of a connection, 0 for one that this process
// cannot see, and an error if that is another user's.
func Peer(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	uid, failed := -1, error(nil)
	if err := raw.Control(func(fd uintptr) { uid, pid, failed = peer(int(fd)) }); err != nil {
		return 0, err
	}
	if failed == nil && uid != os.Geteuid() {
		failed = fmt.Errorf("user %d is at the other end", uid)
	}
	return pid, failed
}

// The kinds of sockets of [NamedSocket].
const (
	WorkerSocket = "worker" // of a worker of this machine
	LinkSocket   = "link"   // of the link process of a worker of another machine
)

// NamedSocket returns the path of this user's socket for a directory, such as a worker's, and
// makes the socket's parent directory. No host of a session listens there.
func NamedSocket(kind, dir string) (string, error) {
	sum := sha256.Sum256([]byte(dir))
	return socketPath(kind, kind+"-"+hex.EncodeToString(sum[:6]))
}

// isNamed reports whether a socket is one of NamedSocket.
func isNamed(socket string) bool {
	dir := filepath.Base(filepath.Dir(socket))
	return dir == filepath.Base(socketDirs(WorkerSocket)[1]) || dir == filepath.Base(socketDirs(LinkSocket)[1])
}

// Listen listens at a socket of [NamedSocket], unless another process does.
func Listen(socket string) (*net.UnixListener, error) { return listen(socket) }
