package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/ui/text"
)

// workflowView is a workflow as --json prints it.
type workflowView struct {
	workflow.Document
	Seq  uint64     `json:"seq"`
	Next nextAction `json:"next"`
	Ways []flow.Way `json:"ways"` // with what is missing for each

	lands bool // its result can land
}

type nextAction struct {
	Do    workflow.Action `json:"do,omitempty"`
	Who   machine.Role    `json:"who,omitempty"`
	Words string          `json:"words,omitempty"`
	Asks  string          `json:"asks,omitempty"` // you
}

// viewWorkflow returns a workflow with what it waits for.
func viewWorkflow(pr *project.Task, w workflow.Workflow) (workflowView, error) {
	next, loop, err := nextStep(pr, w)
	if err != nil {
		return workflowView{}, err
	}
	next = next.Held(loop.World.Hold)
	living, err := workflow.Open(pr).Executor(&w.Document)
	if err != nil {
		return workflowView{}, err
	}
	ways := w.Flow().Ways(w.Snap(), machine.Human, w.Facts(workflow.Observed{Living: living}))
	if ways == nil {
		ways = []flow.Way{}
	}
	result, err := workflow.Open(pr).Result()
	return workflowView{w.Document, w.Seq, nextAction{next.Do, next.Role, w.Words(next), w.Asks()}, ways,
		w.IsFinal() && result == w.ID}, err
}

// nextStep returns what should happen next in a workflow, and the task loop as it is.
func nextStep(pr *project.Task, w workflow.Workflow) (next workflow.Next, loop workflow.TaskLoop, err error) {
	state, err := pr.World()
	if err != nil {
		return next, loop, err
	}
	loop.World = state.World
	if loop.Text, err = pr.Store.ReadText(state, "TASK.md"); err != nil {
		return next, loop, err
	}
	living, err := workflow.Open(pr).Executor(&w.Document)
	if err != nil {
		return next, loop, err
	}
	loop.Lives = living != ""
	if loop.Rows, err = queueRows(pr); err != nil {
		return next, loop, err
	}
	return workflow.PlanNext(&w.Document, loop), loop, nil
}

func workflowStatusCommand(std *streams) *cobra.Command {
	var id string
	var asJSON bool
	c := &cobra.Command{
		Use: "status", Short: "Show the phase, what is missing, and who must act", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWorkflowStatus(cmd.Context(), std, id, asJSON) },
	}
	c.Flags().StringVar(&id, "id", "", "the workflow (default: the open one, or the newest)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// runWorkflowStatus exits with 3 if you must act.
func runWorkflowStatus(_ context.Context, std *streams, id string, asJSON bool) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	w, err := openOrNewest(workflow.Open(pr), id)
	if err != nil {
		return err
	}
	seen, err := viewWorkflow(pr, w)
	if err != nil {
		return err
	}
	if asJSON {
		err = std.printJSON(seen)
	} else {
		printWorkflow(std, seen)
	}
	switch {
	case err != nil || seen.Next.Who != machine.Human:
		return err
	case seen.Next.Asks != "":
		return waiting(seen.Next.Asks, decisionHints(&w.Document)...)
	}
	return waiting(seen.Next.Words, "ferrus inbox says how to continue")
}

// decisionHints returns the command that answers what the workflow asks.
func decisionHints(d *workflow.Document) []string {
	if need := d.Need(); need != nil {
		return []string{"run: " + need.Run()}
	}
	return nil
}

func printWorkflow(std *streams, s workflowView) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(std.out, "%-10s %s\n", name, text.Sanitize(fmt.Sprintf(format, args...)))
	}
	row("workflow", "%s  %s: %s", s.ID, s.Type, s.Title)
	row("phase", "%s, since %s", s.Phase, s.Since.Local().Format("2006-01-02 15:04"))
	row("path", "%s", pathLine(&s.Document))
	if s.Counters.Cycles+s.SentBack() > 0 {
		row("counters", "fix cycles %d, plan revisions %d", s.Counters.Cycles, s.SentBack())
	}
	for _, t := range s.Tasks {
		row("task", "%s %s: %s", t.ID, t.Status, t.Title)
	}
	for _, name := range s.Required {
		if r, ok := s.Reviews[name]; ok {
			row("review", "%s %s (%s)", name, r.Status, core.NameOf(r.By))
		}
	}
	for _, w := range s.Ways {
		if len(w.Failed) == 0 {
			row("open", "%s", w.To)
			continue
		}
		if s.Track != "" && offTrack(w) {
			continue
		}
		var reasons []string
		for _, f := range w.Failed {
			reasons = append(reasons, f.Reason)
		}
		row("missing", "for %s: %s", w.To, strings.Join(reasons, "; "))
	}
	if s.lands {
		row("next", "you: land the result with ferrus land")
	}
	if s.Next.Who != "" {
		row("next", "%s: %s", advice.RoleNames([]machine.Role{s.Next.Who}), s.Next.Words)
	}
}

