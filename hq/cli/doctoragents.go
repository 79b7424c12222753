package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"ferrus/hq/clients"
	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// tryAgents plays a round with each vendor's program that is installed, and prints what works.
func tryAgents(ctx context.Context, std *streams, asJSON bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the ferrus program: %w", err)
	}
	results := clients.Try(ctx, clients.Options{Ferrus: self, Agents: agentNames(), Began: func(names []string) {
		if len(names) > 0 {
			fmt.Fprintf(std.err, "ferrus: trying %s; each can take a minute\n", strings.Join(names, ", "))
		}
	}})
	if ctx.Err() != nil {
		return interruption("")
	}
	switch {
	case asJSON && results == nil:
		err = std.printJSON([]clients.Result{})
	case asJSON:
		err = std.printJSON(results)
	default:
		printTried(std, results)
	}
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return failure("no agent is installed", "install one; ferrus help agents lists them")
	}
	if slices.ContainsFunc(results, func(r clients.Result) bool { return !r.Works }) {
		return failure("")
	}
	return nil
}

// printTried prints a row per client, and below them why some do not work.
func printTried(std *streams, results []clients.Result) {
	if len(results) == 0 {
		return
	}
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "AGENT\tVERSION\tSTART\tTOOLS\tPERMISSION\tTOKENS\tROUND")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f s\n", r.Agent, release(r.Version),
			started(r), worked(r), cmp.Or(string(r.Permission), "unknown"), reported(r), r.Took)
	}
	w.Flush() //nolint:errcheck // as of all that is printed
	for _, r := range results {
		if !r.Works {
			fmt.Fprintf(std.out, "\n%s: %s\n", r.Agent, text.Sanitize(r.Failure))
		}
	}
}

// releaseNumber is the number in what a program prints of its version.
var releaseNumber = lazyregexp.New(`\d+(\.\d+)+[-+.\w]*\w`)

// release returns the number of a version, so that a row has room in 80 columns.
func release(version string) string {
	if number := releaseNumber.FindString(version); number != "" {
		return text.Cut(number, 16)
	}
	return cmp.Or(text.Cut(text.Sanitize(version), 16), "unknown")
}

// started says how long a client took to its first call.
func started(r clients.Result) string {
	if r.FirstCall == 0 {
		return "no"
	}
	return fmt.Sprintf("%.1f s", r.FirstCall)
}

func worked(r clients.Result) string {
	switch {
	case r.Works:
		return "work"
	case r.Slow:
		return "slow"
	}
	return "fail"
}

// reported says what a client reported of its tokens.
func reported(r clients.Result) string {
	if r.Usage == nil {
		return "not reported"
	}
	return fmt.Sprintf("%d in, %d out", r.Usage.Input, r.Usage.Output)
}
