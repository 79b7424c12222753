package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	"ferrus/agent"
	"ferrus/hq/host"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
	"ferrus/store"
)

// Place is where the sessions of a task run that are on a worker.
type Place struct {
	remote.Target
	Attempt int
}

// place returns where sessions run; false: on this machine.
func (l *Local) place() (Place, bool) {
	if l.Remote == nil {
		return Place{}, false
	}
	return l.Remote()
}

// launchRemote starts the process that shows a session of a worker. It has a host like every
// other one, so it outlives HQ, has a log, and can be attached to.
func (l *Local) launchRemote(at Place, s Launch, launch agent.Launch, adapter agent.Adapter,
	screen agent.Screen) (Process, error) {
	args, env := launch.Serve(adapter)
	launch.Ask = true // whether the client asks, only the worker knows
	asking, _ := launch.Serve(adapter)
	start := l.startOf(at, s, launch.WaitSecs)
	setup := wire.Setup{Task: start.Task}
	if l.Setup != nil {
		setup.Definition = l.Setup()
	}
	if err := l.prepareReports(&launch, s, adapter); err != nil {
		return nil, err
	}
	file := "run/start-" + s.ID + ".json"
	data, err := json.Marshal(remote.Session{Target: at.Target, Start: start, Setup: setup, Workspace: s.Workspace,
		Synced: l.Project.Files.Path("run", "synced-"+l.Project.ID+".json"), Texts: TextDirs(l.Project, l.Project.ID),
		Ending:  l.Project.Files.Path(endingName(s.ID)),
		TurnEnd: agent.OwnScreen{Reports: launch.Reports}.TurnEnd(),
		Serve:   append([]string{launch.Ferrus}, args...), ServeAsking: append([]string{launch.Ferrus}, asking...)})
	if err == nil {
		err = l.Project.Files.WriteFile(file, data)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare a session on a worker: %w", err)
	}
	client, err := host.Start(launch.Ferrus, host.Launch{
		Project: l.Project.Dir, Task: l.Project.ID, Workspace: s.Workspace, Slot: string(s.Slot),
		Role: string(s.Slot.Role()), Mode: string(s.Mode), Name: agentID(s.Slot, s.Agent.Agent),
		Session: s.ID, Number: int(s.Number),
		Invocation: agent.Invocation{Path: launch.Ferrus,
			Args: []string{"worker", "session", l.Project.Files.Path(file)}, Env: env},
		Columns: s.Columns, Rows: s.Rows, Scrollback: s.Scrollback, Log: s.Log, StopOnExit: l.StopOnExit,
	}, screen)
	if err != nil {
		return nil, errors.Join(err, l.Project.Files.Remove(file))
	}
	return remoteProcess{client, l.Project.Files, endingName(s.ID)}, nil
}

// startOf returns what a worker has to know of a session.
func (l *Local) startOf(at Place, s Launch, waitSecs int) wire.Start {
	start := wire.Start{
		Task: wire.Task{Task: l.Project.ID, Attempt: at.Attempt}, Session: s.ID, Number: int(s.Number),
		Slot: string(s.Slot), Mode: string(s.Mode), Agent: s.Agent.Agent, Model: s.Agent.Model,
		Permissions: s.Agent.Permissions, Prompt: s.Text, Interactive: s.Interactive, CanEdit: s.CanEdit,
		WaitSecs: waitSecs, Columns: s.Columns, Rows: s.Rows, Scrollback: s.Scrollback,
		OnlyFerrus: l.Only != nil && l.Only(s.Agent.Agent),
	}
	if l.Sandbox != nil {
		start.Sandbox = l.Sandbox()
	}
	if own, ok := l.Agents()[s.Agent.Agent]; ok {
		custom := wire.Custom(own)
		start.Custom = &custom
	}
	return start
}

// endingName returns the name below .ferrus of the file that the process of a session on a worker
// writes its ending to.
func endingName(session string) string { return "run/ending-" + session + ".json" }

// hosted returns a session whose host was found, with the ending that its worker reports.
func (l *Local) hosted(c *host.Client) Process {
	if _, ok := l.place(); !ok {
		return c
	}
	return remoteProcess{c, l.Project.Files, endingName(c.Record().Session)}
}

// remoteProcess is a session of a worker: how it ended is what the worker said.
type remoteProcess struct {
	*host.Client
	files *store.Files
	name  string // of the file with the ending
}

// End ends the session as [Process] says.
func (p remoteProcess) End(ctx context.Context, grace time.Duration) agent.Exit {
	exit := p.Client.End(ctx, grace)
	e, ok := remote.ReadEnding(p.files.Path(p.name))
	if !ok {
		return exit
	}
	_ = p.files.Remove(p.name) // one that stays is small
	exit.Code, exit.Signal = e.Code, syscall.Signal(e.Signal)
	exit.Usage, exit.Limit, exit.Final = e.Usage, e.Limit, e.Final
	exit.Limit.Message = wire.Words(e.Limit.Message, 300)
	if e.Error != "" {
		exit.Err = errors.Join(exit.Err, errors.New(wire.Words(e.Error, 300)))
	}
	return exit
}

// giveServer has a session use the server that Server names. The session reaches it at its door,
// which is returned for one that runs outside the sandbox.
func (l *Local) giveServer(launch *agent.Launch, session string, within *inside) (*host.Door, error) {
	if l.Server == nil {
		return nil, nil
	}
	argv, env := l.Server(launch.Ask)
	if within != nil && within.door != nil {
		within.door.Server, within.door.Env = argv, env
		return within.door, nil
	}
	socket, err := host.MakeDoor(session)
	if err != nil {
		return nil, err
	}
	launch.Door = socket
	return &host.Door{Socket: socket, Server: argv, Env: env}, nil
}
