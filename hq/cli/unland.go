package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/ui/text"
)

func unlandCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "unland <task>",
		Short: "Queue a task that reverts what another one landed",
		Long: `Queues a task that reverts what another task landed. It goes through the check gate, the
review and the merge queue like any other, so the history keeps both commits.`,
		Example: "  ferrus unland 12",
		Args:    oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			var q *queue.Queue
			var item queue.Item
			pr, err := openAsHumanFor("unland", func(pr *project.Task) (err error) {
				q, item, err = openItem(pr, args[0])
				return err
			})
			if err != nil {
				return err
			}
			added, err := merge.Unland(cmd.Context(), q, project.HumanActor(), item)
			if err == nil {
				err = callConductor(pr)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(std.out, text.Sanitize(added.Name()+" "+added.Title+" is queued"))
			return nil
		},
	}
}
