package serve

import (
	"fmt"
	"strings"

	"ferrus/checks"
	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
)

// judged is what review_pending answers: all that a verdict on the work depends on. It
// has more than 12 fields because it is one JSON object on the wire.
type judged struct {
	*core.Result
	Task         string             `json:"task"`
	Submission   string             `json:"submission"`
	Review       string             `json:"review,omitempty"`
	Tree         string             `json:"tree,omitempty"`
	Verdict      checks.Verdict     `json:"verdict,omitempty"`
	Checks       []proof            `json:"checks"`
	Log          string             `json:"log,omitempty"`
	Alarms       []core.Alarm       `json:"alarms"`
	Changed      []string           `json:"changed"`
	Diff         []checks.FilePatch `json:"diff"`
	CheckRetries core.Count         `json:"check_retries"`
	ReviewCycles core.Count         `json:"review_cycles"`
}

// proof is one check command of the gate that proved the submission.
type proof struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Tests   string `json:"tests,omitempty"` // how many the command said it ran
}

func (s *server) reviewPending(c *call) (*outcome, error) {
	limits, err := s.limits()
	if err != nil {
		return nil, err
	}
	s.renew(c)
	full := judged{Changed: []string{}, Checks: []proof{}, Alarms: []core.Alarm{}, Diff: []checks.FilePatch{}}
	var world core.World
	err = s.fresh(func(state store.State[core.World], t *texts) {
		world = state.World
		full.Result = &core.Result{Status: core.StatusPending, State: world.State, Seq: state.Seq,
			Next: advice.Next(world, s.who.role)}
		full.Task, full.Submission, full.Review = t.get(core.TaskText), t.get(core.SubmissionText),
			t.get(core.ReviewText)
	})
	if err != nil {
		return nil, err
	}
	if world.State != task.Reviewing {
		return nil, &machine.Refusal{
			Code: machine.NoSuchTransition, Machine: "task", State: world.State, Event: core.ToolReviewPending,
			By:      s.who.role,
			Options: core.OpenTransitions(world),
		}
	}
	full.CheckRetries = core.Count{Used: world.CheckRetries, Limit: limits.CheckRetries}
	full.ReviewCycles = core.Count{Used: world.ReviewCycles, Limit: limits.ReviewCycles}
	s.evidence(c, world, &full)
	return &outcome{base: full.Result, full: full, text: full.markdown()}, nil
}

// evidence fills in what was proven, and on what.
func (s *server) evidence(c *call, w core.World, full *judged) {
	if w.Gate != nil {
		full.Verdict, full.Log = w.Gate.Verdict, w.Gate.Log
		if record, err := gate.Read(s.project, w.Gate.Ticket); err == nil {
			for _, r := range record.Commands {
				one := proof{Command: r.Title(), Exit: r.Exit}
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
	repo := s.project.Work(w)
	paths, err := repo.Changed(c, w.Task.Base.Tree, w.Submission.Tree)
	if err == nil {
		full.Changed = append(full.Changed, paths...)
		full.Diff, err = repo.Patch(c, w.Task.Base.Tree, w.Submission.Tree)
	}
	if err != nil {
		full.Message = "the change could not be read whole: " + err.Error()
	}
}

// markdown is the review as one page.
func (j judged) markdown() string {
	var page strings.Builder
	section := func(title, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&page, "# %s\n\n%s\n\n", title, text)
		}
	}
	section("Task", j.Task)
	section("Submission", j.Submission)
	section("Previous review notes", j.Review)
	section("Alarms", j.alarms())
	section("Checks", j.proofs())
	section("Changed files", strings.Join(j.Changed, "\n"))
	section("Change since the task began", patches(j.Diff))
	fmt.Fprintf(&page, "Gate: %s on tree %s. Review cycles %d/%d, check retries %d/%d.\n", j.Verdict, j.Tree,
		j.ReviewCycles.Used, j.ReviewCycles.Limit, j.CheckRetries.Used, j.CheckRetries.Limit)
	return page.String()
}

// alarms lists what the change does to its own checks.
func (j judged) alarms() string {
	var b strings.Builder
	needsHuman := false
	for _, a := range j.Alarms {
		fmt.Fprintf(&b, "- %s%s\n", map[bool]string{true: "for the human: "}[a.NeedsHuman], a)
		for _, line := range a.Lines[min(1, len(a.Lines)):] {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		needsHuman = needsHuman || a.NeedsHuman
	}
	if needsHuman {
		b.WriteString("\nOnly the human may approve this. If the work is right, call approve anyway: that is " +
			"recorded, and the human decides. If the task does not ask for one of these changes, reject it.\n")
	}
	return b.String()
}

func (j judged) proofs() string {
	var b strings.Builder
	for _, c := range j.Checks {
		fmt.Fprintf(&b, "- `%s`: exit %d", c.Command, c.Exit)
		if c.Tests != "" {
			b.WriteString(", " + c.Tests)
		}
		b.WriteString("\n")
	}
	if j.Log != "" {
		b.WriteString("\nFull log: " + j.Log + "\n")
	}
	return b.String()
}

// patches is the difference by file, in a fence that nothing in it ends.
func patches(diff []checks.FilePatch) string {
	var b strings.Builder
	for _, f := range diff {
		fmt.Fprintf(&b, "%s  +%d -%d", f.Path, f.Added, f.Removed)
		if f.Cut {
			b.WriteString("  (not the whole of it; read the file)")
		}
		b.WriteString("\n")
		if f.Patch != "" {
			fence := "```"
			for strings.Contains(f.Patch, fence) {
				fence += "`"
			}
			fmt.Fprintf(&b, "%sdiff\n%s%s\n", fence, f.Patch, fence)
		}
	}
	return b.String()
}
