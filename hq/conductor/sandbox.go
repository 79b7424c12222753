package conductor

import (
	"strings"

	"ferrus/agent/sandbox"
	"ferrus/hq/project"
)

// probeSandbox finds the walls for the checks before the first of them needs any, and adds
// a notice that says why they are not stronger.
func (c *Conductor) probeSandbox() {
	ctx := c.Loop.Context
	cfg, err := c.Project.Config()
	if err != nil {
		return // The view shows it.
	}
	s := project.SandboxOf(cfg)
	w, err := sandbox.Chosen(ctx, sandbox.Mode(s.Mode), sandbox.Network(s.Network))
	if ctx.Err() != nil {
		return
	}
	c.Loop.Ask(func() {
		switch {
		case err != nil:
			c.walls = "required: " + err.Error()
		case w.Kind != "":
			c.walls = w.String()
		}
		if text := wallsNotice(w, err); text != "" {
			c.notices.Add(err != nil, "%s", text)
		}
		c.publish()
	})
}

// wallsNotice says why walls are not stronger; empty: they are as strong as they can be.
func wallsNotice(w sandbox.Walls, err error) string {
	switch {
	case err != nil:
		return strings.TrimSuffix("checks and agents cannot run: "+err.Error()+"; "+sandbox.Cure(err), "; ")
	case w.Reason == "":
		return ""
	case w.Kind == sandbox.None:
		return w.Describe()
	}
	return "sandbox: " + w.Describe()
}
