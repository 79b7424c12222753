package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui/text"
)

func permitCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "permit [number] [once|task|never] [note]",
		Short: "List what agents asked to be permitted, or answer",
		Long: `Lists the commands, paths, hosts and tools that the task's agents asked for, with your
answers. "once" permits a request, "task" permits it for the rest of the task, and
"never" refuses it for the rest of the task and sends the text after it to the agent.
You need the number only while several requests wait, or for one that is less than five
seconds old. A number alone prints the whole request, line by line, where the list shows
only its beginning and its end.

Agents ask with permissions = "ask", and with "auto" where no namespace walls contain
them.`,
		Example: "  ferrus permit\n  ferrus permit 41\n  ferrus permit once\n  ferrus permit 41 task\n" +
			"  ferrus permit 41 never \"use the local mirror\"",
		Args: func(cmd *cobra.Command, args []string) error {
			if _, alone := requestAlone(args); alone {
				return nil
			}
			if _, _, err := permitArgs(args); err != nil {
				return usageError(cmd, "permit takes once, task or never, with the number of a request if several wait")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listPermissions(std)
			}
			if number, alone := requestAlone(args); alone {
				return printRequest(std, number)
			}
			return answerPermission(cmd.Context(), std, args)
		},
	})
}

// requestAlone returns the number of a request, if the arguments are nothing else.
func requestAlone(args []string) (number uint64, alone bool) {
	if len(args) != 1 {
		return 0, false
	}
	number, err := strconv.ParseUint(args[0], 10, 64)
	return number, err == nil
}

// printRequest prints all of what a request wants.
func printRequest(std *streams, number uint64) error {
	pr, err := std.chosen(openProject())
	if err != nil {
		return err
	}
	whole, err := pr.WholeRequest(number)
	if err == nil && whole == "" {
		err = failure(fmt.Sprintf("this task has no request %d", number), "ferrus permit lists them")
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(std.out, indent(text.SanitizeLines(whole)))
	return nil
}

// permitArgs returns the number and the answer in arguments.
func permitArgs(args []string) (number uint64, answer string, err error) {
	if len(args) == 0 {
		return 0, "", nil
	}
	if number, err = strconv.ParseUint(args[0], 10, 64); err == nil {
		args = args[1:]
	}
	answer = joinArgs(args)
	_, _, err = core.ParsePermission(answer)
	return number, answer, err
}

func answerPermission(ctx context.Context, std *streams, args []string) error {
	pr, err := std.chosenAsHuman("permit")
	if err != nil {
		return err
	}
	number, words, err := permitArgs(args)
	if err != nil {
		return err
	}
	result, err := pr.Do(ctx, store.Call{}, core.Command{Kind: core.KindPermit, By: project.HumanActor(),
		Ticket: number, Text: words})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%d: %s\n", result.Ticket, core.Permission(result.Answer).Words())
	return nil
}

func listPermissions(std *streams) error {
	s, err := loadStatus(std)
	if err != nil {
		return err
	}
	w := s.state.World
	for _, r := range w.OpenPermissions() {
		fmt.Fprintln(std.out, text.Sanitize(fmt.Sprintf("%d  %s wants to %s: waits for you", r.Number, r.By, r.Wanted)))
	}
	for _, a := range w.AnsweredPermissions() {
		fmt.Fprintln(std.out, text.Sanitize(fmt.Sprintf("%d  %s wants to %s: %s", a.Number, a.By, a.Wanted,
			a.Answer.Words())))
	}
	if len(w.OpenPermissions())+len(w.AnsweredPermissions()) == 0 {
		std.sayNone("no agent has asked for permission")
	}
	return nil
}
