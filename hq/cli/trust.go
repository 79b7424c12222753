package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui/text"
)

func trustCommand(std *streams) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "trust",
		Short: "Trust this repository's check commands on this machine",
		Long: `Shows the check and setup commands in ferrus.toml and whatever else the file runs or
allows (agent programs, permissions, publishing), and asks whether you trust it. Your
answer is stored with a hash of all this in your own configuration, outside the
repository; after a change you are asked again. Until you trust it, no gate runs and no
session starts.

A .ferrus that was moved, copied or restored from a backup needs your trust too, and so
does a git directory other than the one you first used the project with. Until you trust
it, ferrus changes nothing in it.`,
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
	c.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return c
}

func runTrust(std *streams, pr *project.Task, yes bool) error {
	adopted, err := confirmPlace(std, pr, yes)
	if err != nil {
		return err
	}
	all, err := untrustedChecks(std, pr)
	if err != nil {
		return err
	}
	if len(all) == 0 && !adopted {
		fmt.Fprintln(std.out, "nothing to do: the check commands are already trusted on this machine")
	}
	if len(all) == 0 {
		return nil
	}
	return confirmTrust(std, pr, all, yes)
}

// untrustedChecks returns the lists of commands that you have not trusted.
func untrustedChecks(std *streams, pr *project.Task) ([]core.Definition, error) {
	state, err := pr.World()
	if err != nil {
		return nil, err
	}
	return pr.Untrusted(state.World)
}

// requireTrust asks, if it can, before check commands run here for the first time.
func requireTrust(std *streams, pr *project.Task) error {
	if _, err := confirmPlace(std, pr, false); err != nil {
		return err
	}
	all, err := untrustedChecks(std, pr)
	if err != nil || len(all) == 0 {
		return err
	}
	return confirmTrust(std, pr, all, false)
}

// confirmPlace asks, if it can, whether a project that was moved, copied or restored is to
// be continued, and does so. It reports whether there was something to ask.
func confirmPlace(std *streams, pr *project.Task, yes bool) (asked bool, err error) {
	err = pr.CheckPlace(context.Background())
	var at *store.PlaceError
	if !errors.As(err, &at) {
		return false, err
	}
	fmt.Fprintln(std.out, text.Sanitize(at.Dir+" "+at.Why))
	switch {
	case yes:
	case !std.canAsk:
		return true, waiting(at.Dir+" "+at.Why, "if you did that, run: ferrus trust --yes")
	case !std.confirm("did you do that, and should its record be continued?", false):
		return true, waiting("the record is not trusted, so nothing runs", "to continue it, run: ferrus trust")
	}
	if err := pr.Adopt(context.Background()); err != nil {
		return true, err
	}
	fmt.Fprintln(std.out, "continued in", text.Sanitize(pr.Dir))
	return true, nil
}

// confirmTrust shows commands, asks, and trusts them.
func confirmTrust(std *streams, pr *project.Task, all []core.Definition, yes bool) error {
	fmt.Fprintln(std.out, "check commands that are not trusted on this machine:")
	for _, d := range all {
		for _, line := range d.Lines() {
			fmt.Fprintln(std.out, "  "+text.Sanitize(line))
		}
	}
	switch {
	case yes:
	case !std.canAsk:
		return waiting("the check commands of this repository have not been trusted on this machine",
			"review them, then run: ferrus trust --yes")
	case !std.confirm("trust these commands?", false):
		return waiting("the check commands are not trusted, so nothing can be proven",
			"change them in ferrus.toml, or run: ferrus trust")
	}
	if err := pr.Trust(all...); err != nil {
		return err
	}
	fmt.Fprintln(std.out, "trusted in", text.Sanitize(pr.Dir))
	return nil
}
