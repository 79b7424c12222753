package serve

import (
	"fmt"
	"strings"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

// submission is what review_pending answers: all that a verdict on the work depends on. It
// has more than 12 fields because it is one JSON object on the wire.
type submission struct {
	*core.Result
	Task         string             `json:"task"`
	Submission   string             `json:"submission"`
	Review       string             `json:"review,omitempty"`
	Comments     []comments.Comment `json:"comments,omitempty"`
	Tree         string             `json:"tree,omitempty"`
	Verdict      checks.Verdict     `json:"verdict,omitempty"`
	Checks       []checkRun         `json:"checks"`
	Log          string             `json:"log,omitempty"`
	Alarms       []core.Alarm       `json:"alarms"`
	Changed      []string           `json:"changed"`
	Diff         []checks.FilePatch `json:"diff"`
	CheckRetries core.Count         `json:"check_retries"`
	ReviewCycles core.Count         `json:"review_cycles"`
	rounds       comments.Set
}

// checkRun is one check command of the gate that proved the submission.
type checkRun struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Tests   string `json:"tests,omitempty"` // how many the command said it ran
}

func readSubmission(c *toolCall) (*outcome, error) {
	limits, err := c.limits()
	if err != nil {
		return nil, err
	}
	c.renew()
	full := submission{Changed: []string{}, Checks: []checkRun{}, Alarms: []core.Alarm{}, Diff: []checks.FilePatch{}}
	var world core.World
	err = c.fresh(func(state store.State[core.World], t *texts) {
		world = state.World
		base := c.standing(core.StatusPending, state)
		full.Result = &base
		full.Task, full.Submission, full.Review = t.get(core.TaskText), t.get(core.SubmissionText),
			t.get(core.ReviewText)
		full.rounds = readComments(t)
		full.Comments = full.rounds.Comments
	})
	if err != nil {
		return nil, err
	}
	if world.State != task.Reviewing {
		return nil, &machine.Refusal{
			Code: machine.NoSuchTransition, Machine: "task", State: world.State, Event: core.ToolReviewPending,
			By:      c.who.role,
			Options: core.OpenTransitions(world),
		}
	}
	full.CheckRetries = core.Count{Used: world.CheckRetries, Limit: limits.CheckRetries}
	full.ReviewCycles = core.Count{Used: world.ReviewCycles, Limit: limits.ReviewCycles}
	addEvidence(c, world, &full)
	return &outcome{base: full.Result, full: full, text: full.markdown()}, nil
}

// addEvidence adds what was proven, and on what.
func addEvidence(c *toolCall, w core.World, full *submission) {
	if w.Gate != nil {
		full.Verdict, full.Log = w.Gate.Verdict, w.Gate.Log
		if record, err := gate.Read(c.project, w.Gate.Ticket); err == nil {
			for _, r := range record.Commands {
				one := checkRun{Command: r.Title(), Exit: r.Exit}
				if r.Tests != nil {
					one.Tests = r.Tests.String()
				}
				full.Checks = append(full.Checks, one)
			}
		}
	}
	if w.Submission == nil {
		return
	}
	full.Tree = w.Submission.Tree
	full.Alarms = append(full.Alarms, w.Submission.Alarms...)
	if w.Task == nil || w.Task.Base.Tree == "" {
		return
	}
	repo := c.project.Work(w)
	paths, err := repo.Changed(c, w.Task.Base.Tree, w.Submission.Tree)
	if err == nil {
		full.Changed = append(full.Changed, paths...)
		full.Diff, err = repo.Patch(c, w.Task.Base.Tree, w.Submission.Tree)
	}
	if err != nil {
		full.Message = "the diff is incomplete: " + err.Error()
	}
}

// markdown returns the review as one page.
func (s submission) markdown() string {
	var page strings.Builder
	section := func(title, body string) {
		if body = strings.TrimSpace(body); body != "" {
			fmt.Fprintf(&page, "# %s\n\n%s\n\n", title, body)
		}
	}
	section("Task", s.Task)
	section("Submission", text.Fence("", s.Submission))
	section("Previous review notes", text.Fence("", s.Review))
	section("The human's comments, and the executor's answers to them", s.rounds.Markdown())
	section("Alarms", s.alarms())
	section("Checks", s.proofs())
	section("Changed files", text.Bullets(s.Changed))
	section("Change since the task started", patches(s.Diff))
	fmt.Fprintf(&page, "Gate: %s on tree %s. Review cycles %d/%d, check retries %d/%d.\n", s.Verdict, s.Tree,
		s.ReviewCycles.Used, s.ReviewCycles.Limit, s.CheckRetries.Used, s.CheckRetries.Limit)
	return page.String()
}

// alarms lists what the change does to its own checks.
func (s submission) alarms() string {
	var b strings.Builder
	needsHuman := false
	for _, a := range s.Alarms {
		fmt.Fprintf(&b, "- %s%s\n", map[bool]string{true: "for the human: "}[a.NeedsHuman], a)
		for _, line := range a.Lines[min(1, len(a.Lines)):] {
			fmt.Fprintf(&b, "    %s\n", text.Sanitize(line))
		}
		needsHuman = needsHuman || a.NeedsHuman
	}
	if needsHuman {
		b.WriteString("\nOnly the human may approve this. If the work is right, call approve anyway: that is " +
			"recorded, and the human decides. If the task does not ask for one of these changes, reject it.\n")
	}
	return b.String()
}

func (s submission) proofs() string {
	var b strings.Builder
	for _, c := range s.Checks {
		fmt.Fprintf(&b, "- `%s`: exit %d", c.Command, c.Exit)
		if c.Tests != "" {
			b.WriteString(", " + c.Tests)
		}
		b.WriteString("\n")
	}
	if s.Log != "" {
		b.WriteString("\nFull log: " + s.Log + "\n")
	}
	return b.String()
}

// patches returns the diff by file.
func patches(diff []checks.FilePatch) string {
	var b strings.Builder
	for _, f := range diff {
		fmt.Fprintf(&b, "%s  +%d -%d", f.Title(text.Name), f.Added, f.Removed)
		if f.Cut {
			b.WriteString("  (truncated; read the file)")
		}
		b.WriteString("\n")
		if f.Patch != "" {
			b.WriteString(text.Fence("diff", f.Patch) + "\n")
		}
	}
	return b.String()
}
