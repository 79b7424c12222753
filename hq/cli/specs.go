package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/spec"
	"ferrus/ui/text"
)

func specsCommand(std *streams) *cobra.Command {
	var asJSON, clear bool
	var choose string
	c := &cobra.Command{
		Use:   "specs [name]",
		Short: "List specs and their milestones, or select one",
		Long: `Lists the specs with their milestones: which are done, which are ready, and what the
others wait for. A name or path shows one spec. --select chooses the milestone for the
next /task, in the named spec or else in the selected one. --clear selects none.

Errors in a spec are reported with their line. If the spec was named or is the selected
one, the exit code is 1.`,
		Example: "  ferrus specs\n  ferrus specs billing --select m1.1",
		Args:    atMostOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			switch {
			case clear && (choose != "" || name != "" || asJSON), choose != "" && asJSON:
				return usageError(cmd, "--clear, --select and --json exclude each other, and --clear takes no name")
			case clear:
				return selectMilestone(cmd.Context(), std, "", "")
			case choose != "":
				return selectMilestone(cmd.Context(), std, name, choose)
			}
			return runSpecs(std, name, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the specs as one JSON object")
	c.Flags().StringVar(&choose, "select", "", "select the milestone with this `id` for the next /task")
	c.Flags().BoolVar(&clear, "clear", false, "select no spec and no milestone")
	return c
}

// specJSON is a spec as --json prints it.
type specJSON struct {
	Path       string          `json:"path"`
	Name       string          `json:"name"`
	Title      string          `json:"title"`
	Done       int             `json:"done"` // milestones with an ID
	All        int             `json:"all"`
	Selected   bool            `json:"selected"`
	Problems   []string        `json:"problems"` // each with its line; a spec with problems cannot be selected
	Milestones []milestoneJSON `json:"milestones"`
}

type milestoneJSON struct {
	ID       string   `json:"id"` // empty: it cannot be selected
	Marker   string   `json:"marker"`
	Title    string   `json:"title"`
	State    string   `json:"state"` // done, ready, waiting; problem
	Depends  []string `json:"depends_on"`
	Waits    []string `json:"waits_for"`
	Line     int      `json:"line"`
	Selected bool     `json:"selected"`
}

func newSpecJSON(s spec.Spec, now core.Selection) specJSON {
	out := specJSON{Path: s.Path, Name: s.Name(), Title: s.Title, Selected: s.Path == now.SelectedSpec,
		Problems: []string{}, Milestones: []milestoneJSON{}}
	out.Done, out.All = s.Progress()
	for _, p := range s.Problems {
		out.Problems = append(out.Problems, p.String())
	}
	for _, m := range s.Milestones {
		one := milestoneJSON{ID: m.ID, Marker: m.Marker, Title: m.Title, State: milestoneReady,
			Depends: append([]string{}, m.Depends...), Waits: append([]string{}, s.Waits(m)...), Line: m.Line}
		switch {
		case m.Done:
			one.State = milestoneDone
		case len(s.Problems) > 0 || m.ID == "":
			one.State = milestoneProblem
		case len(one.Waits) > 0:
			one.State = milestoneWaiting
		}
		one.Selected = out.Selected && m.ID != "" && m.ID == now.SelectedMilestone
		out.Milestones = append(out.Milestones, one)
	}
	return out
}

func runSpecs(std *streams, name string, asJSON bool) error {
	pr, state, err := openWorld()
	if err != nil {
		return err
	}
	all, err := pr.Specs().List()
	if err != nil {
		return err
	}
	if name != "" {
		one, err := findSpec(pr, all, name)
		if err != nil {
			return err
		}
		all = []spec.Spec{one}
	}
	shown := make([]specJSON, len(all))
	for i, s := range all {
		shown[i] = newSpecJSON(s, state.World.Selection)
	}
	if asJSON {
		err = std.printJSON(map[string]any{"specs": shown})
	} else {
		printSpecs(std, pr, shown, state.World.Selection)
	}
	if err == nil && name != "" && all[0].Err() != nil {
		err = failure(all[0].Err().Error())
	}
	return err
}

func printSpecs(std *streams, pr *project.Task, all []specJSON, now core.Selection) {
	if len(all) == 0 {
		fmt.Fprintf(std.out, "no specs in %s yet; /spec in HQ writes one with you\n",
			text.Sanitize(pr.Specs().Directory))
	}
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		fmt.Fprintf(std.out, "%s  %d/%d  %s\n", text.Sanitize(s.Name), s.Done, s.All, text.Sanitize(s.Path))
		for _, problem := range s.Problems {
			fmt.Fprintf(std.out, "  ! %s\n", text.Sanitize(problem))
		}
		for _, m := range s.Milestones {
			fmt.Fprintln(std.out, text.Sanitize(m.row()))
		}
	}
	if now.SelectedSpec != "" && !slices.ContainsFunc(all, func(s specJSON) bool { return s.Selected }) {
		fmt.Fprintf(std.out, "\nselected: %s of %s\n", text.Sanitize(now.SelectedMilestone),
			text.Sanitize(now.SelectedSpec))
	}
}

// The states of a milestone.
const (
	milestoneReady   = "ready"
	milestoneDone    = "done"
	milestoneProblem = "problem" // the spec has to be edited first
	milestoneWaiting = "waiting" // for other milestones
)

// row formats a milestone, with > before the selected one.
func (m milestoneJSON) row() string {
	mark, box, words := " ", "[ ]", m.State
	if m.Selected {
		mark = ">"
	}
	switch {
	case m.State == milestoneDone:
		box, words = "[x]", ""
	case m.ID == "":
		words = "no ID"
	case m.State == milestoneProblem:
		words = ""
	case m.State == milestoneWaiting:
		words = "waits for " + strings.Join(m.Waits, ", ")
	}
	return strings.TrimRight(fmt.Sprintf("%s %s %-6s %s %s  %s", mark, box, m.ID, m.Marker, m.Title, words), " ")
}

// findSpec finds a spec by its name or path. One outside the directory is found by its
// path only.
func findSpec(pr *project.Task, all []spec.Spec, name string) (spec.Spec, error) {
	var found []spec.Spec
	for _, s := range all {
		if s.Path == name {
			return s, nil
		}
		if s.Name() == name {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return spec.Spec{}, failure(fmt.Sprintf("%d specs are called %s; use the path of one", len(found), name),
			"ferrus specs lists them")
	case strings.HasSuffix(name, ".md"):
		return pr.Specs().Read(name)
	}
	return spec.Spec{}, failure(fmt.Sprintf("unknown spec %.80q", name), "ferrus specs lists them")
}

// selectMilestone selects a milestone; an empty id selects none.
func selectMilestone(ctx context.Context, std *streams, name, id string) error {
	pr, state, err := openWorldAsHuman("specs --select")
	if err != nil {
		return err
	}
	file := state.World.SelectedSpec
	switch {
	case id == "":
		file = ""
	case name != "":
		all, err := pr.Specs().List()
		if err != nil {
			return err
		}
		one, err := findSpec(pr, all, name)
		if err != nil {
			return err
		}
		file = one.Path
	case file == "":
		return failure("no spec is selected", "ferrus specs NAME --select "+id)
	}
	if _, err := pr.SelectMilestone(ctx, project.HumanActor(), file, id); err != nil {
		return err
	}
	if id == "" {
		fmt.Fprintln(std.out, "no spec is selected")
		return nil
	}
	fmt.Fprintf(std.out, "selected %s of %s; /task in HQ drafts its task\n", text.Sanitize(id),
		text.Sanitize(spec.Name(file)))
	return nil
}
