package conductor

import (
	"strings"

	"ferrus/agent/sandbox"
	"ferrus/hq/project"
)

// probeSandbox finds the walls for the checks before the first of them needs any, and adds
// a notice that says why they are not stronger.
func (c *Conductor) probeSandbox() {
	ctx := c.loop.Context
	cfg, err := c.project.Config()
	if err != nil {
		return // The view shows it.
	}
	s := project.SandboxOf(cfg)
	w, err := sandbox.Chosen(ctx, sandbox.Mode(s.Mode), sandbox.Network(s.Network))
	if ctx.Err() != nil {
		return
	}
	text := ""
	switch {
	case err != nil:
		text = strings.TrimSuffix("checks cannot run: "+err.Error()+"; "+sandbox.Cure(err), "; ")
	case w.Reason != "":
		text = "sandbox: " + w.Describe()
	}
	c.loop.Ask(func() {
		if err == nil && w.Kind != "" {
			c.walls = w.String()
		}
		if text != "" {
			c.notices.add(err != nil, "%s", text)
		}
		c.publish()
	})
}
