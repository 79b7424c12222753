package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/advice"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/workflow"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

func statusCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the task, the gate, the sessions and what needs you",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return runStatus(std, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print STATE.json, the sessions and the usage as one JSON object")
	return taskFlag(std, c)
}

// statusReport is everything that status prints, read once. It has more than 12 fields because that
// is much.
type statusReport struct {
	project   *project.Task
	state     store.State[core.World]
	registry  project.Registry
	config    config.Config
	problem   error      // with ferrus.toml
	conductor int        // pid; 0 when there is none
	pair      int        // pid; 0 when none runs
	stopped   *pair.View // the pair that waits for you, or nil
	cut       string     // the id of a pair whose process ended in the middle of it; empty: none
	question  string
	consult   string
	use       taskUsage
	workflow  *workflow.Workflow // the open one, or nil
	result    string             // the id of a workflow that has ended and can land; empty: none
	queued    []queue.Row        // the open tasks with a directory of their own, for the project
	leftovers []pair.Leftover    // of pairs that were killed
	gateWaits string             // why the gate that runs has not started; empty: it has
	now       time.Time
}

func runStatus(std *streams, asJSON bool) error {
	s, err := loadStatus(std)
	if err != nil {
		return err
	}
	if asJSON {
		return s.json(std)
	}
	std.wrapped(s.print)
	return nil
}

func loadStatus(std *streams) (s statusReport, err error) {
	p, err := std.chosen(openProject())
	if err != nil {
		return s, err
	}
	return readStatus(p)
}

// readStatus reads the files of a project, and runs nothing.
func readStatus(p *project.Task) (s statusReport, err error) {
	s.project = p
	if !p.HasDirectory() {
		s.queued, _ = queueRows(p) // ferrus task says what is wrong with the queue
		s.queued = slices.DeleteFunc(s.queued, func(r queue.Row) bool { return r.Dir == "" || r.Final() })
	}
	if s.state, err = s.project.World(); err != nil {
		return s, err
	}
	if s.registry, err = s.project.Registry(); err != nil {
		return s, err
	}
	s.registry.Agents = slices.DeleteFunc(s.registry.Agents, s.isGone)
	if pid, held, err := s.project.Main().Store.Holder(project.ConductorLock); err != nil {
		return s, err
	} else if held {
		s.conductor = max(pid, 1)
	}
	if !p.HasDirectory() {
		if running, runs := errors.AsType[*project.PairRunningError](p.CheckNoPair()); runs {
			s.pair = max(running.PID, 1)
		} else if v, ok := pair.Waiting(s.project, s.state.World.Since); ok {
			s.stopped = &v
		} else {
			s.cut = pair.Interrupted(s.project)
		}
	}
	s.use = taskUsage{TaskUsage: project.SumUsage(nil), Sessions: []project.Ended{}}
	if t := s.state.World.Task; t != nil {
		if s.use, err = readUsage(s.project, t.ID); err != nil {
			return s, err
		}
	}
	b := workflow.Open(s.project)
	if w, err := b.Find(); err == nil {
		s.workflow = &w
	} else if !errors.Is(err, workflow.ErrNoneOpen) {
		return s, err
	} else if s.result, err = b.Result(); err != nil {
		return s, err
	}
	if s.leftovers, err = pair.Leftovers(s.project); err != nil {
		return s, err
	}
	if s.state.World.GateRunning() {
		s.gateWaits = gate.WaitsFor(s.project, s.state.World.Gate.Ticket)
	}
	s.config, s.problem = s.project.Config()
	s.now = time.Now()
	if w := s.state.World; questionOpen(w) {
		s.question, err = s.project.Store.ReadText(s.state, core.QuestionText)
	} else if consultOpen(w) {
		s.consult, err = s.project.Store.ReadText(s.state, core.ConsultRequestText)
	}
	if t := s.state.World.Task; t != nil {
		s.question, s.consult = shorten(s.question, t.ID), shorten(s.consult, t.ID)
	}
	return s, err
}

// json prints one object: the fields of STATE.json, then the fields of the registry.
func (s statusReport) json(std *streams) error {
	all := map[string]any{}
	for _, part := range []any{s.state.World, s.registry} {
		data, err := json.Marshal(part)
		if err != nil {
			return fmt.Errorf("show the status: %w", err)
		}
		fields := map[string]any{}
		if err := json.Unmarshal(data, &fields); err != nil {
			return fmt.Errorf("show the status: %w", err)
		}
		maps.Copy(all, fields)
	}
	maps.Copy(all, map[string]any{
		"schema_version": s.state.Schema, "seq": s.state.Seq, "updated_at": s.state.UpdatedAt,
		"owner_pid": s.state.OwnerPID,
		"docs":      s.state.Docs, "project": s.project.Dir, "conductor": s.conductor,
		"next": advice.Next(s.state.World, project.HumanActor()),
		"used": s.use, "leftovers": s.leftovers,
	})
	if w := s.workflow; w != nil {
		all["workflow"] = map[string]any{"id": w.ID, "type": w.Type, "title": w.Title, "phase": w.Phase,
			"since": w.Since, "asks": w.Asks()}
	}
	for _, list := range []string{"agents", "wants"} {
		if all[list] == nil {
			all[list] = []any{}
		}
	}
	return std.printJSON(all)
}

