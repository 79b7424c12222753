package serve

import (
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/machine"
)

// The outcomes that resolve_comment takes.
const (
	commentDone     = "done"
	commentDeclined = "declined"
)

// resolveComment takes the executor's answer to comments.
func resolveComment(c *toolCall) (*outcome, error) {
	how := c.arguments["status"]
	if how != commentDone && how != commentDeclined {
		return nil, c.tool.badArgs("the status is neither done nor declined", "status: done or declined")
	}
	return result(c.do(core.Command{Kind: core.KindResolveComment, Answer: comments.Answer{
		IDs: comments.SplitIDs(c.arguments["id"]), Done: how == commentDone, Text: c.arguments["note"],
	}}))
}

// openComments returns the comments to give to a session: the open ones, except those of a
// round that its review notes already contain.
func openComments(t *texts, role machine.Role) []comments.Comment {
	set := readComments(t)
	last, ok := set.Last()
	if !ok || role != machine.Executor {
		return nil
	}
	var all []comments.Comment
	for _, c := range set.Unresolved() {
		if last.How == comments.AsMessage || c.Round != last.Number {
			all = append(all, c)
		}
	}
	return all
}

// readComments reads the comments of the task; none if they cannot be read.
func readComments(t *texts) comments.Set {
	set, err := comments.Decode(t.get(core.CommentsText))
	if err != nil && t.err == nil {
		t.err = err
	}
	return set
}
