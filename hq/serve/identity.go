package serve

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

// identity is whose server this is. It does not change while it runs.
type identity struct {
	role    machine.Role
	mode    core.Mode
	id      string // executor:codex:1
	nonce   string
	session string
	own     *process.Identity // of this server
}

// identify finds the session this server belongs to. A session that a conductor
// registered is served its own role and mode and nothing else.
func identify(o Options) (identity, error) {
	who := identity{role: o.Role, mode: o.Mode, nonce: o.Nonce}
	if who.role != machine.Supervisor && who.role != machine.Executor {
		return who, fmt.Errorf("serve: unknown role %q; use --role supervisor or --role executor", o.Role)
	}
	entry, managed, err := registered(o)
	if err != nil {
		return who, fmt.Errorf("serve: %w", err)
	}
	if managed {
		return who.as(entry)
	}
	if who.mode == "" {
		who.mode = core.ModeFree
	}
	if err := served(who.role, who.mode); err != nil {
		return who, err
	}
	who.id = AgentID(o.Role, o.AgentName, o.Index)
	if who.nonce == "" {
		who.nonce = newNonce()
	}
	who.session = process.SessionID(who.nonce)
	return who.here()
}

// AgentID is how an agent is called: executor:codex:1.
func AgentID(role machine.Role, name string, index int) string {
	if name == "" {
		name = "unknown"
	}
	return fmt.Sprintf("%s:%s:%d", role, name, index)
}

// registered finds the entry of this session: by its nonce, else because one of
// our ancestors is its process.
func registered(o Options) (project.SessionRecord, bool, error) {
	registry, err := o.Project.Registry()
	if err != nil {
		return project.SessionRecord{}, false, err
	}
	if entry, ok := registry.Session(process.SessionID(o.Nonce)); ok {
		return entry, true, nil
	}
	entry, inside := o.Project.InsideSession()
	return entry, inside && entry.Role != "", nil // Without a role it is a session that ended.
}

// as takes on a registered session, if that is what was asked for.
func (who identity) as(entry project.SessionRecord) (identity, error) {
	if who.role != entry.Role {
		return who,
			fmt.Errorf("serve: this session is registered as %s (%s); --role %s is refused, because a session is "+
				"served its own role only",
				entry.Role, entry.Mode, who.role)
	}
	if who.mode != "" && who.mode != entry.Mode {
		return who,
			fmt.Errorf("serve: this session is registered for %s; --mode %s is refused, because a session is served "+
				"its own mode only", entry.Mode, who.mode)
	}
	who.mode, who.id, who.session = entry.Mode, entry.Name, entry.Session
	return who.here()
}

func (who identity) here() (identity, error) {
	own, err := process.Identify(os.Getpid())
	if err != nil {
		return who, fmt.Errorf("serve: find out who this process is: %w", err)
	}
	who.own = own
	return who, nil
}

func newNonce() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // It never fails.
	return hex.EncodeToString(random[:])
}

// actor is who calls, as the registry has it now: a conductor may have ended, or
// written down the agent's process, since the last call.
func (s *server) actor() (core.Actor, error) {
	a := core.Actor{Role: s.who.role, ID: s.who.id, Session: s.who.session, Mode: s.who.mode, Process: s.who.own}
	registry, err := s.project.Registry()
	if err != nil {
		return a, err
	}
	if entry, ok := registry.Session(s.who.session); ok && entry.Role == s.who.role {
		a.Managed = true
		if entry.Process != nil {
			a.Process = entry.Process
		}
	}
	return a, nil
}
