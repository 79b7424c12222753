package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"ferrus/hq/doctor"
	"ferrus/hq/gate"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui/text"
)

func doctorCommand(std *streams) *cobra.Command {
	var asJSON, repair, agents bool
	var bundle string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Diagnose the project, and repair what can be repaired",
		Long: `Examines ferrus.toml, the agents' programs, the permissions of .ferrus, STATE.json
against the journal and the texts, workflows, locks, sessions, git and free disk space.
Without --repair it changes nothing. --repair rebuilds what the journal or a hash can
prove, reports what it did and keeps what it replaces in .ferrus/lost. It is refused
while HQ or ferrus run is running. --bundle writes a report that is safe to share: no
texts, logs, commands, paths or secrets.

--agents examines no project. It runs a short task with the program of each installed
agent, and reports what works: the start, ferrus's tools, requests for permission and the
count of tokens. The model is a script on loopback: your logins are not used, and nothing is
sent to a vendor. A round without a call to the model is cut off after a minute, or three
on a busy machine, where the table has "slow" instead of "fail".

It exits with 1 if there are errors, and with 0 if there are only warnings and notes. With
--agents it exits with 1 if an installed program does not work or was cut off, or none is
installed.`,
		Example: "  ferrus doctor\n  ferrus doctor --repair\n  ferrus doctor --bundle report.tar.gz\n" +
			"  ferrus doctor --agents",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			if agents && (repair || bundle != "") {
				return usageError(cmd, "--agents excludes --repair and --bundle: it examines no project")
			}
			if agents {
				return tryAgents(ctx, std, asJSON)
			}
			return runDoctor(ctx, std, asJSON, repair, bundle)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as one JSON object")
	c.Flags().BoolVar(&repair, "repair", false, "first rebuild what can be rebuilt")
	c.Flags().BoolVar(&agents, "agents", false, "run a short task with each installed agent")
	c.Flags().StringVar(&bundle, "bundle", "", "write a tar.gz without texts, logs and secrets to this new `file`")
	return c
}

func runDoctor(ctx context.Context, std *streams, asJSON, repair bool, bundle string) error {
	dir, err := findProject()
	if err != nil {
		return err
	}
	o := doctor.Options{Version: versionString(), Agents: agentNames(), Heads: store.UserHeads(),
		Lanes: gate.LanesDir(dir)}
	var done store.Repaired
	if repair {
		if done, err = repaired(ctx, dir, o); err != nil {
			return err
		}
	}
	report, err := doctor.Examine(ctx, dir, o)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return interruption("")
	}
	report.Repaired, report.Left = done.Fixed, done.Unfixed
	if bundle != "" {
		if err := writeBundle(bundle, report); err != nil {
			return err
		}
	}
	if err := printReport(std, report, asJSON); err != nil {
		return err
	}
	if bundle != "" && !asJSON {
		fmt.Fprintf(std.out, "\nwrote %s\n", bundle)
	}
	if report.Worst() == doctor.Error {
		return failure("")
	}
	return nil
}

// repaired repairs the project, unless an agent asks for it.
func repaired(ctx context.Context, dir string, o doctor.Options) (store.Repaired, error) {
	looked, err := project.Inspect(dir, "")
	if err != nil {
		return store.Repaired{}, err
	}
	if e, inside := looked.InsideSession(); inside {
		return store.Repaired{}, failure(fmt.Sprintf("ferrus doctor --repair can only be run by you, not from "+
			"inside an agent session (%s)", e.Name), "run it in your own terminal")
	}
	done, err := doctor.Repair(ctx, dir, o)
	if n := host.Sweep(); n > 0 {
		done.Fixed = append(done.Fixed, fmt.Sprintf("removed %d sockets of dead sessions", n))
	}
	return done, err
}

// writeBundle creates a file that only its owner can read.
func writeBundle(name string, r doctor.Report) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return failure(name+" already exists", "choose a new file")
	} else if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return errors.Join(r.Bundle(f), f.Close())
}

func printReport(std *streams, r doctor.Report, asJSON bool) error {
	if asJSON {
		return std.printJSON(r)
	}
	for _, did := range r.Repaired {
		fmt.Fprintf(std.out, "%-9s%s\n", "repaired", text.Sanitize(did))
	}
	for _, left := range r.Left {
		fmt.Fprintf(std.out, "%-9s%s\n", "left", text.Sanitize(left))
	}
	if len(r.Repaired)+len(r.Left) > 0 {
		fmt.Fprintln(std.out)
	}
	counts := map[doctor.Severity]int{}
	for _, f := range r.Findings {
		counts[f.Severity]++
		printFinding(std.out, f)
	}
	fmt.Fprintf(std.out, "\n%s, %s, %s\n", plural(counts[doctor.Error], "error"),
		plural(counts[doctor.Warning], "warning"), plural(counts[doctor.Note], "note"))
	return nil
}

// printFinding prints a finding, and below it what to do.
func printFinding(w io.Writer, f doctor.Finding) {
	fmt.Fprintf(w, "%-9s%-15s%s\n", f.Severity, f.Area, text.Sanitize(f.What))
	if f.Fix != "" {
		fmt.Fprintf(w, "%-24s%s\n", "", text.Sanitize(f.Fix))
	}
}