// offTrack reports whether a way belongs to another track than the chosen one.
func offTrack(w flow.Way) bool {
	return slices.ContainsFunc(w.Failed, func(f machine.Failed) bool {
		return strings.HasSuffix(f.Guard, flow.TrackSelected)
	})
}

// pathLine returns the phases in one line, the current one in brackets.
func pathLine(d *workflow.Document) string {
	var all []string
	for _, ph := range d.Flow().Phases {
		name := string(ph.ID)
		if ph.ID == d.Phase {
			name = "[" + name + "]"
		} else if ph.ID == flow.Blocked || ph.ID == flow.Cancelled || d.Track.Excludes(ph) {
			continue
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func workflowListCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the workflows, oldest first", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			pr, err := openProject()
			if err != nil {
				return err
			}
			all, err := workflow.Open(pr).List()
			if asJSON {
				docs := []workflow.Document{}
				for _, w := range all {
					docs = append(docs, w.Document)
				}
				return errors.Join(err, std.printJSON(docs))
			}
			for _, w := range all {
				fmt.Fprintf(std.out, "%s  %-8s %-14s %s\n", w.ID, w.Type, w.Phase, text.Sanitize(w.Title))
			}
			if len(all) == 0 && err == nil {
				fmt.Fprintln(std.out, "no workflows yet")
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a list of JSON objects")
	return c
}

func workflowShowCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show [id]", Short: "Show a workflow's documents, reviews and journal", Args: atMostOne("workflow"),
		RunE: func(_ *cobra.Command, args []string) error {
			pr, err := openProject()
			if err != nil {
				return err
			}
			w, err := openOrNewest(workflow.Open(pr), strings.Join(args, ""))
			if err != nil {
				return err
			}
			return printWorkflowDetails(std, pr, w, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, with the journal")
	return c
}

// openOrNewest returns the workflow with an id. Without an id it returns the open workflow,
// or else the one that ended last.
func openOrNewest(b *workflow.Store, id string) (workflow.Workflow, error) {
	w, err := b.Get(id)
	if id != "" || !errors.Is(err, workflow.ErrNoneOpen) {
		return w, err
	}
	all, listed := b.List()
	if listed != nil || len(all) == 0 {
		return w, errors.Join(err, listed)
	}
	return all[len(all)-1], nil
}

func printWorkflowDetails(std *streams, pr *project.Task, w workflow.Workflow, asJSON bool) error {
	seen, err := viewWorkflow(pr, w)
	if err != nil {
		return err
	}
	lines, err := w.Journal()
	if err != nil {
		return err
	}
	if asJSON {
		return std.printJSON(map[string]any{"workflow": seen, "journal": lines, "diagram": w.Flow().Mermaid(w.Phase)})
	}
	printWorkflow(std, seen)
	fmt.Fprintf(std.out, "\n%s", w.Diagram())
	for _, name := range []string{"design", "brief", "plan", "rca", "fixDesign", "pr"} {
		if s := w.Artifacts[name]; s != "" {
			fmt.Fprintf(std.out, "\n%s:\n%s\n", name, indent(text.SanitizeLines(s)))
		}
	}
	for _, name := range w.Required {
		if r := w.Reviews[name]; r.Findings != "" {
			fmt.Fprintf(std.out, "\n%s (%s):\n%s\n", name, r.Status, indent(text.SanitizeLines(r.Findings)))
		}
	}
	fmt.Fprintln(std.out)
	for _, l := range lines {
		fmt.Fprintln(std.out, journalLine(l))
	}
	return nil
}
