// Package host runs each agent session in its own process, so that it survives HQ.
//
// A host is a small process of this program that owns one session: its terminal, an
// emulator with the last lines (screen.go), and its raw log, without secrets. The
// conductor and `ferrus attach` are its clients; when they end, crash or lose their
// terminal, the agent keeps running.
//
// [Start] starts a host (start.go) and returns the conductor's [Client] of it (client.go,
// send.go, pace.go); [Reattach] connects to the session of a conductor that is gone, by the
// [Record] that its host left; [Dial] follows a session for another terminal (view.go), and
// a [Mirror] draws it there. [Serve] is the host itself (serve.go), with a client on its side
// for each connection (servedclient.go). Both sides speak in frames (frame.go) over a socket
// (place.go, sweep.go).
//
// A host listens on a socket in a directory that only its user may enter, and checks the
// user at the other end. One client types, the others are read-only: the first terminal
// that attached to type, else the conductor. A client that does not read slows the agent;
// nothing is dropped.
//
// A host ends once its agent and everything that it started are reaped and a conductor has
// acknowledged how the agent ended, or after ten minutes if none does. How the agent ended
// is in the record before any client learns it.
//
// It does not protect against other programs of the same user: they can connect, too,
// and killing the host ends the session's terminal.
package host

import (
	"errors"
	"syscall"
	"time"

	"ferrus/agent"
	"ferrus/agent/home"
	"ferrus/agent/process"
)

// Command is the hidden command that runs a host: ferrus host.
const Command = "host"

// MarkEnv is set in the environment of a host to the id of its session. By it a host is
// found whose conductor died before anything was recorded.
const MarkEnv = agent.HostMark

// lingerTime is how long a host keeps the last screen of its session for a conductor.
const lingerTime = 10 * time.Minute

// Launch is what a host should run. It is passed on an inherited descriptor, so that the
// nonce in it is on no command line. It has more than 12 fields because it is one flat
// message of a protocol.
type Launch struct {
	Project    string           `json:"project"`             // absolute
	Task       string           `json:"task,omitempty"`      // name of the task; empty: its record is .ferrus
	Workspace  string           `json:"workspace,omitempty"` // absolute, where it runs; empty: the project
	Slot       string           `json:"slot"`
	Role       string           `json:"role,omitempty"` // of the session, like Mode and Name
	Mode       string           `json:"mode,omitempty"`
	Name       string           `json:"name,omitempty"` // executor:codex:1
	Session    string           `json:"session"`        // its id
	Number     int              `json:"number"`         // in its slot
	Invocation agent.Invocation `json:"invocation"`
	Renderer   string           `json:"renderer,omitempty"` // for agent.RendererOf; empty: none
	Columns    int              `json:"columns"`
	Rows       int              `json:"rows"`
	Scrollback int              `json:"scrollback"`
	Log        string           `json:"log"`                // below .ferrus
	StopOnExit bool             `json:"tethered,omitempty"` // it ends once no conductor is connected
	Home       *home.Home       `json:"home,omitempty"`     // its private one; nil: it has yours
	Seed       [3]string        `json:"seed,omitzero"`      // your cache, and what [home.Seed] fills from it
	Door       *Door            `json:"door,omitempty"`     // nil: the session starts its server itself
	Proxy      *Proxy           `json:"proxy,omitempty"`    // nil: the session has your network, or none
}

// Record is run/<slot>.json: where the newest session of a slot runs, and how it ended.
type Record struct {
	Slot      string            `json:"slot"`
	Session   string            `json:"session"`
	Number    int               `json:"session_seq"`
	Socket    string            `json:"socket"`
	Host      *process.Identity `json:"host"`
	Agent     *process.Identity `json:"agent,omitempty"` // nil: it was not started
	Log       string            `json:"log,omitempty"`
	StartedAt time.Time         `json:"started_at"`
	Exit      *Ending           `json:"exit,omitempty"` // nil: it was not reaped
}

// File returns the name of a slot's record below .ferrus.
func File(slot string) string { return "run/" + slot + ".json" }

// Ending is how an agent ended, as it is recorded and sent.
type Ending struct {
	Code   int       `json:"code"`
	Signal int       `json:"signal,omitempty"`
	Ended  time.Time `json:"ended"`
	Error  string    `json:"error,omitempty"`

	Usage agent.Usage `json:"usage,omitzero"`  // as its stream reported it
	Limit agent.Limit `json:"limit,omitzero"`  // likewise
	Final *string     `json:"final,omitempty"` // see [agent.Exit]; sent to clients, and not recorded
}

// ending returns an exit as it is recorded.
func ending(e agent.Exit) *Ending {
	end := &Ending{
		Code: e.Code, Signal: int(e.Signal), Ended: e.Ended.UTC().Round(0),
		Usage: e.Usage, Limit: e.Limit, Final: e.Final,
	}
	if e.Err != nil {
		end.Error = e.Err.Error()
	}
	return end
}

// withoutFinal returns the ending without the agent's last message.
func (e Ending) withoutFinal() *Ending {
	e.Final = nil
	return &e
}

// Exit returns the ending as an exit.
func (e Ending) Exit() agent.Exit {
	exit := agent.Exit{
		Code: e.Code, Signal: syscall.Signal(e.Signal), Ended: e.Ended,
		Usage: e.Usage, Limit: e.Limit, Final: e.Final,
	}
	if e.Error != "" {
		exit.Err = errors.New(e.Error)
	}
	return exit
}
