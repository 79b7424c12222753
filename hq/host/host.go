// Package host runs each agent session in its own process, so that it survives HQ.
//
// A host is a small process of this program that owns one session: its terminal, an
// emulator with the last lines, and its raw log. The conductor is a client of it, and so
// is `ferrus attach`; when they end, crash or lose their terminal, the agent runs on.
//
// [Start] starts a host and returns the conductor's [Client] of it; [Reattach] reaches the
// session of a conductor that is gone, by the [Record] that its host left; [Dial] follows
// one. [Serve] is the host itself.
//
// A host listens on a socket in a directory that only its user may enter, and checks the
// user at the other end. One client types, the others are read-only: the first terminal
// that attached to type, else the conductor. A client that does not read slows the agent;
// nothing is dropped.
//
// A host ends when its agent was reaped, with all that it started, and a conductor has
// taken note of how it ended, or ten minutes after that when no conductor came. How the
// agent ended is in the record before any client learns it.
//
// What it does not do: another program of the same user may connect as well, and one that
// kills the host ends the session's terminal with it.
package host

import (
	"errors"
	"syscall"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
)

// Command is the hidden command that runs a host: ferrus host.
const Command = "host"

// MarkEnv is in the environment of a host, with the id of its session: by it a
// host is found whose conductor died before it could write anything down.
const MarkEnv = agent.HostMark

// lingerTime is how long the last screen of a session is kept for a conductor that
// may come.
const lingerTime = 10 * time.Minute

// Launch is what a host is to run. It is handed over on an inherited descriptor:
// the nonce in it is on no command line.
type Launch struct {
	Project    string           `json:"project"`             // absolute
	Workspace  string           `json:"workspace,omitempty"` // absolute, where it runs; empty: the project
	Slot       string           `json:"slot"`
	Session    string           `json:"session"` // its id
	Number     int              `json:"number"`  // in its slot
	Invocation agent.Invocation `json:"invocation"`
	Renderer   string           `json:"renderer,omitempty"` // name of the agent whose renderer is used; empty: none
	Columns    int              `json:"columns"`
	Rows       int              `json:"rows"`
	Scrollback int              `json:"scrollback"`
	Log        string           `json:"log"`                // below .ferrus
	StopOnExit bool             `json:"tethered,omitempty"` // it ends when no conductor is connected
}

// Record is run/<slot>.json: where the newest session of a slot is found.
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

// File is the name of a slot's record below .ferrus.
func File(slot string) string { return "run/" + slot + ".json" }

// Ending is how an agent ended, as it is written down.
type Ending struct {
	Code   int       `json:"code"`
	Signal int       `json:"signal,omitempty"`
	Ended  time.Time `json:"ended"`
	Error  string    `json:"error,omitempty"`

	Usage agent.Usage `json:"usage,omitzero"`  // as its stream reported it
	Limit agent.Limit `json:"limit,omitzero"`  // likewise
	Final *string     `json:"final,omitempty"` // see [agent.Exit]; told to clients, and not kept in a record
}

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

// withoutFinal is the ending without what the agent said.
func (e Ending) withoutFinal() *Ending {
	e.Final = nil
	return &e
}

// Exit is the ending as sessions tell it.
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
