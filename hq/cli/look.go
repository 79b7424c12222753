package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq"
	"ferrus/store"
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

func (p *program) logCommand() *cobra.Command {
	var asJSON bool
	var last int
	c := &cobra.Command{
		Use:     "log",
		Short:   "Show the journal: every change of state and who made it",
		Example: "  ferrus log -n 20\n  ferrus log --json | jq .event",
		Args:    no,
		RunE:    func(*cobra.Command, []string) error { return p.log(asJSON, last) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object per line, as in .ferrus/journal.jsonl")
	c.Flags().IntVarP(&last, "lines", "n", 0, "only the last lines")
	return c
}

func (p *program) log(asJSON bool, last int) error {
	pr, err := open()
	if err != nil {
		return err
	}
	lines, err := pr.Store.Journal(0)
	if err != nil {
		return err
	}
	if last > 0 && len(lines) > last {
		lines = lines[len(lines)-last:]
	}
	if asJSON {
		return writeJSON(p.out, lines)
	}
	day := ""
	for _, l := range lines {
		if d := l.At.Local().Format("Monday, 2 January 2006"); d != day {
			fmt.Fprintln(p.out, d)
			day = d
		}
		fmt.Fprintf(p.out, "%6d  %s\n", l.Seq, sentence(l))
	}
	return nil
}

func writeJSON(w io.Writer, lines []store.Line) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, l := range lines {
		if err := e.Encode(l); err != nil {
			return fmt.Errorf("write the journal: %w", err)
		}
	}
	return nil
}

// sentence is one line of the journal for a person: when, what, from where to
// where, who and why.
func sentence(l store.Line) string {
	move := l.From
	if l.From != l.To {
		move = l.From + " -> " + l.To
	}
	s := fmt.Sprintf("%s %-16s %-28s %s", l.At.Local().Format(time.TimeOnly), l.Event, move, l.By)
	if l.Why != "" {
		s += "  " + l.Why
	}
	return strings.TrimRight(ui.Clean(s), " ")
}
