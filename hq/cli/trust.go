package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

func trustCommand(std *streams) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "trust",
		Short: "Let this repository's check commands run on this machine",
		Long: `Shows the check commands of ferrus.toml and asks whether they may run. The answer
is kept by their hash in your own configuration, outside the repository: a list
that changes asks again. Until then no gate runs.`,
		Example: "  ferrus trust\n  ferrus trust --yes",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			pr, err := openAsHuman("trust")
			if err != nil {
				return err
			}
			return runTrust(std, pr, yes)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask, for scripts")
	return c
}

func runTrust(std *streams, pr *project.Project, yes bool) error {
	all, err := untrustedChecks(std, pr)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(std.out, "nothing to do: the check commands may run on this machine")
		return nil
	}
	return confirmTrust(std, pr, all, yes)
}

// untrustedChecks are the lists of commands that nobody let run.
func untrustedChecks(std *streams, pr *project.Project) ([]core.Definition, error) {
	state, err := pr.World()
	if err != nil {
		return nil, err
	}
	return pr.Untrusted(state.World)
}

// requireTrust asks before check commands run here for the first time, where there is
// somebody to ask.
func requireTrust(std *streams, pr *project.Project) error {
	all, err := untrustedChecks(std, pr)
	if err != nil || len(all) == 0 {
		return err
	}
	return confirmTrust(std, pr, all, false)
}

// confirmTrust shows commands, asks, and lets them run.
func confirmTrust(std *streams, pr *project.Project, all []core.Definition, yes bool) error {
	fmt.Fprintln(std.out, "check commands that nobody let run on this machine:")
	for _, d := range all {
		for _, line := range d.Lines() {
			fmt.Fprintln(std.out, "  "+text.Sanitize(line))
		}
	}
	switch {
	case yes:
	case !std.canAsk:
		return &exitError{code: codeWaiting, what: "nobody let the check commands of this repository run on this machine", hints: []string{"look at them, then run: ferrus trust --yes"}}
	case !std.confirm("may they run?", false):
		return &exitError{code: codeWaiting, what: "the check commands may not run, so nothing can be proven", hints: []string{"change them in ferrus.toml, or run: ferrus trust"}}
	}
	if err := pr.Trust(all...); err != nil {
		return err
	}
	fmt.Fprintln(std.out, "they may run in", pr.Dir)
	return nil
}
