package conductor

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/human"
	"ferrus/hq/project"
)

// newDesk returns the desk that commands of the human ask, in the name of this conductor.
func (c *Conductor) newDesk() *human.Server {
	return &human.Server{
		Project: c.project.Dir, Sessions: c.knownSessions, Screen: !c.options.Headless,
		Changed: func() {
			c.notifyChanged()
			c.loop.Post(func() {}) // what waits needs you
		},
		Accepted: func(r human.Request, f human.Finding) {
			c.loop.Post(func() { c.notices.add(false, "ferrus %s was run from %s", r.Command, f.From) })
		},
	}
}

// openDesk lets commands ask this conductor whether they are the human's. If it fails, such
// commands are refused, and HQ still works.
func (c *Conductor) openDesk() {
	if err := c.human.Open(); err != nil {
		c.notices.add(true, "commands in other terminals cannot be confirmed here: %v", err)
	}
}

// knownSessions returns the processes of this conductor's sessions from memory, and the
// agents that use its servers from outside.
func (c *Conductor) knownSessions() (all []human.Session) {
	c.loop.Ask(func() {
		for _, name := range core.Slots {
			all = append(all, c.slots[name].Processes()...)
		}
	})
	all = append(all, c.tasks.sessions()...)
	clients, _ := human.Clients(c.project) // one that cannot be read is known by its ancestors only
	return append(all, clients...)
}

// Allow allows or denies a command in another terminal that waits for the human.
func (c *Conductor) Allow(ctx context.Context, number int, allow bool) error {
	err, by := c.human.Decide(number, allow), project.HumanOf(ctx)
	via := cmp.Or(by.Via, c.project.Via)
	c.loop.Ask(func() {
		switch before := c.allowed[number]; {
		case err == nil:
			words := "refused"
			if allow {
				words = "allowed"
			}
			words = fmt.Sprintf("the command in another terminal was %s by %s", words, nameHuman(by.ID, via))
			if c.allowed == nil {
				c.allowed = map[int]string{}
			}
			c.allowed[number] = words
			c.notices.addBy(via, words)
		case before != "":
			err = errors.New("too late: " + before)
		}
	})
	return err
}

// Examine returns the evidence that a process is the human's, considering the sessions that
// this conductor knows.
func (c *Conductor) Examine(pid int) human.Finding {
	place, err := human.Here(c.knownSessions())
	if err != nil {
		return human.Finding{Why: err.Error()}
	}
	return human.Examine(pid, place)
}
