package projection

import (
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/task"
	"ferrus/ui"
	"ferrus/ui/view"
)

// commentedDiff returns the change of the fixture with two rounds of comments and a
// draft.
func commentedDiff() project.CommentedDiff {
	c := fixtureChange()
	at := fixtureNow
	diff := comments.NewDiff([]comments.File{{Path: c.Files[0].Path, Patch: c.Files[0].Patch}})
	on := func(line int, side comments.Side) comments.Spot {
		return diff.Quoted(comments.Spot{Path: c.Files[0].Path, Side: side, Line: line})
	}
	c.Set = comments.Set{
		Rounds: []comments.Round{{Number: 1, At: at, How: comments.AsRejection},
			{Number: 2, At: at, How: comments.AsMessage}},
		Comments: []comments.Comment{
			{ID: "c1", Round: 1, State: comments.Done, Answer: "It waits for the context now.", By: "executor:codex:1",
				At: &at, Draft: comments.Draft{Spot: on(13, comments.New),
					Text: "The pause must end with the context."}},
			{ID: "c2", Round: 1, State: comments.Declined, Answer: "The tests read it.\n\x1b[2J",
				By: "executor:codex:1", At: &at, Draft: comments.Draft{
					Spot: comments.Spot{Path: "gone.go", Side: comments.New, Line: 3},
					Text: "Is this file needed?"}},
			{ID: "c3", Round: 2, State: comments.Open,
				Draft: comments.Draft{Spot: on(12, comments.Old), Text: "Keep this comment."}},
		},
	}
	c.Drafts = []comments.Draft{{Spot: on(12, comments.New), Text: "Name the error: callers compare it."}}
	return c
}

func commentedChange() ui.DiffMsg { return ui.DiffMsg{Diff: Diff(commentedDiff(), fixtureNow)} }

// Comments are on the present position of their lines, and comments that are sent again are
// unchanged.
func TestCommentsComeAndGo(t *testing.T) {
	c := commentedDiff()
	d := Diff(c, fixtureNow)
	if len(d.Comments) != 4 || d.Rounds != 2 {
		t.Fatalf("%+v", d.Comments)
	}
	if moved := d.Comments[1]; moved.File != "" || moved.Why != "the file is not in this diff" ||
		moved.State != view.CommentDeclined || moved.Answer != "The tests read it.\n" {
		t.Errorf("%+v", moved)
	}
	if first := d.Comments[0]; first.File != c.Files[0].Path || first.Line != 13 || first.Why != "" {
		t.Errorf("%+v", first)
	}
	c.Files[0].Patch = "@@ -1 +90,2 @@\n x\n+y\n"
	if lost := Diff(c, fixtureNow).Comments[0]; lost.File != c.Files[0].Path || lost.Line != 0 || lost.Why == "" {
		t.Errorf("%+v", lost)
	}
	back := Drafts(d.Comments[3:])
	if len(back) != 1 || back[0].Where() != c.Drafts[0].Where() || back[0].Text != c.Drafts[0].Text ||
		back[0].Hunk != c.Drafts[0].Hunk || back[0].Quote[0] != c.Drafts[0].Quote[0] {
		t.Errorf("%+v", back)
	}
}

// The state decides whether comments can be sent, and as what.
func TestWhatSendingDoes(t *testing.T) {
	for state, can := range map[string]bool{"idle": false, "executing": true, "checking": true, "addressing": true,
		"consultation": true, "reviewing": true, "complete": true, "failed": false} {
		v := Project(fixture(t, state), fixtureNow)
		if (v.SendComments != "") != can || (v.Disabled["comments"] == "") != can {
			t.Errorf("%s: %q, off %q", state, v.SendComments, v.Disabled["comments"])
		}
	}
	w := fixture(t, "complete").State.World
	own := *w.Task
	own.Landed = &core.Landed{Commit: "1", At: time.Now()}
	w.Task = &own
	if w.State != task.Complete || sendingComments(w) != "" {
		t.Error("landed work can be returned")
	}
}

// A renamed file keeps its comments.
func TestCommentsFollowARename(t *testing.T) {
	c := commentedDiff()
	was := c.Files[0].Path
	c.Files[0] = checks.FilePatch{Path: "new/" + was, Was: was, Patch: c.Files[0].Patch}
	if got := Diff(c, fixtureNow).Comments[0]; got.File != "new/"+was || got.Line != 13 {
		t.Errorf("%+v", got)
	}
}
