package project

import (
	"context"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/store"
)

func hasText(_ core.World, c core.Command) bool { return c.Text != "" }

// gatherRequests reads the long requests that another one joins.
func (t *Task) gatherRequests(_ context.Context, _ config.Config, _ core.World, c *core.Command) error {
	state, err := t.World() // A newer one is found out under the lock: c.Seq is the older.
	if err != nil {
		return err
	}
	c.Facts.Requests, err = t.longRequests(state)
	return err
}

// longRequests returns the whole texts of the requests for permission that have more than the World shows.
func (t *Task) longRequests(s store.State[core.World]) (core.WholeRequests, error) {
	content, err := t.Store.ReadText(s, core.PermissionsText)
	if err != nil {
		return nil, err
	}
	return core.DecodeRequests(content)
}

// WholeRequest returns all of what a request for permission wants, which its World may have only the ends of: each
// line of it harmless, with nothing hidden. It is empty for one that this task does not have, or has no longer.
func (t *Task) WholeRequest(number uint64) (string, error) {
	state, err := t.World()
	if err != nil {
		return "", err
	}
	w, found := state.World.WantedBy(number)
	if !found || !w.Long {
		return w.String(), nil
	}
	all, err := t.longRequests(state)
	if err != nil {
		return "", err
	}
	if whole, ok := all[number]; ok {
		w.What = whole
	}
	return w.String(), nil
}
