package conductor

import (
	"slices"

	"ferrus/hq/core"
)

// publish makes a view of this turn for whoever draws.
func (c *Conductor) publish() {
	o := &c.observed
	c.usage.count(o.world().Task)
	limits := c.settings.config.Limits
	v := View{
		Project: c.project.Dir, State: o.state, Texts: o.texts, Options: core.OpenTransitions(*o.world()),
		Limits:  core.Limits{CheckRetries: limits.MaxCheckRetries, ReviewCycles: limits.MaxReviewCycles},
		Journal: slices.Clip(o.journal.lines), Notices: slices.Clip(c.notices.all), Refused: slices.Clip(c.refused.all),
		StateError: o.fault(), ConfigError: c.settings.broken, Branch: c.branch, Spec: o.spec,
		Workflow: c.work.current, Next: c.work.next, Story: slices.Clip(c.work.lines),
		Tethered: c.options.Tethered, Daemons: c.daemons, Sessions: slices.Clip(c.usage.ended), Used: c.usage.used,
	}
	for _, name := range core.Slots {
		if pane := c.slots[name].View(); pane.Terminal != nil {
			v.Panes = append(v.Panes, pane)
		}
	}
	c.view.Store(&v)
	c.notifyChanged()
}
