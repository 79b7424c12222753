package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/advice"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/workflow"
	"ferrus/machine/session"
	"ferrus/store"
	"ferrus/ui/text"
)

func inboxCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "inbox",
		Short: "List what needs you, most urgent first",
		Long: `Lists every question, consultation, approval, failure, hold, limit and damaged record
that needs you, with the command for each. HQ lists the same with /inbox.`,
		Example: "  ferrus inbox\n  ferrus inbox --json | jq '.[].kind'",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return runInbox(std, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a list of JSON objects")
	return c
}

func runInbox(std *streams, asJSON bool) error {
	s, err := loadStatus(std)
	var damaged *store.DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	f := s.inboxFacts()
	if err != nil {
		f.Problem = err.Error()
	} else if s.project != nil {
		f.Problem = diskProblem(s.project.Store.Path())
	}
	all := advice.Inbox(s.state.World, f)
	if v := s.stopped; v != nil {
		all = append([]advice.InboxItem{{ID: "pair:" + v.ID, Kind: advice.ItemPair, Since: v.Ended, Text: v.Why,
			Run: "ferrus " + v.Resume[1:]}}, all...)
	}
	if s.project != nil && std.task == "" {
		all = append(append(all, inboxOfQueue(s.project, all, tasksOf(s.project, s.project.OpenTask))...),
			queue.LandingOf(s.state.World)...)
		all = append(all, landingOfWorkflow(s.project, s.result)...)
	}
	if asJSON {
		return std.printJSON(append([]advice.InboxItem{}, all...))
	}
	if len(all) == 0 {
		fmt.Fprintln(std.out, "nothing needs you")
	}
	std.wrapped(func(out io.Writer) {
		for _, i := range all {
			printItem(out, i)
		}
	})
	return nil
}

// landingOfWorkflow returns the item for the result of a workflow that can land; none without an id.
func landingOfWorkflow(pr *project.Task, id string) []advice.InboxItem {
	w, err := workflow.Open(pr).Load(id)
	if id == "" || err != nil {
		return nil
	}
	return []advice.InboxItem{{ID: id + "/landing", Kind: advice.ItemLanding, Do: "/land lands its result",
		Text: w.Title + ": the workflow is completed", Run: "ferrus land",
		Options: []string{"ferrus land"}, Type: "/land"}}
}

// diskProblem says that a directory's disk is full; empty: it is not, or cannot be read.
func diskProblem(dir string) string {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil || !isFull(s) {
		return ""
	}
	return "the disk of " + dir + " is full, so nothing starts: free some space"
}

// isFull reports whether a file system has no blocks left for users, or no files. Some have no limit of
// files, and count none.
func isFull(s syscall.Statfs_t) bool {
	return s.Blocks > 0 && s.Bavail == 0 || s.Files > 0 && s.Ffree == 0
}

// taskStatus is the status of a task in the queue that has a directory of its own.
type taskStatus struct {
	queue.Row
	statusReport
	err error // why it could not be read
}

// tasksOf returns the rows of the queue that are not over, with the status of tasks that have started. Open opens one.
func tasksOf(pr *project.Task, open func(string) (*project.Task, error)) (all []taskStatus) {
	rows, _ := queueRows(pr) // ferrus task says what is wrong with the queue
	for _, r := range rows {
		t := taskStatus{Row: r}
		if r.Dir != "" && !r.Final() && r.Task != "" {
			if of, err := open(r.Dir); err == nil { // as above
				t.statusReport, t.err = readStatus(of)
			}
		}
		all = append(all, t)
	}
	return all
}

// inboxOfQueue returns what needs you in the queue, and in its tasks, but not the trust that the items of the checkout
// ask for already: it holds for the whole project.
func inboxOfQueue(pr *project.Task, checkout []advice.InboxItem, tasks []taskStatus) []advice.InboxItem {
	var rows []queue.Row
	for _, t := range tasks {
		rows = append(rows, t.Row)
	}
	all := queue.Asks(rows, mergeRows(pr))
	for _, t := range tasks {
		if t.project == nil {
			continue
		}
		f := t.inboxFacts()
		if f.Config = ""; t.err != nil { // the project's inbox has what is wrong with ferrus.toml
			f.Problem = t.err.Error()
		}
		for _, item := range advice.Inbox(t.state.World, f) {
			same := func(of advice.InboxItem) bool { return of.Kind == advice.ItemTrust && of.ID == item.ID }
			if slices.ContainsFunc(checkout, same) {
				continue
			}
			item.ID = t.Dir + "/" + item.ID
			item.Text = t.Name() + " " + t.Title + ": " + item.Text
			item.Run = forTask(item.Run, t.N)
			for i, option := range item.Options {
				item.Options[i] = forTask(option, t.N)
			}
			all = append(all, item)
		}
	}
	return append(all, queue.Landings(rows)...)
}

