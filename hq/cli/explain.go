package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/ui/text"
)

// explained is how many of the newest journal lines are searched for the one that
// led to the current state; claims and renewals may follow it.
const explained = 200

func explainCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "explain",
		Short: "Explain the state: what can be done now, and why the rest cannot",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			pr, state, err := std.chosenWorld(openProject())
			if err != nil {
				return err
			}
			lines, err := pr.Store.Journal(max(state.Seq, explained) - explained)
			if err != nil {
				return err
			}
			stands, open, _ := strings.Cut(text.SanitizeLines(advice.Explain(state.World)), "\n\n")
			fmt.Fprintln(std.out, stands)
			explainWorkflow(std.out, pr)
			local := func(t time.Time) string { return t.Local().Format(time.DateTime) }
			if why := project.LastTransition(lines, local); why != "" {
				fmt.Fprintf(std.out, "%-11s %s\n", "because", text.Sanitize(why))
			}
			explainTrust(std.out, pr, state.World)
			fmt.Fprintf(std.out, "%-11s %s, seq %d\n\n%s\n", "source", pr.Store.Path("STATE.json"), state.Seq,
				strings.TrimRight(open, "\n"))
			return nil
		},
	})
}

// explainWorkflow says which workflow is open, with where it is.
func explainWorkflow(out io.Writer, pr *project.Task) {
	w, err := workflow.Open(pr).Find()
	if err != nil {
		return
	}
	line := fmt.Sprintf("%s %s: %s", w.Type, w.Title, w.Phase)
	if w.Busy() != "" {
		line += "; it creates the tasks here until it ends"
	}
	fmt.Fprintf(out, "%-11s %s; ferrus workflow status explains it\n", "workflow", text.Sanitize(line))
}

// explainTrust says that nothing starts while commands are not trusted, or why that is not known.
func explainTrust(out io.Writer, pr *project.Task, w core.World) {
	all, err := pr.Untrusted(w)
	if err != nil {
		fmt.Fprintf(out, "%-11s %s\n", "problem", text.Sanitize(err.Error()))
	}
	for _, d := range all {
		fmt.Fprintf(out, "%-11s %s; nothing starts until you trust them with: ferrus trust\n", "untrusted",
			text.Sanitize(strings.Join(d.Lines(), "; ")))
	}
}
