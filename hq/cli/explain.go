package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/advice"
	"ferrus/hq/project"
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
			local := func(t time.Time) string { return t.Local().Format(time.DateTime) }
			if why := project.LastTransition(lines, local); why != "" {
				fmt.Fprintf(std.out, "%-11s %s\n", "because", text.Sanitize(why))
			}
			fmt.Fprintf(std.out, "%-11s %s, seq %d\n\n%s\n", "source", pr.Store.Path("STATE.json"), state.Seq,
				strings.TrimRight(open, "\n"))
			return nil
		},
	})
}
