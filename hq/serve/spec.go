package serve

import (
	"errors"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

// createSpec writes a specification to a file of its own and selects it with its
// first milestone that is ready.
func writeSpec(c *toolCall) (*outcome, error) {
	markdown := c.arguments["markdown"]
	if strings.TrimSpace(markdown) == "" {
		return nil, c.tool.badArgs("the specification is empty", "markdown: a text that is not blank")
	}
	written, err := c.project.WriteSpec(strings.TrimRight(markdown, "\n") + "\n")
	if errors.Is(err, project.ErrInvalidSpec) {
		return nil,
			c.tool.badArgs(err.Error(), "markdown: a text of at most 1 MiB, with milestones whose distinct IDs "+
				"depend only on each other's, without a cycle")
	}
	if err != nil {
		return nil, err
	}
	next, _ := written.Next("")
	r, err := c.do(core.Command{Kind: core.KindCreateSpec,
		Select: &core.Selection{SelectedSpec: written.Path, SelectedMilestone: next.ID}})
	if err != nil {
		return nil, err
	}
	r.Status, r.Path, r.Milestone = core.StatusWritten, written.Path, next.ID
	return result(r, nil)
}
