package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/workflow"
	"ferrus/store"
	"ferrus/ui/text"
)

func inboxCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "inbox",
		Short: "Show everything that waits for you, most urgent first",
		Long: `Shows every question, consultation, approval, failure, hold, limit and damage
that waits for you, and the command for each. HQ shows the same with /inbox.`,
		Example: "  ferrus inbox\n  ferrus inbox --json | jq '.[].kind'",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return runInbox(std, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "a list of objects")
	return c
}

func runInbox(std *streams, asJSON bool) error {
	s, err := loadStatus()
	var damaged *store.DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	f := s.inboxFacts()
	if err != nil {
		f.Problem = err.Error()
	}
	all := core.Inbox(s.state.World, f)
	if asJSON {
		return std.printJSON(append([]core.InboxItem{}, all...))
	}
	if len(all) == 0 {
		fmt.Fprintln(std.out, "nothing waits for you")
	}
	for _, i := range all {
		printItem(std.out, i)
	}
	return nil
}

// printItem is what an item is, and below what to do.
func printItem(out io.Writer, i core.InboxItem) {
	name := string(i.Kind)
	for l := range strings.Lines(text.SanitizeLines(i.Text)) {
		fmt.Fprintf(out, "%-12s %s\n", name, strings.TrimRight(l, "\n"))
		name = ""
	}
	words := i.Run
	if i.Others {
		words += ", if the consultant does not"
	}
	if words != "" {
		fmt.Fprintf(out, "%-12s run: %s\n", "", words)
	}
}

// inboxFacts are what the inbox needs beside the state.
func (s statusReport) inboxFacts() core.InboxFacts {
	if s.project == nil {
		return core.InboxFacts{}
	}
	f := core.InboxFacts{Question: s.question, Consult: s.consult}
	if s.problem != nil {
		f.Config = s.problem.Error()
	}
	if w, err := workflow.Open(s.project).Find(); err == nil {
		f.Workflow = w.Need()
	}
	for _, e := range s.registry.Agents {
		if n := e.Counters; e.State == "Stopped" && n != nil && n.Consecutive > 0 && n.Ending == 0 {
			f.Stopped = append(f.Stopped, core.StoppedSession{Slot: e.Slot, Number: e.SessionSeq, Errors: n.Total, Exit: e.Exit, Since: e.StartedAt})
		}
	}
	untrusted, err := s.project.Untrusted(s.state.World)
	if err != nil {
		return f // The problem with ferrus.toml is among the facts.
	}
	for _, d := range untrusted {
		f.Untrusted = append(f.Untrusted, d.Lines()...)
	}
	return f
}
