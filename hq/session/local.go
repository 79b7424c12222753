package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// Local launches sessions on this machine, each in a host process of its own, which
// outlives the launcher unless StopOnExit is set. Its fields are set before the first
// call and not changed after it.
type Local struct {
	Project *project.Task
	Ferrus  string // the program that is host and server; empty: this one
	// The demo and pairs set it, so that nothing of theirs is left behind.
	StopOnExit bool // sessions end when this process dies
	// Pairs set it.
	NoServer bool // agents only read a prompt and print

	// Agents returns the agents that ferrus.toml defines now. Called for each session,
	// so that an edited ferrus.toml counts.
	Agents func() map[string]config.Custom
	// Only reports whether an agent gets ferrus's MCP server alone; nil: each keeps yours.
	Only func(agent string) bool
	// Trusted returns why no session may start: what it would run is not trusted on this
	// machine; nil: the caller has asked.
	Trusted func() error
	// Sandbox returns [sandbox], as the task has pinned it; nil: sessions run outside of it.
	Sandbox func() core.Sandbox
	// Setup returns the commands that prepare a workspace on a worker; nil: none do.
	Setup func() core.Definition
	// Remote returns the worker that sessions run on; nil or false: they run here. It is called
	// for each session.
	Remote func() (Place, bool)
	// Server returns the command of the server of a session, in the place of this program's
	// own; nil: it is ferrus serve. Each session then has a door, inside the sandbox or not.
	// Asks says that its client asks for permission there.
	Server func(asks bool) (argv, env []string)
	// WaitSecs returns the longest time in seconds that a tool may keep an agent waiting;
	// nil: 0, which leaves it to the server.
	WaitSecs func() int
}

// Ready returns why an agent cannot be launched: it is not trusted, unknown, not installed, or
// lacks what ferrus needs of it. Without a server only its command line is needed. It starts
// nothing and examines only this machine.
func (l *Local) Ready(name string) error {
	if l.Trusted != nil {
		if err := l.Trusted(); err != nil {
			return err
		}
	}
	adapter, err := l.lookup(name)
	if _, remote := l.place(); err == nil && !remote {
		err = agent.Installed(adapter)
	}
	if err == nil && l.NoServer {
		_, err = adapter.Invoke(agent.Launch{
			Role: "executor", Mode: "work", Prompt: "x", Project: "/", Ferrus: "/ferrus", Workspace: "/",
			NoServer: true,
		})
	}
	return err
}

// lookup returns the adapter of an agent; one of ferrus.toml wins over a built-in one.
func (l *Local) lookup(name string) (agent.Adapter, error) {
	own := map[string]agent.Custom{}
	for name, c := range l.Agents() {
		own[name] = agent.Custom(c)
	}
	return agent.Lookup(name, own)
}

// Launch starts a session in a new host. A kill of this process while it runs leaves at
// most a host that no record names yet; [Local.End] finds it by its environment.
func (l *Local) Launch(s Launch, screen agent.Screen) (Process, error) {
	adapter, err := l.lookup(s.Agent.Agent)
	if err != nil {
		return nil, err
	}
	ferrus, err := l.program()
	if err != nil {
		return nil, err
	}
	launch, err := l.describe(s, adapter, ferrus)
	if err != nil {
		return nil, err
	}
	if at, remote := l.place(); remote {
		return l.launchRemote(at, s, launch, adapter, screen)
	}
	within, err := l.enclose(s, adapter)
	if err != nil {
		return nil, err
	}
	launch.SettingsLeft = within == nil && judges(s) && s.Interactive && hasSettingsLeft(l.Project.Dir, s.Workspace)
	l.chooseServers(&launch, adapter)
	if !l.NoServer {
		launch.Resume = l.unfinished(s.Origin, s.Slot, s.Mode)
	}
	if launch.Conversation, err = l.conversation(s, adapter, within); err != nil {
		return nil, err
	}
	if err = l.prepareReports(&launch, s, adapter); err != nil {
		return nil, err
	}
	launch.Ask = !l.NoServer && !s.Interactive && !launch.Bypass &&
		(s.Agent.Asks() || within == nil || !within.hold())
	if within != nil {
		within.ask(&launch, adapter, s)
	}
	door, err := l.giveServer(&launch, s.ID, within)
	if err != nil {
		return nil, err
	}
	invocation, err := adapter.Invoke(launch)
	if err != nil {
		return nil, err
	}
	renderer := l.renderer(adapter, invocation)
	hosted := host.Launch{
		Project: l.Project.Dir, Task: l.Project.ID, Workspace: s.Workspace, Slot: string(s.Slot),
		Role: launch.Role, Mode: launch.Mode, Name: agentID(s.Slot, s.Agent.Agent), Session: s.ID,
		Number: int(s.Number), Invocation: invocation, Renderer: renderer, Columns: s.Columns, Rows: s.Rows,
		Scrollback: s.Scrollback, Log: s.Log, StopOnExit: l.StopOnExit, Door: door,
	}
	if within != nil {
		if hosted.Invocation, err = within.wrap(adapter, invocation); err != nil {
			return nil, err
		}
		hosted.Door, hosted.Home, hosted.Seed = within.door, &within.home, within.goCache()
		hosted.Proxy = within.proxy
		within.note(l.Project, s, launch.Bypass)
	}
	return host.Start(ferrus, hosted, screen)
}

