package conductor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// Host is the process that owns one session: `ferrus host`, which conductors
// start. Names are the built-in agents.
func Host(names ...string) error {
	return host.Serve(host.Inherited(), func(l host.Launch) (host.Disk, error) {
		p, err := project.Open(l.Project, names...)
		if err != nil {
			return nil, err
		}
		return disk{p}, nil
	})
}

// disk is where a host writes: the project of its launch.
type disk struct{ project *project.Project }

func (d disk) Save(r host.Record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return d.project.Store.WriteFile(host.File(r.Slot), append(data, '\n'))
}

// Log is rotated, and hides the secrets of the agent's environment, which is the
// host's own and what the launch adds.
func (d disk) Log(name string, added []string) (io.WriteCloser, error) {
	log, err := openLog(d.project.Store, name)
	if err != nil {
		return nil, err
	}
	return host.NewRedactor(log, append(os.Environ(), added...)...), nil
}

// Record reads where the newest session of a slot is found; false when no session
// of it was ever hosted.
func Record(p *project.Project, slot core.Slot) (host.Record, bool, error) {
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

// forgetHost takes the record of a session away whose ending is in the registry.
func (c *Conductor) forgetHost(slot core.Slot) {
	if err := c.project.Store.Remove(host.File(string(slot))); err != nil {
		c.once(err.Error())
	}
	host.Forget(c.project.Dir, string(slot))
}

// hosting is a session in a host, and what is drawn of it.
type hosting struct {
	process  agent.Session
	terminal *vt.Locked
	output   *activity
	size     [2]int
}

// leave lets the session go on in its host, if it has one.
func (h hosting) leave() { leave(h.process) }

func leave(process agent.Session) {
	if client, ok := process.(*host.Client); ok {
		client.Leave()
	}
}

// launchIn starts the session in a host of its own.
func (s *slot) launchIn(number uint32, invocation agent.Invocation, renderer string) (*host.Client, error) {
	return host.Start(s.c.options.Ferrus, host.Launch{
		Project: s.c.project.Dir, Workspace: s.c.workspace(s.job), Slot: string(s.name), Session: s.entry.Session, Number: int(number),
		Invocation: invocation, Renderer: renderer, Columns: s.size[0], Rows: s.size[1],
		Scrollback: s.c.options.Scrollback, Log: s.entry.Log, Tethered: s.c.options.Tethered,
	}, s.screen(number))
}

// find takes over the sessions that go on in their hosts without a conductor.
// One that was being ended is not among them.
func (c *Conductor) find(r project.Registry) map[core.Slot]hosting {
	found := map[core.Slot]hosting{}
	for _, entry := range r.Agents {
		if entry.Status != project.Running || entry.State != session.Spawning && entry.State != session.Running {
			continue
		}
		record, ok, err := Record(c.project, entry.Slot)
		if err != nil {
			c.once(err.Error())
		}
		if !ok || record.Session != entry.Session || record.Agent == nil || foreign(record.Host) {
			continue
		}
		if h, ok := c.takeOver(record); ok {
			found[entry.Slot] = h
		}
	}
	return found
}

// foreign reports a process that is not of this host and boot.
func foreign(p *process.Identity) bool {
	_, known := process.Alive(p)
	return !known
}

// takeOver connects to a host. The ending of a session whose host has gone
// after it is in the record.
func (c *Conductor) takeOver(record host.Record) (hosting, bool) {
	h := hosting{output: &activity{}, size: [2]int{c.options.Columns, c.options.Rows}}
	h.terminal = vt.NewLocked(h.size[0], h.size[1], c.options.Scrollback)
	h.output.Write(nil) //nolint:errcheck // it only looks at the clock
	client, err := host.Adopt(record, &screen{Locked: h.terminal, poke: c.poke, output: h.output})
	switch {
	case err == nil:
		h.process, h.size = client, [2]int{client.Columns, client.Rows}
	case record.Exit != nil:
		h.process = host.Over(record)
	default:
		return h, false
	}
	return h, true
}

// adopt makes a session that was found the slot's own.
func (s *slot) adopt(entry project.Entry, h hosting) {
	s.current = current{
		job: s.c.jobOf(entry), entry: entry, // what it achieved is witnessed when the journal is read
		bypass: entry.Bypass, model: entry.Model, typed: entry.Interactive, output: h.output,
	}
	s.terminal, s.size = h.terminal, h.size
	s.snap, s.since = session.Restore(entry.State, uint32(entry.SessionSeq), counters(entry), false), entry.StartedAt
	s.began(s.snap.Data.Session, h.process, time.Since(entry.StartedAt))
}

// jobOf is what a session was started for.
func (c *Conductor) jobOf(entry project.Entry) core.Job {
	job := core.Job{Slot: entry.Slot, Mode: entry.Mode}
	for i := range c.wants {
		if w := c.wants[i]; w.Slot() == entry.Slot && w.Kind == entry.Mode {
			job.Want = &w
		}
	}
	return job
}

// counts reports whether an event is more than the coming and going of a session.
func counts(event string) bool { return event != "claim" && event != "release" }

// rendererOf is the agent whose renderer a host is to use.
func rendererOf(adapter agent.Adapter, invocation agent.Invocation, own map[string]config.Custom) string {
	if _, custom := own[adapter.Name()]; custom || !invocation.Headless {
		return ""
	}
	return adapter.Name()
}
