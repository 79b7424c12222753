package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func reportCommand(std *streams) *cobra.Command {
	var asJSON, asHTML bool
	c := &cobra.Command{
		Use:   "report [task]",
		Short: "Print a task's evidence: who did what, on which tree, with which checks",
		Long: `Prints the evidence of the open task or an archived one as Markdown: its text, the
sessions with their tokens and cost, every gate with its verdict and test counts, every
submission with its alarms, every review in full with its tree, and the journal.

With --html it prints a self-contained page that adds a timeline and the diff. The page
loads nothing and runs no scripts, so you can send, keep or print it.`,
		Example: "  ferrus report\n  ferrus report t-20261120-101500-4f2a --json\n  ferrus report --html > report.html",
		Args:    atMostOne("task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asHTML {
				return usageError(cmd, "--json and --html exclude each other")
			}
			pr, err := std.chosen(openProject())
			if err != nil {
				return err
			}
			id := strings.Join(args, "")
			if own, err := ownTask(pr, id); err != nil || own != nil {
				if err != nil {
					return err
				}
				pr = own
			}
			e, err := collect(pr, id)
			if err != nil {
				return err
			}
			if asJSON {
				return std.printJSON(e)
			}
			page := e.markdown
			if asHTML {
				page = func() string { return e.html(e.patch(cmd.Context(), pr)) }
			}
			_, err = fmt.Fprint(std.out, page())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().BoolVar(&asHTML, "html", false, "print an HTML page with a timeline and the diff")
	return taskFlag(std, c)
}
