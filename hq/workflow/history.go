package workflow

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/regular"
	"ferrus/hq/advice"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// Describe tells the human, as Markdown, where a workflow stands: who must act, the
// phases with the present one, where it can go from there and what is missing for
// each, and what was recorded. Next is what [PlanNext] says of it.
func (b *Store) Describe(w Workflow, next Next) string { return w.describe(next, b.reading(w)) }

func (w Workflow) describe(next Next, reading string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s, %s since %s\n", w.Type, w.Title, w.ID, w.Phase,
		w.Since.Local().Format("2006-01-02 15:04"))
	section(&b, "Now", w.now(next))
	section(&b, "Phases", "```\n"+w.Diagram()+"```")
	section(&b, "Tasks", w.taskList())
	section(&b, "Recorded", w.recorded())
	if reading != "" {
		fmt.Fprintf(&b, "\n---\n\n%s\n", reading)
	}
	return b.String()
}

// now is who must act, and how.
func (w Workflow) now(next Next) string {
	who := map[machine.Role]string{machine.Human: "**You**", machine.Ferrus: "ferrus",
		machine.Supervisor: "the supervisor", machine.Executor: "the executor"}[next.Role]
	words := w.Words(next)
	if who != "" {
		words = who + ": " + words
	}
	for _, how := range advice.WorkflowUsage(w.answers()) {
		words += "\n- `" + how + "`"
	}
	return words
}

// Words returns what is waited for in the next step, in words.
func (w Workflow) Words(next Next) string {
	if next.Do == DoSession && next.Role == machine.Supervisor {
		return "records " + strings.Join(w.wanted(), ", ")
	}
	return next.WaitingFor
}

// wanted returns the evidence that a session can give in the phase.
func (w Workflow) wanted() []string {
	var all []string
	for _, e := range w.Flow().Phase(w.Phase).Takes {
		all = append(all, string(e))
	}
	switch w.Flow().Phase(w.Phase).Run {
	case flow.RunReview:
		return []string{"a verdict for each dimension: " + strings.Join(w.Required, ", ")}
	case flow.RunTasks:
		return []string{"the tasks"}
	}
	return all
}

// Diagram draws the phases, one a line, in their compounds, and below the present
// one where it can go, with what is missing for it.
func (w Workflow) Diagram() string {
	var b strings.Builder
	f, in := w.Flow(), machine.State("")
	for _, p := range f.Phases {
		if p.In != in {
			in = p.In
			if in != "" {
				fmt.Fprintf(&b, "  %s%s\n", in, w.cycles(f.Compound(in)))
			}
		}
		indent, mark := "  ", "  "
		if in != "" {
			indent = "    "
		}
		if p.ID == w.Phase {
			mark = "> "
		}
		line := fmt.Sprintf("%s%-*s %-10s %s", mark, 24-len(indent), p.ID, actors[p.Run], onward(f, p.ID))
		fmt.Fprintf(&b, "%s%s\n", indent, strings.TrimRight(line, " "))
		if p.ID != w.Phase {
			continue
		}
		for _, way := range f.Ways(w.Snap(), machine.Ferrus, w.Facts(Observed{})) {
			fmt.Fprintf(&b, "%s    -> %s%s\n", indent, way.To, missingGuards(way))
		}
	}
	return b.String()
}

// actors names who works on a phase.
var actors = map[flow.Run]string{
	flow.RunAgent: "supervisor", flow.RunEdit: "supervisor", flow.RunReview: "supervisor",
	flow.RunHuman: "you", flow.RunTasks: "executor", flow.RunGate: "ferrus", flow.RunPublish: "ferrus",
}

// onward returns the phases that follow one, without blocked.
func onward(f *flow.Flow, from machine.State) string {
	var all []string
	for _, e := range f.Edges() {
		if to := string(e.To); e.From == from && e.To != flow.Blocked && !slices.Contains(all, to) {
			all = append(all, to)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "-> " + strings.Join(all, ", ")
}

// cycles says how often a compound with a limit was gone through.
func (w Workflow) cycles(c flow.Compound) string {
	if c.Cycles == 0 || w.Flow().Phase(w.Phase).In != c.ID {
		return ""
	}
	return fmt.Sprintf("  fix cycle %d of %d", w.Counters.Cycles, c.Cycles)
}

func missingGuards(w flow.Way) string {
	if len(w.Failed) == 0 {
		return "  open"
	}
	all := make([]string, len(w.Failed))
	for i, f := range w.Failed {
		all[i] = f.Guard
	}
	return "  missing: " + strings.Join(all, ", ")
}

func (w Workflow) taskList() string {
	var b strings.Builder
	for _, t := range w.Tasks {
		fmt.Fprintf(&b, "- %s %s: %s", t.ID, t.Title, strings.ReplaceAll(t.Status, "_", " "))
		if len(t.After) > 0 {
			fmt.Fprintf(&b, ", after %s", strings.Join(t.After, ", "))
		}
		if t.Why != "" {
			fmt.Fprintf(&b, " (%s)", t.Why)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// recorded names the evidence, without the texts.
func (w Workflow) recorded() string {
	var all []string
	add := func(format string, args ...any) { all = append(all, "- "+fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(w.Artifacts)) {
		add("%s", name)
	}
	if w.Track != "" {
		add("track %s", w.Track)
	}
	for _, name := range w.Required {
		if r, ok := w.Reviews[name]; ok {
			add("%s: %s by %s", name, r.Status, r.By)
		}
	}
	if p := w.PlanReview; p != nil && p.Approved {
		add("the plan is approved by %s", p.By)
	}
	if n := w.SentBack(); n > 0 {
		add("plan sent back %d of %d times", n, flow.RevisionLimit)
	}
	if s := w.Synthesis; s != nil && s.PRURL != "" {
		add("published: %s", s.PRURL)
	}
	for _, s := range w.Compensation {
		add("compensation %s: %s", s.ID, s.Status)
	}
	return strings.Join(all, "\n")
}

// reading returns what the human has to read before an answer: the plan, else what was
// found.
func (b *Store) reading(w Workflow) string {
	if w.Flow().Phase(w.Phase).Run != flow.RunHuman {
		return ""
	}
	if w.Phase == flow.Blocked {
		return w.Notes
	}
	return b.artifact(w.Artifacts["plan"])
}

// artifact returns the text that an artifact names, if it is the path of a file of the
// project that can be read, and else the artifact itself.
func (b *Store) artifact(name string) string {
	if strings.ContainsRune(name, '\n') || !filepath.IsLocal(name) {
		return name
	}
	root, err := os.OpenRoot(b.Project.Dir)
	if err != nil {
		return name
	}
	defer root.Close()
	file, err := regular.OpenIn(root, name)
	if err != nil {
		return name
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, artifactLimit))
	if err != nil {
		return name
	}
	return name + "\n\n" + string(text)
}
