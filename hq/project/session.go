package project

import (
	"context"
	"os"
	"path/filepath"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/machine"
)

// ancestors is how many parent processes are checked at most.
const ancestors = 64

// InsideSession reports whether this process belongs to an agent's session, and to which:
// by its nonce, or because an ancestor is a registered process. An unknown nonce of this
// project belongs to a session that has ended.
func (t *Task) InsideSession() (SessionRecord, bool) {
	nonce := os.Getenv(process.NonceEnv)
	r := t.sessions()
	if entry, ok := r.Session(process.SessionID(nonce)); ok {
		return entry, true
	}
	if entry, ok := r.Ancestor(os.Getpid()); ok {
		return entry, true
	}
	if nonce != "" && t.isNamed(os.Getenv(ProjectEnv)) {
		return SessionRecord{Name: "an agent", Session: process.SessionID(nonce)}, true
	}
	return SessionRecord{}, false
}

// Ancestor returns the registered process that a process descends from.
func (r Registry) Ancestor(pid int) (SessionRecord, bool) {
	for range ancestors {
		for _, entry := range r.Agents {
			if entry.Process == nil || entry.Process.PID != pid {
				continue
			}
			if alive, known := process.Alive(entry.Process); alive && known {
				return entry, true
			}
		}
		p, err := process.Lookup(pid)
		if err != nil || p.Parent <= 1 {
			break
		}
		pid = p.Parent
	}
	return SessionRecord{}, false
}

func (p *Project) isNamed(dir string) bool {
	if dir == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && real == p.Dir
}

// Origin returns where a command of an actor comes from, for the journal: the human's from
// [Project.Via] or the actor itself, and agents' are known by their session.
func (p *Project) Origin(by core.Actor) string {
	switch {
	case by.Role != machine.Human:
		return ""
	case by.Via != "":
		return by.Via
	}
	return p.Via
}

// HumanActor returns the actor of a command that you typed. Its id is stored in journals.
func HumanActor() core.Actor { return core.Actor{Role: machine.Human, ID: core.HumanID} }

// User is a human who uses this process from another process's terminal.
type User struct {
	ID  string // as in journals: [core.HumanID], or user@host on another machine
	Via string // where they are: pts/3, process 4711 (ferrus, zsh)
}

// userKey is the key of a context's [User].
type userKey struct{}

// WithUser returns a context whose commands are of that human.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// HumanOf returns the actor of a human's command: the context's, or else you.
func HumanOf(ctx context.Context) core.Actor {
	by := HumanActor()
	if u, ok := ctx.Value(userKey{}).(User); ok {
		by.ID, by.Via = u.ID, u.Via
	}
	return by
}

// FerrusActor returns the actor of what ferrus does by itself.
func FerrusActor() core.Actor { return core.Actor{Role: machine.Ferrus, ID: "ferrus"} }
