package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ferrus/agent/home"
	"ferrus/agent/process"
	"ferrus/hq/door"
)

// Door is how a session inside the sandbox reaches its server. The host listens at the
// socket and starts a server outside for each connection.
type Door struct {
	Socket string   `json:"socket"` // alone in its directory
	Server []string `json:"server"` // its command line
	Env    []string `json:"env"`    // its variables, besides those of the host
}

// sessionDoor is the door of the session that a host owns.
type sessionDoor struct {
	doorListener *net.UnixListener // nil: it has none
	doorClosed   chan struct{}     // closed when no connection is left; nil: it was not opened
	doorNoted    time.Time         // when the last process was refused that the journal has
}

// doorName is the name of every door's socket, and the name of its directory begins with doorDir.
const (
	doorName = "door"
	doorDir  = "door-"
)

// MakeDoor makes the directory for the door of a session, and returns the path of its socket.
func MakeDoor(session string) (string, error) { return makeSocketDir(doorDir + session) }

// makeSocketDir makes a directory for one socket of a session, which can be shown to it.
func makeSocketDir(name string) (string, error) {
	all := allSocketDirs()[0]
	socket := filepath.Join(all, name, doorName)
	if len(socket) > longestPath {
		const tooLong = "place a session's door: %s has more than %d bytes: set XDG_RUNTIME_DIR to a shorter path"
		return "", fmt.Errorf(tooLong, socket, longestPath)
	}
	for _, dir := range []string{all, filepath.Dir(socket)} {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("place a session's door: %w", err)
		}
		if err := checkPrivate(dir); err != nil {
			return "", fmt.Errorf("place a session's door: %w", err)
		}
	}
	return socket, nil
}

// removeDoor removes what [MakeDoor] made.
func removeDoor(socket string) {
	_ = os.Remove(socket) // without one there is only the directory
	_ = syscall.Rmdir(filepath.Dir(socket))
}

// listenAtDoor listens at the door of the session, if it has one, so that it is there before
// the agent.
func (h *host) listenAtDoor() (err error) {
	if d := h.launch.Door; d != nil {
		if err = checkPrivate(filepath.Dir(d.Socket)); err == nil {
			h.doorListener, err = listen(d.Socket)
		}
	}
	if err != nil {
		return fmt.Errorf("open the session's door: %w", err)
	}
	return nil
}

// openDoor admits connections until closeDoor. The agent has started.
func (h *host) openDoor() {
	l := h.doorListener
	if l == nil {
		return
	}
	h.doorClosed = make(chan struct{})
	served := &door.Door{Admit: h.admitToDoor, Bounds: door.Usual, Server: h.launch.Door.server(h.launch.Project)}
	go func() {
		defer close(h.doorClosed)
		served.Serve(l)
		served.Close()
	}()
}

// server returns the function that makes the command of a server.
func (d Door) server(project string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, d.Server[0], d.Server[1:]...)
		cmd.Dir = project
		cmd.Env = append(slices.DeleteFunc(os.Environ(), func(entry string) bool {
			return strings.HasPrefix(entry, door.Env+"=") || strings.HasPrefix(entry, MarkEnv+"=")
		}), d.Env...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals to the session's group are not for it
		cmd.WaitDelay = time.Second
		return cmd
	}
}

// closeDoor ends what the session has open at its door.
func (h *host) closeDoor() {
	if h.doorListener == nil {
		return
	}
	_ = h.doorListener.Close()
	if h.doorClosed != nil {
		<-h.doorClosed
	}
	removeDoor(h.launch.Door.Socket)
}

// errOtherDoor is what a process hears that is not of this session.
var errOtherDoor = errors.New("this socket belongs to another session; FERRUS_DOOR names yours")

// errGonePeer is the answer to a process that has ended: a client that was killed while it connected.
var errGonePeer = errors.New("the process that connected has ended")

// admitToDoor admits the processes of this session. What another process asks here is noted
// in the journal.
func (h *host) admitToDoor(conn *net.UnixConn) error {
	pid, err := Peer(conn)
	if err != nil {
		return err
	}
	same, release := holdPeer(conn)
	defer release()
	if h.owns(pid) && same() {
		return nil
	}
	if _, err := process.Lookup(pid); errors.Is(err, process.ErrGone) || !same() {
		return errGonePeer // whose it was cannot be told any more
	}
	if time.Since(h.doorNoted) >= doorNoteInterval { // only the goroutine that accepts comes here
		h.doorNoted = time.Now()
		h.disk.Intruded(h.launch, pid)
	}
	return errOtherDoor
}

// doorNoteInterval is the shortest time between two notes in the journal: who is refused could
// fill it otherwise.
const doorNoteInterval = time.Minute

// loginInterval is how often logins are compared: a session that renews its tokens makes the
// old ones invalid for all others.
const loginInterval = time.Second

// carryLogins carries renewed logins while the session runs.
func (h *host) carryLogins() {
	if h.launch.Home == nil {
		return
	}
	tick := time.NewTicker(loginInterval)
	defer tick.Stop()
	for {
		select {
		case <-h.session.Done():
			return
		case <-tick.C:
			_ = h.launch.Home.Sync() // one that is being written is read again
		}
	}
}

// seedCache fills the cache of the task while the session runs.
func (h *host) seedCache() {
	ctx, end := context.WithCancel(context.Background())
	h.endSeeding = end
	if seed := h.launch.Seed; seed[1] != "" {
		go func() { _ = home.Seed(ctx, seed[0], seed[1], seed[2]) }() // without it, builds take longer
	}
}
