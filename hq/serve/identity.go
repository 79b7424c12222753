package serve

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"slices"

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
	own     *process.Identity                    // of this server
	agent   *process.Identity                    // as its host knows it; nil: as agents.json says
	owner   func() (project.SessionRecord, bool) // see [Options.Owner]
}

// identify completes what a server was asked to be: with the session that a conductor
// registered, which is served its own role and mode and nothing else, or with a session
// of its own.
func identify(p *project.Task, who identity) (identity, error) {
	if who.role != machine.Supervisor && who.role != machine.Executor {
		return who, fmt.Errorf("serve: unknown role %q; use --role supervisor or --role executor", who.role)
	}
	entry, managed, err := registered(p, who)
	if err != nil {
		return who, fmt.Errorf("serve: %w", err)
	}
	if managed {
		return who.as(entry)
	}
	who.mode = cmp.Or(who.mode, core.ModeFree)
	if modes := Modes(who.role); !slices.Contains(modes, who.mode) {
		return who, fmt.Errorf("serve: unknown mode %q of the role %s; use one of %v", who.mode, who.role, modes)
	}
	who.nonce = cmp.Or(who.nonce, randomHex(16))
	who.session = process.SessionID(who.nonce)
	return who.here()
}

// Modes returns what a session of a role can be for.
func Modes(role machine.Role) []core.Mode {
	switch role {
	case machine.Supervisor:
		return []core.Mode{core.ModePlan, core.ModeSpec, core.ModeTask, core.ModeReview, core.ModeConsult,
			core.ModePhase, core.ModeFree}
	case machine.Executor:
		return []core.Mode{core.ModeWork, core.ModeResume, core.ModeFree}
	}
	return []core.Mode{core.ModeFree}
}

// agentID returns how an agent is called: executor:codex:1.
func agentID(role machine.Role, name string, index int) string {
	return fmt.Sprintf("%s:%s:%d", role, cmp.Or(name, "unknown"), index)
}

// registered finds the session of this server: the one whose host says that this process
// is its own. What agents.json says of a session can only keep this server from being
// served, by its nonce or because one of our ancestors is its process.
func registered(p *project.Task, who identity) (project.SessionRecord, bool, error) {
	if who.owner == nil {
		return recorded(p, who.nonce)
	}
	if entry, known := who.owner(); known {
		return entry, true, nil
	}
	entry, inside, err := recorded(p, who.nonce)
	if err == nil && inside {
		err = fmt.Errorf("the host of this session (%s), which knows its role, does not answer", entry.Name)
	}
	return project.SessionRecord{}, false, err
}

// recorded finds the entry of this session in agents.json.
func recorded(p *project.Task, nonce string) (project.SessionRecord, bool, error) {
	registry, err := p.Registry()
	if err != nil {
		return project.SessionRecord{}, false, err
	}
	if entry, ok := registry.Session(process.SessionID(nonce)); ok {
		return entry, true, nil
	}
	entry, inside := p.InsideSession()
	return entry, inside && entry.Role != "", nil // Without a role it is a session that ended.
}

// as returns the identity of a registered session, if that is what was asked for.
func (who identity) as(entry project.SessionRecord) (identity, error) {
	if who.role != entry.Role {
		return who,
			fmt.Errorf("serve: this session is registered as %s (%s); --role %s is refused, because ferrus serves a "+
				"session in its own role only",
				entry.Role, entry.Mode, who.role)
	}
	if who.mode != "" && who.mode != entry.Mode {
		return who,
			fmt.Errorf("serve: this session is registered for %s; --mode %s is refused, because ferrus serves a "+
				"session in its own mode only", entry.Mode, who.mode)
	}
	who.mode, who.id, who.session, who.agent = entry.Mode, entry.Name, entry.Session, entry.Process
	return who.here()
}

// here adds the identity of this process.
func (who identity) here() (identity, error) {
	own, err := process.Identify(os.Getpid())
	if err != nil {
		return who, fmt.Errorf("serve: find out who this process is: %w", err)
	}
	who.own = own
	return who, nil
}

func randomHex(size int) string {
	random := make([]byte, size)
	_, _ = rand.Read(random) // It never fails.
	return hex.EncodeToString(random)
}
