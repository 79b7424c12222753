package remote

import (
	"math"
	"time"

	"ferrus/hq/wire"
)

// What a worker says of itself and of its sessions is bounded where it arrives: it is shown, added up and compared.
const (
	maxTokens    = 1e12
	maxCost      = 1e6                 // US dollars
	maxLimit     = 35 * 24 * time.Hour // until a vendor's limit ends
	maxFinal     = 60 << 10
	maxWord      = 60
	maxSentence  = 300
	maxMentioned = 1000 // agents, labels, sessions, gates or tasks
)

// bounded returns an ending whose figures can be added up, and whose texts can be shown.
func bounded(e wire.Ending, now time.Time) wire.Ending {
	e.Code, e.Signal = min(max(e.Code, -1), 255), min(max(e.Signal, 0), 64)
	e.Error, e.Why = wire.Words(e.Error, maxSentence), wire.Words(e.Why, maxSentence)
	u := &e.Usage
	u.Input, u.Output = min(max(u.Input, 0), maxTokens), min(max(u.Output, 0), maxTokens)
	u.Cached = min(max(u.Cached, 0), u.Input)
	if u.Cost = min(max(u.Cost, 0), maxCost); math.IsNaN(u.Cost) {
		u.Cost = 0
	}
	e.Limit.Message = wire.Words(e.Limit.Message, maxSentence)
	if latest := now.Add(maxLimit); e.Limit.Until.After(latest) {
		e.Limit.Until = latest
	}
	if e.Final != nil && len(*e.Final) > maxFinal {
		cut := (*e.Final)[:maxFinal]
		e.Final = &cut
	}
	return e
}

// boundedStatus returns a status that can be shown and compared.
func boundedStatus(s wire.Status) wire.Status {
	s.Walls = wire.Words(s.Walls, maxWord)
	s.Slots, s.Cores = max(s.Slots, 0), min(max(s.Cores, 0), 1<<16)
	s.MemoryMB, s.DiskMB = max(s.MemoryMB, 0), max(s.DiskMB, 0)
	s.Load = min(max(s.Load, 0), 1e6)
	s.Labels, s.Gates, s.Tasks = words(s.Labels, maxWord), words(s.Gates, maxSentence), words(s.Tasks, maxSentence)
	s.Agents, s.Sessions = s.Agents[:min(len(s.Agents), maxMentioned)], s.Sessions[:min(len(s.Sessions), maxMentioned)]
	for i, a := range s.Agents {
		s.Agents[i] = wire.Agent{Name: wire.Words(a.Name, maxWord), Missing: wire.Words(a.Missing, maxSentence)}
	}
	for i := range s.Sessions {
		s.Sessions[i].Ending = nil // a pane says how one ended
	}
	return s
}

// boundedWelcome returns a greeting that can be shown and compared.
func boundedWelcome(w wire.Welcome) wire.Welcome {
	w.Version, w.System = wire.Words(w.Version, maxWord), wire.Words(w.System, maxWord)
	w.Worker, w.Boot = wire.Words(w.Worker, maxWord), wire.Words(w.Boot, maxSentence)
	w.Status = boundedStatus(w.Status)
	return w
}

// words returns the first words of a list, without the ones that are too long to be compared.
func words(all []string, most int) (kept []string) {
	for _, one := range all[:min(len(all), maxMentioned)] {
		if wire.Words(one, most) == one {
			kept = append(kept, one)
		}
	}
	return kept
}
