package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq"
	"ferrus/ui"
)

func (p *program) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain",
		Short: "Say where the task stands, what is open and why the rest is not",
		Args:  no,
		RunE: func(*cobra.Command, []string) error {
			pr, err := open()
			if err != nil {
				return err
			}
			state, err := pr.World()
			if err != nil {
				return err
			}
			fmt.Fprintln(p.out, strings.TrimRight(ui.CleanLines(hq.Explain(state.World)), "\n"))
			return nil
		},
	}
}
