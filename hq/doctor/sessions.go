package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/ui/text/lazyregexp"
)

// gateFile names the process that runs the gate; its runner removes it at the end.
const gateFile = "run/gate.json"

// sessions compares the processes that .ferrus names with the running ones.
func (p *inspection) sessions() {
	conductor := p.held(project.ConductorLock, "HQ or ferrus run")
	gate := p.held(project.GateLock, "a check gate")
	if !conductor && !gate {
		p.find("sessions", OK, "no lock is held", "", "")
	}
	registry, err := p.Registry()
	if err != nil {
		p.find("sessions", Error, "agents.json cannot be read", err.Error(), repairs)
	}
	if err := p.gateDamage(); err != nil {
		p.find("gate", Error, "run/gate.json cannot be read", err.Error(), repairs)
	}
	dead := p.registered(registry, conductor)
	left := p.leftovers(registry)
	for _, name := range left {
		p.find("sessions", Note, "an ended session left a file behind", ".ferrus/"+name, repairs)
	}
	if err == nil && dead == 0 && len(left) == 0 {
		p.find("sessions", OK, fmt.Sprintf("registered sessions: %d", len(registry.Agents)), "", "")
	}
	p.gate(conductor || gate)
}

// gateDamage says what is wrong with the file of a gate that runs, or ran last.
func (p *inspection) gateDamage() error {
	data, err := p.Store.ReadFile(gateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var running struct {
		Ticket      uint64
		Marker, Log string
		Group       int
		Runner      *process.Identity
	}
	if err == nil {
		err = json.Unmarshal(data, &running)
	}
	return err
}

// held looks who has a lock.
func (p *inspection) held(name, who string) bool {
	pid, held, err := p.Store.Holder(name)
	switch {
	case err != nil:
		p.find("sessions", Error, "run/"+name+" cannot be examined", err.Error(), "remove what is there instead")
	case held && pid > 0:
		p.find("sessions", OK, fmt.Sprintf("%s runs, process %d", who, pid), "", "")
	case held:
		p.find("sessions", OK, who+" runs", "", "")
	}
	return held
}

// registered counts the sessions that are not what agents.json says.
func (p *inspection) registered(r project.Registry, conductor bool) (odd int) {
	for _, e := range r.Agents {
		if e.Status != project.Running {
			continue
		}
		alive, known := process.Alive(e.Process)
		switch {
		case known && !alive && e.Exit == "" && e.Process != nil:
			p.find("sessions", Warning, "a session is recorded as running, but its process is gone",
				fmt.Sprintf("%s, process %d", e.Name, e.PID),
				"the next ferrus or ferrus run starts it again if the task wants it")
			odd++
		case alive && !conductor && p.hosted(e):
			p.find("sessions", Note, "a session was left running",
				fmt.Sprintf("%s, process %d", e.Name, e.PID),
				fmt.Sprintf("the next ferrus or ferrus run takes it over; ferrus attach %s shows it", e.Slot))
		case alive && !conductor:
			p.find("sessions", Warning, "a session is running without its host",
				fmt.Sprintf("%s, process %d", e.Name, e.PID), "the next ferrus or ferrus run ends it")
			odd++
		}
	}
	return odd
}

// hosted reports whether the host of a session runs, so that the next conductor can take the
// session over.
func (p *inspection) hosted(e project.SessionRecord) bool {
	data, err := p.Store.ReadFile(host.File(string(e.Slot)))
	var record host.Record
	if err != nil || json.Unmarshal(data, &record) != nil || record.Session != e.Session {
		return false
	}
	alive, _ := process.Alive(record.Host)
	return alive
}

var presence = lazyregexp.New(`^([0-9a-f]{16})\.(json|in)$`)

// leftovers returns the files in run of servers that ended without a word, below
// .ferrus.
func (p *inspection) leftovers(r project.Registry) []string {
	names, err := p.Store.List("run")
	if err != nil {
		p.find("sessions", Error, "run cannot be listed", err.Error(), "remove what is there instead")
		return nil
	}
	var left []string
	for _, name := range names {
		m := presence.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if e, ok := r.Session(m[1]); ok && !p.over(e) {
			continue
		}
		if p.absent(m[1]) {
			left = append(left, "run/"+name)
		}
	}
	return left
}

// over says that a registered session is known to be gone.
func (p *inspection) over(e project.SessionRecord) bool {
	alive, known := process.Alive(e.Process)
	return e.Process == nil && e.Status != project.Running || known && !alive
}

// absent says that the server of a session is gone, or never said that it is
// there. Presence names no host: a remote one is in the claim.
func (p *inspection) absent(session string) bool {
	seen, ok, err := p.Presence(session)
	if err != nil || !ok {
		return true
	}
	here, err := process.Identify(1)
	if err == nil {
		if state, err := p.Store.Load(); err == nil {
			if c := state.World.Claim; c != nil && c.Session == session && c.Process != nil &&
				c.Process.Host != here.Host {
				return false
			}
		}
	}
	now, err := process.Identify(seen.PID)
	if err != nil {
		return strings.Contains(err.Error(), "no such process")
	}
	return now.Start != seen.Start
}

// gate looks whether one that should run does.
func (p *inspection) gate(run bool) {
	state, err := p.Store.Load()
	if err != nil {
		return
	}
	p.lease(state.World)
	switch w := state.World; {
	case w.GateRunning() && !run:
		p.find("gate", Warning, fmt.Sprintf("gate %d should be running, but no process runs it", w.Gate.Ticket), "",
			"run: ferrus check; HQ runs it as well")
	case w.GateRunning():
		p.find("gate", OK, fmt.Sprintf("gate %d runs", w.Gate.Ticket), "", "")
	}
}

// lease checks whether its holder is alive.
func (p *inspection) lease(w core.World) {
	if w.Claim == nil {
		return
	}
	if alive, known := process.Alive(w.Claim.Process); known && !alive {
		p.find("sessions", Note, "the lease is held by a process that is gone", w.ClaimedBy,
			"the next session that claims the task gets it")
	}
}
