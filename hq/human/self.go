package human

import (
	"os"

	"ferrus/agent/process"
	"ferrus/hq/project"
)

// ExamineSelf returns the evidence about this process, for use without a running
// conductor: its terminal, its ancestors, and the sessions that the project has
// recorded.
func ExamineSelf(p *project.Task) Finding {
	if at, err := process.MountedBelow(p.Store.Path()); err != nil || at != "" {
		return Finding{Why: "something is mounted over the record of the project"}
	}
	sessions, why := recorded(p)
	if why != "" {
		return Finding{Why: why}
	}
	place, err := Here(sessions)
	if err != nil {
		return Finding{Why: err.Error()}
	}
	place.Self, place.Depth = 0, 0
	f := Examine(os.Getpid(), place)
	if f.Standing != Own {
		return f
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return Finding{Why: "its terminal cannot be opened", From: f.From}
	}
	_ = terminal.Close() // it was only to be opened
	return f
}

// Self returns where this process comes from, in words.
func Self() string {
	chain, err := process.Ancestry(os.Getpid())
	if err != nil {
		return ""
	}
	terminal, _ := process.Terminal(os.Getpid()) // without /proc it is not known
	return describe(terminal, chain)
}

// recorded returns the sessions that a project has recorded, or why they are not all.
func recorded(p *project.Task) (all []Session, why string) {
	registry, err := p.Registry()
	if err != nil {
		return nil, "the registry of sessions cannot be read"
	}
	ended, err := p.Ended("")
	if err != nil || len(ended) > 0 && len(registry.Agents) == 0 {
		return nil, "the registry of sessions is not complete"
	}
	for _, e := range registry.Agents {
		if e.Process == nil {
			continue
		}
		if _, here := process.Alive(e.Process); !here && e.Status == project.Running {
			return nil, "the " + string(e.Slot) + " runs on another host, " + e.Process.Host
		}
		all = append(all, Session{Name: e.Name, Process: *e.Process})
	}
	clients, err := Clients(p)
	if err != nil {
		return nil, "the sessions of agents that you started cannot be read"
	}
	return append(all, clients...), ""
}

// Clients returns the agents that were started outside of ferrus and use its server here:
// the parents of servers without a registered session.
func Clients(p *project.Task) (all []Session, err error) {
	servers, err := p.Presences()
	for _, s := range servers {
		server := process.Identity{Host: s.Host, Boot: s.Boot, PID: s.PID, Start: s.Start}
		if alive, known := process.Alive(&server); s.Managed || !alive || !known {
			continue
		}
		line, gone := process.Lookup(s.PID)
		if gone != nil {
			continue
		}
		if client, gone := process.Identify(line.Parent); gone == nil && client.PID > 1 {
			all = append(all, Session{Name: s.Agent, Process: *client})
		}
	}
	return all, err
}

// maxText bounds what is shown of a command.
const maxText = 4 << 10

// isSession reports whether a process was started inside a session that this one is not in.
func isSession(pid int) bool {
	mine, err := process.Depth(os.Getpid())
	if err != nil {
		return true
	}
	depth, err := process.Depth(pid)
	return err != nil || depth > mine
}
