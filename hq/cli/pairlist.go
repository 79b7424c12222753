package cli

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/ui/text"
)

// pairPrinter prints a run: a line for each step, and below it what the agents print.
type pairPrinter struct {
	*streams
	json bool
}

func (t *pairPrinter) head(m *pair.Manifest) {
	if t.json {
		return
	}
	who := m.Primary
	if m.Secondary != "" {
		who += " and " + m.Secondary
	}
	fmt.Fprintln(t.out, text.Sanitize(fmt.Sprintf("%s  %s  %s  %s", m.ID, m.Mode, who, core.TaskTitle(m.Task))))
}

func (t *pairPrinter) event(e pair.Event) {
	switch {
	case e.Notice != "":
		fmt.Fprintln(t.err, "ferrus: "+text.Sanitize(e.Notice))
	case t.json && e.Entry != nil:
		writeJSON(t.out, e.Entry, "") //nolint:errcheck // as the other lines
	case t.json:
	case e.Entry != nil:
		if line := stepLine(*e.Entry); line != "" {
			fmt.Fprintln(t.out, line)
		}
	case e.Line != "":
		fmt.Fprintln(t.out, "    "+text.Sanitize(e.Line))
	}
}

// stepLine formats a step; it is empty for one that says nothing new.
func stepLine(e pair.Entry) string {
	what, move, more := string(e.Event), "", ""
	switch e.Type {
	case "state":
		move = string(e.From)
		if e.From != e.To {
			move += " -> " + string(e.To)
		}
		more = stepDetail(e)
	case "prompt":
		what, more = "turn "+fmt.Sprint(e.Turn), fmt.Sprintf("%s (%s)", e.Name, e.Agent)
	case "session":
		what, more = "session", fmt.Sprintf("%s (%s) failed: %s", e.Name, e.Agent, e.Text)
		if e.Parked {
			more = fmt.Sprintf("%s (%s) %s", e.Name, e.Agent, e.Text)
		}
	case "resumed":
		what, move = "resumed", string(e.To)
	default:
		return ""
	}
	s := fmt.Sprintf("%s %-12s %-24s %-3d %s", e.At.Local().Format(time.TimeOnly), what, move, e.Iteration, more)
	return strings.TrimRight(text.Sanitize(s), " ")
}

func stepDetail(e pair.Entry) string {
	parts := []string{}
	for _, part := range []string{e.Name, e.Verdict} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n"); first != "" && first != e.Verdict {
		if e.Verdict != "" && strings.HasPrefix(first, e.Verdict) {
			parts = parts[:len(parts)-1]
		}
		parts = append(parts, first)
	}
	return strings.Join(parts, "  ")
}

func (t *pairPrinter) tail(m *pair.Manifest) {
	if !t.json {
		fmt.Fprintf(t.out,
			"the run is complete: iteration %d of %d, tree %.12s, transcript "+
				".ferrus/runs/%s/transcript.jsonl\n", m.Iteration, m.MaxIterations, m.Tree, m.ID)
	}
}

func localTime(at *time.Time) string {
	if at == nil {
		return "an unknown time"
	}
	return at.Local().Format("2006-01-02 15:04")
}

func listPairs(std *streams, asJSON bool) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	all, err := pair.List(pr)
	if err != nil {
		return err
	}
	if asJSON {
		return writePairs(std, all)
	}
	if len(all) == 0 {
		fmt.Fprintln(std.out, "no runs yet")
	}
	for _, m := range all {
		state := string(m.State)
		if m.Error != "" {
			state += " (" + m.Error + ")"
		}
		agents := m.Primary
		if m.Secondary != "" {
			agents += ", " + m.Secondary
		}
		fmt.Fprintln(std.out,
			strings.TrimRight(text.Sanitize(fmt.Sprintf("%s  %-9s %3d/%-3d %-24s  %s  %s", m.ID, m.Mode, m.Iteration,
				m.MaxIterations, agents, state, core.TaskTitle(m.Task))), " "))
	}
	return nil
}

// pairJSON is a run in lists.
type pairJSON struct {
	ID            string     `json:"id"`
	Title         string     `json:"title"`
	State         string     `json:"state"`
	ResumeState   string     `json:"resume_state,omitempty"`
	Error         string     `json:"error,omitempty"`
	Mode          string     `json:"mode"`
	Primary       string     `json:"primary_agent"`
	Secondary     string     `json:"secondary_agent,omitempty"`
	Iteration     int        `json:"current_iteration"`
	MaxIterations int        `json:"max_iterations"`
	CreatedAt     time.Time  `json:"created_at"`
	CompletedAt   *time.Time `json:"completed_at,omitempty"`
}

func writePairs(std *streams, all []pair.Manifest) error {
	runs := []pairJSON{}
	for _, m := range all {
		runs = append(runs, pairJSON{
			ID: m.ID, Title: core.TaskTitle(m.Task), State: string(m.State), ResumeState: string(m.ResumeState),
			Error: m.Error, Mode: string(m.Mode),
			Primary: m.Primary, Secondary: m.Secondary, Iteration: m.Iteration, MaxIterations: m.MaxIterations,
			CreatedAt: m.CreatedAt, CompletedAt: m.CompletedAt,
		})
	}
	return std.printJSON(map[string]any{"runs": runs})
}
