package conductor

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/human"
	"ferrus/hq/project"
)

// desk is where commands in other terminals ask whether they are the human's.
type desk struct {
	*observed
	server  *human.Server
	slots   slots
	others  func() []human.Session // the processes of the sessions of other tasks
	allowed map[int]string         // what was decided about them, by their numbers
}

// serve makes the server that commands ask. It is not open yet.
func (d *desk) serve(screen bool, changed func()) {
	d.server = &human.Server{
		Project: d.project.Dir, Sessions: d.knownSessions, Screen: screen,
		Changed: func() {
			changed()
			d.loop.Post(func() {}) // what waits needs you
		},
		Accepted: func(r human.Request, f human.Finding) {
			d.loop.Post(func() { d.notices.Add(false, "ferrus %s was run from %s", r.Command, f.From) })
		},
	}
}

// open lets commands ask. If it fails, such commands are refused, and HQ still works.
func (d *desk) open() {
	if err := d.server.Open(); err != nil {
		d.notices.Add(true, "commands in other terminals cannot be confirmed here: %v", err)
	}
}

// knownSessions returns the processes of this conductor's sessions from memory, and the
// agents that use its servers from outside.
func (d *desk) knownSessions() (all []human.Session) {
	d.loop.Ask(func() {
		for _, name := range core.Slots {
			all = append(all, d.slots[name].Processes()...)
		}
	})
	all = append(all, d.others()...)
	clients, _ := human.Clients(d.project) // one that cannot be read is known by its ancestors only
	return append(all, clients...)
}

// Allow allows or denies a command in another terminal that waits for the human.
func (d *desk) Allow(ctx context.Context, number int, allow bool) error {
	err, by := d.server.Decide(number, allow), project.HumanOf(ctx)
	via := cmp.Or(by.Via, d.project.Via)
	d.loop.Ask(func() {
		switch before := d.allowed[number]; {
		case err == nil:
			words := "refused"
			if allow {
				words = "allowed"
			}
			words = fmt.Sprintf("the command in another terminal was %s by %s", words, journal.NameHuman(by.ID, via))
			if d.allowed == nil {
				d.allowed = map[int]string{}
			}
			d.allowed[number] = words
			d.notices.AddBy(via, words)
		case before != "":
			err = errors.New("too late: " + before)
		}
	})
	return err
}

// Examine returns the evidence that a process is the human's, considering the sessions that
// this conductor knows.
func (d *desk) Examine(pid int) human.Finding {
	place, err := human.Here(d.knownSessions())
	if err != nil {
		return human.Finding{Why: err.Error()}
	}
	return human.Examine(pid, place)
}
