package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func reportCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "report [task]",
		Short: "Print a task's evidence: who did what, on which tree, with which checks",
		Long: `Prints the evidence of the open task or an archived one as Markdown: its text, the
sessions with their tokens and cost, every gate with its verdict and test counts, every
submission with its alarms, every review in full with the tree it is about, and the
journal.`,
		Example: "  ferrus report\n  ferrus report t-20261120-101500-4f2a --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			pr, err := openProject()
			if err != nil {
				return err
			}
			e, err := collect(pr, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if asJSON {
				return std.printJSON(e)
			}
			_, err = fmt.Fprint(std.out, e.markdown())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
