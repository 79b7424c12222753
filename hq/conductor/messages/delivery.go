// Package messages delivers the messages of the human to the sessions of a task.
//
// A message is a file (package project). [Delivery.Reconcile] hands it to the tool call in which a session waits, or
// interrupts the session: then the prompt of the next one has it ([Delivery.Undelivered], [Delivery.MarkGiven]).
// [Delivery.Acknowledge] removes it once a session that has it has ended well, so that a kill at any point delivers it
// again. [LongTexts] are for texts that are too long for a prompt.
package messages

import (
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// Delivery delivers the human's messages to sessions. The loop of their runners uses it.
type Delivery struct {
	Project *project.Task
	Notices *notice.List
	Slots   map[core.Slot]*session.Runner
	Long    LongTexts
}

// Read returns the messages that no session has acted on, oldest first.
func (m Delivery) Read() []project.Message {
	all, err := m.Project.Messages()
	m.Notices.AddErrorOnce(err)
	return all
}

// Undelivered returns, by slot, the messages of all that its session has not received.
func (m Delivery) Undelivered(all []project.Message) map[core.Slot][]project.Message {
	found := map[core.Slot][]project.Message{}
	for _, one := range all {
		if r := m.Slots[one.Slot]; r == nil || !r.Lives() || one.Given != r.Record().Session {
			found[one.Slot] = append(found[one.Slot], one)
		}
	}
	return found
}

// Reconcile delivers new messages. A session that waits in a tool call gets them as its
// result; any other is interrupted, and the prompt of the next one carries them. It returns
// the messages that no session has acted on.
func (m Delivery) Reconcile() []project.Message {
	all := m.Read()
	for name, texts := range m.Undelivered(all) {
		r := m.Slots[name]
		if r == nil || !r.Interruptible() {
			continue
		}
		id := r.Record().Session
		switch waiting := m.Project.HasDirective(id); {
		case waiting: // it has not read the last directive yet
		case r.WaitsInTool():
			m.answerTool(id, r.Record().Task, texts)
		default:
			r.Interrupt()
		}
	}
	return all
}

// answerTool hands messages to the tool call in which a session waits.
func (m Delivery) answerTool(session, task string, all []project.Message) {
	text, err := m.Long.Messages(task, all)
	if err == nil {
		err = m.Project.PostDirective(session, project.Directive{Kind: project.DirectiveMessage, Text: text})
	}
	if err != nil {
		m.Notices.AddOnce(err.Error())
		return
	}
	m.MarkGiven(session, all)
}

// MarkGiven records that a session has messages.
func (m Delivery) MarkGiven(session string, all []project.Message) {
	for _, one := range all {
		one.Given = session
		m.Notices.AddErrorOnce(m.Project.SaveMessage(one))
	}
}

// Acknowledge removes the messages of a session that ended well, unless it never read them;
// then the next session gets them again.
func (m Delivery) Acknowledge(slot core.Slot, session, task string) {
	if m.Project.HasDirective(session) {
		return
	}
	for _, one := range m.Read() {
		if one.Given == session && one.Slot == slot {
			m.Notices.AddErrorOnce(m.Project.RemoveMessage(one))
			m.Notices.AddErrorOnce(m.Long.forget(task, one.ID))
		}
	}
}