// mergeRows returns what is merged; nil: nothing is, or ferrus task says what is wrong with the queue.
func mergeRows(pr *project.Task) []queue.MergeRow {
	q, err := queue.Open(pr)
	if err != nil {
		return nil
	}
	s, err := q.Load()
	if err != nil {
		return nil
	}
	return s.World.MergeRows(time.Now())
}

// forTask adds --task to each command of ferrus in a line that takes it.
func forTask(line string, n int) string { return advice.ForTask(line, strconv.Itoa(n)) }

// withTask returns an error whose hints name the task that the command was about; without a name, or where the usage is
// wrong, the error itself.
func withTask(err error, name string) error {
	if err == nil || name == "" {
		return err
	}
	f := toExitError(err)
	if f.code == codeUsage || len(f.hints) == 0 {
		return err
	}
	named := *f
	named.hints = nil
	for _, hint := range f.hints {
		named.hints = append(named.hints, advice.ForTask(hint, name))
	}
	return &named
}

// queueNumber returns the number of the queue that a task is named by; empty: it has another name.
func queueNumber(name string) string {
	name = strings.TrimPrefix(name, "#")
	if _, err := strconv.Atoi(name); err != nil {
		return ""
	}
	return name
}

// printItem prints an item, and below it what to do.
func printItem(out io.Writer, i advice.InboxItem) {
	name := string(i.Kind)
	for l := range strings.Lines(text.SanitizeLines(i.Text)) {
		fmt.Fprintf(out, "%-12s %s\n", name, strings.TrimRight(l, "\n"))
		name = ""
	}
	words := i.Run
	if i.Delegated {
		words += ", unless the consultant does"
	}
	if words != "" {
		fmt.Fprintf(out, "%-12s run: %s\n", "", words)
	}
}

// inboxFacts returns what the inbox needs beside the state.
func (s statusReport) inboxFacts() advice.InboxFacts {
	if s.project == nil {
		return advice.InboxFacts{}
	}
	f := advice.InboxFacts{Question: s.question, Consult: s.consult, QueueFacts: queueFacts(s.project)}
	if s.problem != nil {
		f.Config = s.problem.Error()
	}
	if w, err := workflow.Open(s.project).Find(); err == nil {
		f.Workflow = w.Need()
	}
	f.Troubled = s.troubled()
	f.Silent, f.Hosts = s.silent(), s.project.AskedHosts(s.state.World)
	for _, e := range s.registry.Agents {
		if n := e.Counters; e.State == session.Stopped && n != nil && n.Consecutive > 0 && n.Ending == 0 {
			f.Stopped = append(f.Stopped,
				advice.StoppedSession{Slot: e.Slot, Number: e.SessionSeq, Errors: n.Total, Exit: e.Exit,
					Since: e.StartedAt})
		}
	}
	for _, a := range s.project.RecordAlarms() {
		if a.NeedsHuman {
			f.Continued = append(f.Continued, a.Words)
		}
	}
	untrusted, err := s.project.Untrusted(s.state.World)
	if err != nil {
		return f // the problem with ferrus.toml is among the facts
	}
	for _, d := range untrusted {
		f.Untrusted = append(f.Untrusted, d.Lines()...)
	}
	return f
}

// queueFacts returns what all tasks of the queue of a project wait for; nothing for one of the tasks.
func queueFacts(pr *project.Task) (f advice.QueueFacts) {
	if pr.HasDirectory() {
		return f
	}
	q, err := queue.Open(pr)
	if err != nil {
		return f // there is none, or ferrus task says what is wrong with it
	}
	s, err := q.Load()
	if err != nil {
		return f // as above
	}
	now := time.Now()
	for _, a := range s.World.Accounts {
		if a.Until.After(now) {
			f.Accounts = append(f.Accounts, advice.UsedUp{Agent: a.Agent, Since: a.Since, Words: a.Words(now)})
		}
	}
	f.Over = s.World.Over
	return f
}

// silent returns the holder of the lease if it does nothing.
func (s statusReport) silent() *advice.SilentHolder {
	w := s.state.World
	since, is, err := s.project.SilentSince(w, s.config.Lease.TTL())
	if err != nil || !is {
		return nil
	}
	return &advice.SilentHolder{Slot: w.ClaimedSlot(), Name: w.ClaimedBy, Since: since}
}