// describe returns what every launch of a session has, wherever it runs.
func (l *Local) describe(s Launch, adapter agent.Adapter, ferrus string) (agent.Launch, error) {
	env, err := l.Project.WorkspaceEnv(s.Workspace)
	return agent.Launch{
		Role: string(s.Slot.Role()), Mode: string(s.Mode), Slot: string(s.Slot), Prompt: s.Text,
		Model: s.Agent.Model, Workspace: s.Workspace, Project: l.Project.Dir, Task: l.Project.ID, Env: env,
		Nonce: s.Nonce, Ferrus: ferrus, Name: adapter.Name(), Index: s.Slot.Index(),
		WaitSecs: l.waitSecs(adapter), Columns: s.Columns, Rows: s.Rows, Interactive: s.Interactive,
		Bypass: s.Agent.Bypass(), CanEdit: s.CanEdit, NoServer: l.NoServer,
	}, err
}

// chooseServers says which MCP servers the agent has beside ferrus's.
func (l *Local) chooseServers(launch *agent.Launch, adapter agent.Adapter) {
	launch.OnlyFerrus = l.Only != nil && l.Only(adapter.Name())
	real, err := os.UserHomeDir()
	if err != nil {
		return // it has no settings of yours
	}
	for _, s := range agent.OwnServers(adapter, real) {
		launch.OwnServers = append(launch.OwnServers, s.Name)
	}
}

// program returns the path of the program to run as host and server.
func (l *Local) program() (string, error) {
	if l.Ferrus != "" {
		return l.Ferrus, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the ferrus program: %w", err)
	}
	return self, nil
}

// waitSecs returns the bound of one wait in seconds: the agent's own or the configured
// one, whichever is shorter. A tool that waits longer than the client allows is cut off
// by it, and an answer could be lost on the way.
func (l *Local) waitSecs(adapter agent.Adapter) int {
	if l.WaitSecs == nil {
		return 0
	}
	return max(min(adapter.WaitSecs(), l.WaitSecs()), 1)
}

// renderer returns the name of the renderer that turns the output of a headless session
// into text; empty: the output is shown as it is. The command of an agent of ferrus.toml
// prints what its author wants to be seen.
func (l *Local) renderer(adapter agent.Adapter, invocation agent.Invocation) string {
	if invocation.Stream != "" {
		return invocation.Stream
	}
	if _, own := l.Agents()[adapter.Name()]; own || !invocation.Headless {
		return ""
	}
	return adapter.Name()
}

// Find connects to the recorded session of a slot for its runner to adopt, if its host
// still runs or has recorded how the session ended; false when there is nothing to take
// over. Call it before the loop starts. It changes nothing on disk. What it returns
// must be adopted or detached, or its connection stays open.
func (l *Local) Find(e project.SessionRecord, r *Runner) (Found, bool, error) {
	lived := e.State == session.Spawning || e.State == session.Running
	if e.Status != project.Running || !lived {
		return Found{}, false, nil // a session that was being stopped is not continued
	}
	record, ok, err := ReadRecord(l.Project, e.Slot)
	if !ok || record.Session != e.Session || record.Agent == nil || isForeign(record.Host) {
		return Found{}, false, err
	}
	s := &screen{Locked: vt.NewLocked(r.Columns, r.Rows, r.Scrollback), changed: r.Changed, printed: r.Printed,
		output: &activity{}}
	s.output.note()
	client, err := host.Reattach(record, s)
	switch {
	case err == nil:
		return Found{l.hosted(client), s, client.Columns, client.Rows}, true, nil
	case record.Exit != nil:
		return Found{l.hosted(host.Ended(record)), s, r.Columns, r.Rows}, true, nil
	}
	return Found{}, false, nil // its host died; the caller ends what is left
}

// isForeign reports a process of another machine. It cannot be judged from here whether
// that one runs.
func isForeign(p *process.Identity) bool {
	_, known := process.Alive(p)
	return !known
}

// Forget removes the record and the socket that the host of a slot left behind. Call it
// once the exit is saved: before that, the record is the only trace of how it ended.
func (l *Local) Forget(slot core.Slot) error {
	err := l.Project.Store.Remove(host.File(string(slot)))
	host.Forget(l.Project.Dir, l.Project.ID, string(slot))
	return err
}

// End kills what is left of a session without an owner: its process, if pid is not 0,
// its host, and everything that carries its id. It may be repeated. Everything is found
// by the session's id in the environment, so it reaches processes that left their
// parent too.
func (l *Local) End(slot core.Slot, session string, pid int) error {
	if err := agent.KillTree(pid, session); err != nil {
		return fmt.Errorf("end the %s that was left behind (pid %d): %w", slot, pid, err)
	}
	return nil
}

// ReadRecord reads what the host of a slot's newest session recorded; false when there
// is no record. The record is written by the host, and outlives it.
func ReadRecord(p *project.Task, slot core.Slot) (host.Record, bool, error) {
	var r host.Record
	data, err := p.Store.ReadFile(host.File(string(slot)))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, false, fmt.Errorf("read where the %s runs: %w", slot, err)
	}
	return r, true, nil
}
