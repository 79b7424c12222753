package host

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ferrus/agent/process"
)

// ownerTimeout is how long a host may take to say whether a process is of its session. One
// that is stopped says nothing.
const ownerTimeout = 3 * time.Second

// Owner is the session that a process belongs to, as its host knows it: from its launch,
// and not from a file.
type Owner struct {
	Project string            `json:"project"`
	Task    string            `json:"task,omitempty"` // as in its launch
	Session string            `json:"session"`
	Slot    string            `json:"slot"`
	Role    string            `json:"role"`
	Mode    string            `json:"mode"`
	Name    string            `json:"name"` // executor:codex:1
	Agent   *process.Identity `json:"agent,omitempty"`
}

// OwnerOfSelf returns the session of a project, or of any if none is named, that this
// process belongs to; false when no host says that it is its own.
func OwnerOfSelf(project string) (Owner, bool) {
	name := "*"
	if project != "" {
		name = filepath.Base(socketDirs(project)[1])
	}
	for _, all := range allSocketDirs() {
		sockets, _ := filepath.Glob(filepath.Join(all, name, "*.sock")) // the pattern is right
		for _, socket := range sockets {
			if owner, ok := askOwner(socket); ok && (project == "" || owner.Project == project) {
				return owner, true
			}
		}
	}
	return Owner{}, false
}

// askOwner asks one host whether this process is of its session.
func askOwner(socket string) (Owner, bool) {
	if name := strings.TrimSuffix(filepath.Base(socket), ".sock"); name == HumanSocket || name == screenSocket ||
		isNamed(socket) {
		return Owner{}, false
	}
	conn, err := connect(socket)
	if err != nil {
		return Owner{}, false
	}
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(ownerTimeout)) != nil {
		return Owner{}, false
	}
	if _, err := conn.Write(encode(frameHello, hello{Kind: asker})); err != nil {
		return Owner{}, false
	}
	kind, body, err := readFrame(conn, nil)
	var owner Owner
	if err != nil || kind != frameOwner || decode("an owner", body, &owner) != nil {
		return Owner{}, false
	}
	return owner, owner.Session != ""
}

// answerOwner tells a process whether it is of this session, and closes the connection. One
// that is not learns nothing.
func (h *host) answerOwner(conn *net.UnixConn) {
	defer conn.Close()
	var owner Owner
	if pid, err := Peer(conn); err == nil && h.owns(pid) {
		h.mu.Lock()
		owner = Owner{
			Project: h.launch.Project, Task: h.launch.Task, Session: h.launch.Session, Slot: h.launch.Slot,
			Role: h.launch.Role,
			Mode: h.launch.Mode, Name: h.launch.Name, Agent: h.record.Agent,
		}
		h.mu.Unlock()
	}
	_, _ = conn.Write(encode(frameOwner, owner)) // one that is gone does not need it
}

// owns reports whether a process descends from this host. Where the system lets orphans
// leave, orphans are known if they were seen with their parents.
func (h *host) owns(pid int) bool {
	chain, err := process.Ancestry(pid)
	if pid <= 0 || err != nil {
		return false
	}
	for _, p := range chain {
		if p.PID == os.Getpid() {
			return true
		}
	}
	return h.session.Owns(chain)
}

// HumanSocket is the name under which a conductor listens for the commands of the human,
// beside the hosts of its project.
const HumanSocket = "human"

// ListenHuman makes the directory of a project's sockets and listens there for commands.
func ListenHuman(project string) (l *net.UnixListener, socket string, err error) {
	return listenSocket(project, HumanSocket)
}

// ForgetHuman removes the directory of a closed socket for commands, unless a host uses it.
func ForgetHuman(socket string) { removeSocketDir(socket) }

// ConnectHuman connects to the conductor of a project, as [ListenHuman] made its socket,
// also when the environments of the two differ.
func ConnectHuman(project string) (*net.UnixConn, error) { return connectAt(project, HumanSocket) }

// screenSocket is the name under which HQ listens for other HQs of its project, which attach.
const screenSocket = "screen"

// ListenScreen is like [ListenHuman] for other HQs of a project.
func ListenScreen(project string) (l *net.UnixListener, socket string, err error) {
	return listenSocket(project, screenSocket)
}

// ConnectScreen connects to the HQ of a project, as [ListenScreen] made its socket.
func ConnectScreen(project string) (*net.UnixConn, error) { return connectAt(project, screenSocket) }

func connectAt(project, socket string) (conn *net.UnixConn, err error) {
	name := filepath.Base(socketDirs(project)[1])
	for _, all := range allSocketDirs() {
		if conn, err = connect(filepath.Join(all, name, socket+".sock")); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
