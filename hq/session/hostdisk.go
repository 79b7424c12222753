package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"ferrus/checks/redact"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/store"
)

// Host runs the process that owns one local session, `ferrus host`, until that session
// ends. [Local] starts it, with the launch on an inherited descriptor. Names are the
// built-in agents. It returns when the session and its record are finished; the caller
// then exits.
func Host(names ...string) error {
	return host.Serve(host.Inherited(), func(l host.Launch) (host.Disk, error) {
		p, err := project.OpenKept(l.Project, store.UserHeads(), names...)
		if err == nil {
			p, err = p.OpenTask(l.Task)
		}
		if err != nil {
			return nil, err
		}
		return hostDisk{p}, nil
	})
}

// hostDisk is the [host.Disk] of a project: records go to run/<slot>.json, logs to where
// the launch says.
type hostDisk struct{ project *project.Task }

// Save replaces the record of a slot atomically. A kill at any point leaves the
// previous record or this one. The record names process and socket first, and the exit
// at the end.
func (d hostDisk) Save(r host.Record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return d.project.Store.WriteFile(host.File(r.Slot), append(data, '\n'))
}

// Intruded notes in the journal that a process of another session, or of none, came to the
// door of a session.
func (d hostDisk) Intruded(l host.Launch, pid int) {
	who := "a process outside every session"
	if registry, err := d.project.Registry(); err == nil {
		if other, known := registry.Ancestor(pid); known {
			who = other.Name
		}
	}
	_, _ = d.project.Do(context.Background(), store.Call{}, core.Command{ // refused either way
		Kind: core.KindNoted, By: project.FerrusActor(),
		Text: fmt.Sprintf("%s (process %d) connected to the socket of %s and was refused", who, pid, l.Name),
	})
}

// Reaches reports whether you allowed the session a host.
func (d hostDisk) Reaches(l host.Launch, name string) bool { return d.project.Reaches(l.Name, name) }

// Refuses reports whether you refused a host for the session's task.
func (d hostDisk) Refuses(_ host.Launch, name string) bool { return d.project.Refuses(name) }

// Log opens a rotating log that hides the secrets of the agent's environment: the
// host's own and what the launch adds. What is hidden there is hidden for good: the log
// never has it.
func (d hostDisk) Log(name string, added []string) (io.WriteCloser, error) {
	log, err := openLog(d.project.Store, name)
	if err != nil {
		return nil, err
	}
	return redact.New(log, append(os.Environ(), added...)...), nil
}
