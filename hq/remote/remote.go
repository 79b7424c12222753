// Package remote is home's side of [wire]: it connects this machine to its workers, and shows
// their sessions like local ones.
//
// A link process, `ferrus worker link`, owns the connection to one worker ([RunLink]) and
// reconnects when it is lost. Everything else is a client of that process over a socket
// ([Connect]): HQ asks for the worker's state, and each session has a process here, `ferrus worker
// session` ([RunSession]), which a host runs in place of the agent. So a worker's session has a
// pane, a log and a record like any other, and outlives HQ and the link.
//
// Home knows the work only as the task's worktree at home. Before a tool call is answered, that
// worktree is updated to the tree that the worker had when the call was made (sync.go). Gates,
// diffs, submissions and landings use only that worktree, so home need not trust what a worker
// says about its work.
package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"ferrus/hq/host"
	"ferrus/hq/wire"
)

// Target is a worker of a project, as its configuration has it.
type Target struct {
	Project  string `json:"project"` // the directory
	Name     string `json:"name"`
	SSH      string `json:"ssh,omitempty"`  // the destination; empty: it announces itself on a server
	NATS     string `json:"nats,omitempty"` // the URLs of that server
	Creds    string `json:"creds,omitempty"`
	CA       string `json:"ca,omitempty"`
	Patience int    `json:"patience"` // seconds
}

// socket returns the path of the socket of the target's link process.
func (t Target) socket() (string, error) {
	return host.NamedSocket(host.LinkSocket, t.Project+"\x00"+t.Name+"\x00"+t.SSH+t.NATS)
}

// HomeID identifies a project of this user on this machine.
func (t Target) HomeID() string {
	machine, _ := os.ReadFile("/etc/machine-id") // without one the name has to do
	name, _ := os.Hostname()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", machine, name, os.Geteuid(), t.Project))
	return hex.EncodeToString(sum[:12])
}

// MethodLink asks a link process how its connection is: nothing, LinkStatus. It is answered at
// home.
const MethodLink wire.Method = "link"

// MethodMark tells a link process what its worker did against the protocol, where a session noticed: a string,
// nothing. It is answered at home, and nothing is asked of the worker from then on.
const MethodMark wire.Method = "mark"

// LinkStatus is how the connection to a worker is.
type LinkStatus struct {
	Connected bool          `json:"connected"`
	Since     time.Time     `json:"since"`            // of the present state
	Heard     time.Time     `json:"heard,omitzero"`   // when the worker answered last
	Why       string        `json:"why,omitempty"`    // why it is not connected
	Marked    string        `json:"marked,omitempty"` // what the worker did against the protocol; nothing is asked of it then
	Welcome   *wire.Welcome `json:"welcome,omitempty"`
}

// Connect connects to the link process of a worker, which is started if there is none.
func Connect(ctx context.Context, t Target, ferrus string) (wire.Link, error) {
	socket, err := t.socket()
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		if err := startLink(t, ferrus); err != nil {
			return nil, err
		}
	}
	for end := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		conn, err = net.Dial("unix", socket)
	}
	if err != nil {
		return nil, fmt.Errorf("reach the link to the worker %s: %w", t.Name, err)
	}
	return wire.Dial(wire.Bytes(conn, conn)), nil
}

// startLink starts the link process of a worker.
func startLink(t Target, ferrus string) error {
	log := filepath.Join(t.Project, ".ferrus", "logs", "worker-"+t.Name+".log")
	return host.StartDetached(log, ferrus, "worker", "link", "--project", t.Project, t.Name)
}

// Mark has a worker marked for what it did against the protocol: nothing more is asked of it.
func Mark(t Target, ferrus, what string) error {
	ctx, cancel := context.WithTimeout(context.Background(), wire.Beat)
	defer cancel()
	l, err := Connect(ctx, t, ferrus)
	if err != nil {
		return err
	}
	defer l.Close()
	return wire.Ask(ctx, l, MethodMark, what, nil)
}

// Status asks the link process how its connection is.
func Status(ctx context.Context, l wire.Link) (s LinkStatus, err error) {
	err = wire.Ask(ctx, l, MethodLink, struct{}{}, &s)
	return s, err
}

// IsLost reports an error of a link that may be there again later.
func IsLost(err error) bool {
	var refused *wire.Refused
	return errors.Is(err, wire.ErrLost) || errors.As(err, &refused) && refused.Why == errNotReachable ||
		errors.Is(err, context.DeadlineExceeded)
}

// errNotReachable is what a link process answers while the worker is not connected.
const errNotReachable = "the worker is not reachable"
