package conductor

import (
	"context"
	"errors"
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

// Trust lets the commands run that were shown, and continues where the lack of trust
// held the task.
func (c *Conductor) Trust(ctx context.Context, shown []string) error {
	state, err := c.project.World()
	if err != nil {
		return err
	}
	all, lines, err := untrusted(c.project, state.World)
	if err != nil {
		return err
	}
	if !slices.Equal(lines, shown) {
		c.loop.Ask(c.configure)
		return errors.New("the check commands have changed: look at them again")
	}
	if err := c.project.Trust(all...); err != nil {
		return err
	}
	c.loop.Ask(c.configure)
	if hold := state.World.Hold; hold != nil && hold.Reason == "unproven" {
		_, err = c.Do(ctx, core.Command{Kind: core.KindResume, Text: "unproven"})
	}
	return err
}

// configure takes in ferrus.toml, and which of its commands may not run here yet.
func (c *Conductor) configure() {
	c.settings.reload(c.project, &c.notices)
	_, lines, err := untrusted(c.project, *c.observed.world())
	c.notices.onceIf(err)
	c.gate.trust(lines)
}

// untrusted returns the commands that a task would run and that may not run on this
// machine yet, with what they are pinned by.
func untrusted(p *project.Project, w core.World) ([]core.Definition, []string, error) {
	all, err := p.Untrusted(w)
	if err != nil {
		return nil, nil, err
	}
	var lines []string
	for _, d := range all {
		lines = append(lines, d.Lines()...)
	}
	return all, lines, nil
}
