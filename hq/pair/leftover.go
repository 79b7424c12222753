package pair

import (
	"errors"
	"fmt"

	"ferrus/agent"
	"ferrus/hq/project"
	"ferrus/store"
)

// Leftover is an agent that still runs after the process of its run was killed. Resuming
// the run ends it.
type Leftover struct {
	Run   string `json:"run"`
	Slot  string `json:"slot"`  // primary or secondary
	Agent string `json:"agent"` // its name in ferrus.toml
	PIDs  []int  `json:"pids"`
}

func (l Leftover) String() string {
	return fmt.Sprintf("the %s (%s) of run %s was left running (process %d)", l.Slot, l.Agent, l.Run, l.PIDs[0])
}

// Leftovers returns the agents that killed runs have left running. While a run is under way,
// none is a leftover.
func Leftovers(p *project.Task) (all []Leftover, err error) {
	all = []Leftover{}
	err = eachInterrupted(p, func(m Manifest) error {
		left, err := agent.FindTree(m.Turn.PID, m.Turn.Session)
		if err != nil || len(left) == 0 {
			return err
		}
		l := Leftover{Run: m.ID, Slot: m.Turn.Agent, Agent: m.Agent(m.Turn.Agent)}
		for _, process := range left {
			l.PIDs = append(l.PIDs, process.PID)
		}
		all = append(all, l)
		return nil
	})
	return all, err
}

// KillLeftovers ends what killed runs have left running. A run whose process still has the
// lock is left alone.
func KillLeftovers(p *project.Task) error {
	return eachInterrupted(p, func(m Manifest) error {
		lock, err := p.Store.TryLock(project.PairLock)
		if errors.As(err, new(*store.LockedError)) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(m.Turn.killLeftover(), lock.Close())
	})
}

// eachInterrupted calls a function with each run that has a turn in flight, unless a run is
// under way.
func eachInterrupted(p *project.Task, each func(Manifest) error) error {
	all, err := List(p)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Turn == nil {
			continue
		}
		if err := p.CheckNoPair(); errors.As(err, new(*project.PairRunningError)) {
			return nil
		} else if err != nil {
			return err
		}
		if err := each(m); err != nil {
			return err
		}
	}
	return nil
}
