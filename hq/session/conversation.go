package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ferrus/agent"
	"ferrus/hq/core"
)

// conversation returns the id of the conversation that a session continues: the previous session's, when
// the slot changes to its program's own screen or back, or one that you had with the same agent and that
// the task adopted. For the first session in a private home it is copied there first. Empty: a new one
// begins.
func (l *Local) conversation(s Launch, adapter agent.Adapter, within *inside) (string, error) {
	if s.Continues.Session != "" && s.Continues.AgentType == adapter.Name() && s.Continues.Task == s.Origin {
		return agent.LastConversation(adapter, l.ownScreen(s.Continues, s.Workspace)), nil
	}
	if l.NoServer || s.Slot != core.SlotExecutor || s.Mode != core.ModeWork && s.Mode != core.ModeResume {
		return "", nil
	}
	state, err := l.Project.World()
	if err != nil {
		return "", err
	}
	t := state.World.Task
	if t == nil || t.ID != s.Origin || t.Workspace == nil || t.Workspace.Adopted == nil {
		return "", nil
	}
	a := t.Workspace.Adopted
	if a.Conversation == "" || a.Agent != adapter.Name() || l.lost(s) {
		return "", nil
	}
	c := agent.Conversation{Agent: a.Agent, ID: a.Conversation, Dir: a.Held, Place: a.Place}
	if within == nil {
		if agent.ContinuesElsewhere(adapter) {
			return c.ID, nil // in your own home
		}
		return "", nil
	}
	content, err := os.ReadFile(l.Project.Conversation(t.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // it was freed: a new one begins
	}
	if err == nil {
		var file string
		if file, content, err = agent.MoveConversation(adapter, c, s.Workspace, content); err == nil {
			err = within.home.Add(file, content)
		}
	}
	if err != nil {
		return "", fmt.Errorf("put the conversation in place: %w", err)
	}
	return c.ID, nil
}

// lost reports whether the agent cannot continue the conversation: its newest sessions ended with an error,
// twice in a row, and no call of theirs was accepted.
func (l *Local) lost(s Launch) bool {
	ended, err := l.Project.Ended(s.Origin)
	if err != nil {
		return false
	}
	failed := 0
	for i := len(ended) - 1; i >= 0 && failed < 2; i-- {
		e := ended[i]
		switch {
		case e.Slot != s.Slot || e.Agent != s.Agent.Agent:
		case e.Accepted:
			return false
		default:
			failed++
		}
	}
	return failed >= 2
}
