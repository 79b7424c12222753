package project

import (
	"ferrus/hq"
	"ferrus/machine"
)

// ActorFor is who calls through a server: role, mode, agent id and nonce as the
// server was started with.
func (p *Project) ActorFor(role machine.Role, mode hq.Mode, id, nonce string) (hq.Actor, error) {
	return hq.Actor{Role: role, Mode: mode, ID: id, Session: SessionOf(nonce)}, nil
}

// InsideSession reports whether this process belongs to a session of an agent,
// and to which.
func (p *Project) InsideSession() (Entry, bool) { return Entry{}, false }

// Person is the actor of a command that a person typed.
func Person() hq.Actor { return hq.Actor{Role: machine.Human, ID: "person"} }

// Itself is the actor of what ferrus does by itself.
func Itself() hq.Actor { return hq.Actor{Role: machine.Ferrus, ID: "ferrus"} }
