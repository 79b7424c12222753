package conductor

import (
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// messages delivers the human's messages to sessions. A message stays on disk until a session
// that has it ends well, so a kill at any point delivers it again rather than losing it.
type messages struct {
	project *project.Task
	notices *notice.List
	slots   slots
	long    longTexts
}

// read returns the messages that no session has acted on, oldest first.
func (m messages) read() []project.Message {
	all, err := m.project.Messages()
	m.notices.AddErrorOnce(err)
	return all
}

// undelivered returns, by slot, the messages of all that its session has not received.
func (m messages) undelivered(all []project.Message) map[core.Slot][]project.Message {
	found := map[core.Slot][]project.Message{}
	for _, one := range all {
		if r := m.slots[one.Slot]; r == nil || !r.Lives() || one.Given != r.Record().Session {
			found[one.Slot] = append(found[one.Slot], one)
		}
	}
	return found
}

// reconcile delivers new messages. A session that waits in a tool call gets them as its
// result; any other is interrupted, and the prompt of the next one carries them. It returns
// the messages that no session has acted on.
func (m messages) reconcile() []project.Message {
	all := m.read()
	for name, texts := range m.undelivered(all) {
		r := m.slots[name]
		if r == nil || !r.Interruptible() {
			continue
		}
		id := r.Record().Session
		switch waiting := m.project.HasDirective(id); {
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
func (m messages) answerTool(session, task string, all []project.Message) {
	text, err := m.long.messages(task, all)
	if err == nil {
		err = m.project.PostDirective(session, project.Directive{Kind: project.DirectiveMessage, Text: text})
	}
	if err != nil {
		m.notices.AddOnce(err.Error())
		return
	}
	m.markGiven(session, all)
}

// markGiven records that a session has messages.
func (m messages) markGiven(session string, all []project.Message) {
	for _, one := range all {
		one.Given = session
		m.notices.AddErrorOnce(m.project.SaveMessage(one))
	}
}

// acknowledge removes the messages of a session that ended well, unless it never read them;
// then the next session gets them again.
func (m messages) acknowledge(slot core.Slot, session, task string) {
	if m.project.HasDirective(session) {
		return
	}
	for _, one := range m.read() {
		if one.Given == session && one.Slot == slot {
			m.notices.AddErrorOnce(m.project.RemoveMessage(one))
			m.notices.AddErrorOnce(m.long.forget(task, one.ID))
		}
	}
}
