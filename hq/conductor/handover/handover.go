// Package handover tells an executor about earlier work on its task, by another agent ([Reader.FromAgent]) or by you
// ([Reader.FromHuman]). The text becomes part of a prompt, so it is short; the executor finds the rest in the files.
package handover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/ui/text"
)

// Limits of a hand-over, in bytes: it is a part of a prompt, which is one argument of a command
// line. The next agent reads the rest in the files.
const (
	maxDiff  = 12 << 10
	maxFiles = 100
)

// Reader reads what was done on a task.
type Reader struct {
	Project *project.Task
	World   *core.World
}

// FromAgent returns what an executor has to know of a task that another agent worked on last: its title, who
// that was, the newest gate, the open comments and the change. It is empty where no agent but the one that
// starts now did.
func (r Reader) FromAgent(ctx context.Context, job core.Job, id, with string) string {
	if id == "" || job.Slot.Role() != machine.Executor || job.Mode != core.ModeWork && job.Mode != core.ModeResume {
		return ""
	}
	agent, sessions, exit := r.lastAgent(id, job.Slot)
	if agent == "" || agent == with {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The task: %s.\n", text.FirstLine(r.World.Task.Title))
	fmt.Fprintf(&b, "%s worked on it, in %s; the last one: %s.\n", agent, text.Count(sessions, "session"), exit)
	if g := r.World.Gate; g != nil && g.Verdict != "" {
		fmt.Fprintf(&b, "The newest check gate: %s.\n", g.Verdict)
	}
	r.writeChange(ctx, &b)
	return b.String()
}

// FromHuman returns what an executor has to know of work that you began by hand, until a session has begun to
// work on it: where that was, and the change. It is empty for other tasks.
func (r Reader) FromHuman(ctx context.Context, job core.Job, id string) string {
	if id == "" || job.Slot.Role() != machine.Executor || job.Mode != core.ModeWork && job.Mode != core.ModeResume {
		return ""
	}
	w := r.World.Task.Workspace
	if w == nil || w.Adopted == nil {
		return ""
	}
	ended, err := r.Project.Ended(id)
	begun := func(e project.Ended) bool { return e.Slot == job.Slot && e.Accepted }
	if err != nil || slices.ContainsFunc(ended, begun) {
		return ""
	}
	var b strings.Builder
	from, here := w.Adopted.Dir, r.Project.Worktree(id).Top()
	branch := ""
	if w.Adopted.Branch != "" {
		branch = ", on the branch " + w.Adopted.Branch
	}
	fmt.Fprintf(&b, "It was started in %s%s. All its files are in %s now, including uncommitted ones: read every path "+
		"below the first as a path below the second. Change nothing in %s.\n", from, branch, here, from)
	r.writeChange(ctx, &b)
	return b.String()
}

// lastAgent returns the agent of the newest session of a slot for a task, how many sessions in a row it
// had, and how the newest ended.
func (r Reader) lastAgent(id string, slot core.Slot) (agent string, sessions int, exit string) {
	ended, err := r.Project.Ended(id)
	if err != nil {
		return "", 0, "" // it starts without a hand-over
	}
	for i := len(ended) - 1; i >= 0; i-- {
		e := ended[i]
		switch {
		case e.Slot != slot:
			continue
		case agent == "":
			agent, exit = e.Agent, e.Exit
		case e.Agent != agent:
			return agent, sessions, exit
		}
		sessions++
	}
	return agent, sessions, exit
}

// writeChange writes the open comments, and what the task has changed.
func (r Reader) writeChange(ctx context.Context, b *strings.Builder) {
	room := checks.PatchLimits{File: maxDiff, All: maxDiff, Files: maxFiles}
	d, err := r.Project.CommentedDiff(ctx, 0, room)
	if err != nil {
		return // the files are there
	}
	if open := d.Set.Unresolved(); len(open) > 0 {
		fmt.Fprintf(b, "Comments that have no answer yet: %s.\n", text.Count(len(open), "comment"))
		for _, c := range open[:min(len(open), 20)] {
			fmt.Fprintf(b, "- %s on %s: %s\n", c.ID, c.Where(), text.FirstLine(c.Text))
		}
	}
	if len(d.Files) == 0 {
		b.WriteString("No file has changed since the task started.\n")
		return
	}
	fmt.Fprintf(b, "Changed since the task started: %s.\n", text.Count(len(d.Files), "file"))
	for _, f := range d.Files {
		fmt.Fprintf(b, "\n%s +%d -%d\n", f.Title(text.Name), f.Added, f.Removed)
		if left := maxDiff - b.Len(); left > len(f.Patch) {
			b.WriteString(f.Patch)
		}
	}
}
