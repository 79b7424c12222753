package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"ferrus/hq/tui"
)

func taskPathCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "path <task>", Short: "Print the directory that a task works in", Args: oneTask,
		RunE: func(_ *cobra.Command, args []string) error {
			dir, _, err := workIn(args[0])
			if err == nil {
				fmt.Fprintln(std.out, dir)
			}
			return err
		},
	}
}

func taskShellCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "shell <task> [-- <command>...]",
		Short: "Open a shell in the directory that a task works in, or run a command there",
		Long: `Opens your shell ($SHELL) in the directory that a task works in, or runs a command there, with
the task's variables: FERRUS_TASK, and FERRUS_PORT for the first of its ten ports. ferrus
exits with the exit code of the command.`,
		Example: "  ferrus task shell 14\n  ferrus task shell 14 -- make run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && cmd.ArgsLenAtDash() != 1 {
				return usageError(cmd, "task shell takes one task; a command comes after --")
			}
			return oneTask(cmd, args[:min(len(args), 1)])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := openAsHuman("task shell"); err != nil {
				return err
			}
			dir, env, err := workIn(args[0])
			if err != nil {
				return err
			}
			return runIn(std, dir, env, args[1:])
		},
	}
}

// workIn is like [project.Task.WorkIn] for a task that you name.
func workIn(name string) (dir string, env []string, err error) {
	pr, err := openProject()
	if err != nil {
		return "", nil, err
	}
	of, err := namedTask(pr, name)
	if err != nil {
		return "", nil, err
	}
	return of.WorkIn()
}

// runIn runs a command, or a shell, as this process's child in the same terminal.
func runIn(std *streams, dir string, env, argv []string) error {
	isShell := len(argv) == 0
	if isShell {
		argv = []string{tui.Shell()}
		fmt.Fprintf(std.err, "%s in %s; exit leaves it\n", argv[0], dir)
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, fileOf(std.out), fileOf(std.err)
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if isShell { // of the last command in it
			return nil
		}
		return newExitError(max(exit.ExitCode(), 1), "", nil)
	}
	if err != nil {
		return fmt.Errorf("run %s in %s: %w", argv[0], dir, err)
	}
	return nil
}