// print prints a line for each fact.
func (s statusReport) print(out io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-10s %s\n", name, strings.TrimSpace(text.Sanitize(fmt.Sprintf(format, args...))))
	}
	w := s.state.World
	line("project", "%s", s.project.Dir)
	line("state", "%s%s", w.State, s.since(w.Since))
	for _, r := range s.queued {
		line("task "+r.Name(), "%s  %s", r.Title, cmp.Or(r.Why, string(r.Task)))
	}
	if f := s.workflow; f != nil {
		line("workflow", "%s %s: %s%s", f.Type, f.Title, f.Phase, s.since(f.Since))
	}
	if w.Task != nil {
		line("task", "%s  (%s)", w.Task.Title, w.Task.ID)
		line("limits", "checks %d/%d  reviews %d/%d", w.CheckRetries, s.config.Limits.MaxCheckRetries, w.ReviewCycles,
			s.config.Limits.MaxReviewCycles)
	}
	s.workspace(line)
	if w.TaskMilestone != "" {
		line("from", "%s of %s", w.TaskMilestone, w.TaskSpec)
	}
	if w.SelectedSpec != "" {
		line("milestone", "%s of %s (selected)", cmp.Or(w.SelectedMilestone, "none"), w.SelectedSpec)
	}
	if w.State == task.Failed && w.FailureReason != "" {
		line("failure", "%s", w.FailureReason)
	}
	if w.Gate != nil {
		line("gate", "%s", gateLine(s.project.Dir, *w.Gate, s.gateWaits))
	}
	s.printEvidence(line)
	s.use.lines(line)
	if w.ClaimedBy != "" {
		line("lease", "%s%s%s", w.ClaimedBy, s.remaining(w.LeaseUntil), outside(w.Claim))
	}
	if h := s.silent(); h != nil {
		line("silent", "%s%s; ferrus resume --take gives its work to a new session", h.Name, s.since(h.Since))
	}
	if w.Hold != nil {
		line("hold", "%s, by %s%s", w.Hold.Reason, core.NameOf(w.Hold.By), s.since(w.Hold.Since))
		if w.Hold.Cause != "" {
			line("because", "%s", w.Hold.Cause)
		}
	}
	s.openQuestion(out, line)
	s.sessions(line)
	if s.problem != nil {
		line("problem", "%v", s.problem)
	}
	if next := s.next(); next != "" {
		line("next", "%s", next)
	}
}

// workspace prints where the work is: in a worktree, landed, or in your checkout.
func (s statusReport) workspace(line func(string, string, ...any)) {
	switch t := s.state.World.Task; {
	case s.problem == nil && !s.config.HQ.Worktree() && (t == nil || t.Workspace == nil && t.Landed == nil):
		line("workspace", "here: agents change the files of your checkout, one task at a time")
	case t == nil:
	case t.Landed != nil:
		line("landed", "%.12s %s", t.Landed.Commit, t.Landed.Onto)
	case t.Workspace != nil:
		line("worktree", ".ferrus/%s on %s, from %s", t.Workspace.Dir, t.Workspace.Branch,
			cmp.Or(t.Workspace.From, "no branch"))
	}
}

// printEvidence prints the test counts, the alarms, and the commands that keep the gate from
// running.
func (s statusReport) printEvidence(line func(string, string, ...any)) {
	w := s.state.World
	if w.Gate != nil {
		if record, err := gate.Read(s.project, w.Gate.Ticket); err == nil {
			if tests := record.Tests(); tests != nil {
				line("tests", "%s", tests)
			}
			if record.Sandbox.Kind != "" {
				line("sandbox", "%s", record.Sandbox.Describe())
			}
		}
	}
	if w.Task != nil && w.Task.Base.Red != "" && w.State != task.Complete {
		line("base", "failed before the task started: %s", w.Task.Base.Red)
	}
	if w.Submission != nil && w.State != task.Complete {
		for _, a := range w.Submission.Alarms {
			line(map[bool]string{true: "ALARM", false: "note"}[a.NeedsHuman], "%s", a)
		}
	}
	for _, a := range s.project.AskedHosts(w) {
		line("host", "%s: %s", a.Host, a.Words())
	}
	untrusted, err := s.project.Untrusted(w)
	if err != nil {
		return // the problem with ferrus.toml is printed
	}
	for _, d := range untrusted {
		line("untrusted", "%s; trust them with: ferrus trust", strings.Join(d.Lines(), "; "))
	}
}

func (s statusReport) openQuestion(out io.Writer, line func(string, string, ...any)) {
	who, words := "", s.question
	switch {
	case s.question != "":
		who = string(s.state.World.Question.Role) + " asks you"
	case s.consult != "":
		who, words = "the executor asks the supervisor", s.consult
	default:
		return
	}
	line("question", "%s:", who)
	for l := range strings.Lines(text.SanitizeLines(words)) {
		fmt.Fprintf(out, "%-10s %s\n", "", strings.TrimRight(l, "\n"))
	}
}

func gateLine(project string, g core.Gate, waits string) string {
	verdict := cmp.Or(string(g.Verdict), waits, "running")
	s := fmt.Sprintf("check %d  %s", g.Attempt, verdict)
	if g.Log != "" {
		s += "  " + fromHere(project, g.Log)
	}
	return s
}

// since returns how long a state has lasted.
func (s statusReport) since(t time.Time) string {
	if t.IsZero() || t.After(s.now) {
		return ""
	}
	return "  for " + s.now.Sub(t).Round(time.Second).String()
}

func (s statusReport) remaining(until *time.Time) string {
	switch {
	case until == nil:
		return ""
	case until.Before(s.now):
		return "  expired"
	}
	return fmt.Sprintf("  %s left", until.Sub(s.now).Round(time.Second))
}
