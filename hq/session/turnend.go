package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ferrus/agent"
	"ferrus/agent/acp"
	"ferrus/agent/home"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// prepareReports sets the launch's directory for what its program reports. It is in the private home of
// its slot, where the program can write even inside the sandbox.
func (l *Local) prepareReports(launch *agent.Launch, s Launch, adapter agent.Adapter) error {
	if l.NoServer {
		return nil
	}
	dir := l.reports(s.Origin, launch.Slot)
	err := os.MkdirAll(dir, 0o700)
	for _, old := range agent.Reported {
		if err == nil {
			err = home.Remove(dir, old)
		}
	}
	if name, text := agent.Plugin(adapter); err == nil && name != "" {
		err = home.Write(dir, name, []byte(text))
	}
	id := launch.Conversation
	if err == nil && id != "" && id != agent.NewestConversation {
		err = home.Write(dir, filepath.Base(launch.Resume), acp.Remembering(s.Workspace, id))
	}
	if err != nil {
		return fmt.Errorf("prepare the session of the %s: %w", s.Slot, err)
	}
	launch.Reports = dir
	return nil
}

// reports returns the directory for what a slot's program reports.
func (l *Local) reports(task, slot string) string {
	return filepath.Join(TaskDir(l.Project, task), "home", slot)
}

// unfinished returns the file from which an agent that speaks the Agent Client Protocol
// continues its conversation.
func (l *Local) unfinished(task string, slot core.Slot, mode core.Mode) string {
	return filepath.Join(l.reports(task, string(slot)), "conversation-"+string(mode)+".json")
}

// TurnEnded returns when the program of a session on its own screen ended its turn, as it says itself; zero: a
// turn runs, or the program does not say. The program may write anything there: it ends no other session.
func (l *Local) TurnEnded(e project.SessionRecord, workspace string) time.Time {
	adapter, err := l.lookup(e.AgentType)
	if err != nil {
		return time.Time{}
	}
	return agent.TurnEnded(adapter, l.ownScreen(e, workspace))
}

// WrittenUsage returns a session's usage from its program's own records; it may be unknown.
func (l *Local) WrittenUsage(e project.SessionRecord, workspace string) agent.Usage {
	adapter, err := l.lookup(e.AgentType)
	if err != nil {
		return agent.Usage{}
	}
	return agent.WrittenUsage(adapter, l.ownScreen(e, workspace))
}

// ownScreen returns where the program of a session keeps its records of it.
func (l *Local) ownScreen(e project.SessionRecord, workspace string) agent.OwnScreen {
	if state, err := l.Project.World(); workspace == "" && err == nil { // it ran on while HQ was away
		workspace = l.Project.Workspace(state.World)
	}
	dir := l.reports(e.Task, string(e.Slot))
	s := agent.OwnScreen{Reports: dir, Workspace: workspace, Since: e.StartedAt,
		Unfinished: l.unfinished(e.Task, e.Slot, e.Mode)}
	if IsInside(e.Sandbox) {
		s.Home = dir
	}
	return s
}

// Continuable returns why a session that runs cannot continue on its program's own screen, or back; nil: it can.
func (l *Local) Continuable(e project.SessionRecord, workspace string) error {
	adapter, err := l.lookup(e.AgentType)
	at, remote := l.place()
	switch {
	case err != nil:
		return err
	case remote:
		return fmt.Errorf("the session runs on the worker %s, where its conversation stays; interactive in "+
			"ferrus.toml is for its next session", at.Name)
	case !agent.ContinuesSession(adapter):
		return errors.New(e.AgentType + " cannot continue a session by its id; interactive in ferrus.toml is for its " +
			"next session")
	case agent.LastConversation(adapter, l.ownScreen(e, workspace)) == "":
		return fmt.Errorf("%s has not written down its conversation yet; try again in a moment", e.AgentType)
	}
	return nil
}

// ScreenWords says where a session continues: with its program's own screen, or without it.
func (l *Local) ScreenWords(e project.SessionRecord, own bool) string {
	adapter, err := l.lookup(e.AgentType)
	dialog := err == nil && agent.Dialog(adapter)
	switch {
	case own && dialog:
		return fmt.Sprintf("The %s continues in a dialog, type in its pane; %s has no screen of its own here", e.Slot,
			e.AgentType)
	case dialog:
		return fmt.Sprintf("The %s continues without the dialog", e.Slot)
	case own:
		return fmt.Sprintf("The %s continues on its own screen", e.Slot)
	}
	return fmt.Sprintf("The %s continues without its own screen", e.Slot)
}
