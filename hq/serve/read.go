package serve

import (
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// texts reads the texts of one state. The first failure is kept and ends the
// reading; a state that a newer one replaced may have lost its files.
type texts struct {
	project *project.Task
	state   store.State[core.World]
	err     error
}

func (t *texts) get(name string) string {
	if t.err != nil {
		return ""
	}
	var text string
	text, t.err = t.project.Store.ReadText(t.state, name)
	return text
}

// fresh reads the state and its texts together: f is called again with a newer
// state when texts went away underneath it.
func (c *conn) fresh(f func(store.State[core.World], *texts)) error {
	for try := 0; ; try++ {
		state, err := c.project.World()
		if err != nil {
			return err
		}
		t := &texts{project: c.project, state: state}
		f(state, t)
		if t.err == nil || try == 2 {
			return t.err
		}
	}
}

// readText returns one of the task's texts as it is now.
func (c *conn) readText(name string) (string, error) {
	state, err := c.project.World()
	if err != nil {
		return "", err
	}
	return c.project.Store.ReadText(state, name)
}

// now returns the state, and the limits that it is read with.
func (c *conn) now() (store.State[core.World], core.Limits, error) {
	limits, err := c.limits()
	if err != nil {
		return store.State[core.World]{}, limits, err
	}
	state, err := c.project.World()
	return state, limits, err
}

func (c *conn) limits() (core.Limits, error) {
	config, err := c.project.Config()
	if err != nil {
		return core.Limits{}, err
	}
	return core.Limits{CheckRetries: config.Limits.MaxCheckRetries, ReviewCycles: config.Limits.MaxReviewCycles}, nil
}

// standing returns a result that only says where the task stands.
func (c *conn) standing(status core.Status, state store.State[core.World]) core.Result {
	return core.Result{Status: status, State: state.World.State, Seq: state.Seq,
		Next: c.next(state.World)}
}
