package conductor

import (
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/session"
)

// Tell leaves a message for the session of a slot, or for its next one. The words
// say which.
func (c *Conductor) Tell(slot core.Slot, text string) (string, error) {
	if err := c.project.Tell(slot, text); err != nil {
		return "", err
	}
	words := "the next session of the " + string(slot) + " is told"
	if !c.ask(func() {
		if s := c.slots[slot]; s != nil && s.process != nil {
			words = "the " + string(slot) + " is told"
		}
	}) {
		return "", ErrClosed
	}
	return words, nil
}

// settleMessages tells each session what it was not told. One whose tool waits
// gets it with the answer of that tool; another is interrupted, and the prompt of
// the next one carries it.
func (c *Conductor) settleMessages() {
	for name, texts := range c.untold() {
		s := c.slots[name]
		if s == nil || s.process == nil || s.snap.Data.Cause != "" {
			continue
		}
		switch s.snap.At {
		case session.Spawning:
			s.step(session.UrgentMessage{})
		case session.Running:
			if s.waits() && !c.project.Waiting(s.entry.Session) {
				s.hand(texts)
				continue
			}
			if !c.project.Waiting(s.entry.Session) {
				s.step(session.UrgentMessage{})
			}
		}
	}
}

// untold are the messages of each slot that its session was not given.
func (c *Conductor) untold() map[core.Slot][]project.Message {
	all, err := c.project.Messages()
	if err != nil {
		c.once(err.Error())
	}
	found := map[core.Slot][]project.Message{}
	for _, m := range all {
		if s := c.slots[m.Slot]; s == nil || s.process == nil || m.Given != s.entry.Session {
			found[m.Slot] = append(found[m.Slot], m)
		}
	}
	return found
}

// waits reports whether a tool of the session waits for something.
func (s *slot) waits() bool { return strings.HasPrefix(s.presence().Tool, "wait_for_") }

// hand leaves messages for the tool that waits.
func (s *slot) hand(all []project.Message) {
	if err := s.c.project.PostDirective(s.entry.Session, project.Directive{Kind: project.HandMessage, Text: joined(all)}); err != nil {
		s.c.once(err.Error())
		return
	}
	s.give(all)
}

// give notes that the session of the slot has messages.
func (s *slot) give(all []project.Message) {
	for _, m := range all {
		m.Given = s.entry.Session
		if err := s.c.project.SaveMessage(m); err != nil {
			s.c.once(err.Error())
		}
	}
}

// acknowledge is the good end of a session: what it was given is done with if it had
// taken it; else the next session is told.
func (s *slot) acknowledge() {
	if s.c.project.Waiting(s.entry.Session) {
		return
	}
	all, err := s.c.project.Messages()
	if err != nil {
		s.c.once(err.Error())
	}
	for _, m := range all {
		if m.Given != s.entry.Session || m.Slot != s.name {
			continue
		}
		if err := s.c.project.RemoveMessage(m); err != nil {
			s.c.once(err.Error())
		}
	}
}

// joined is what is told at once.
func joined(all []project.Message) string {
	var texts []string
	for _, m := range all {
		texts = append(texts, m.Text)
	}
	return strings.Join(texts, "\n\n")
}
