package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"ferrus/checks"
	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/merge"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/workflow"
	"ferrus/store"
)

// Selection is a scheduler with one of its tasks selected: what is about a task is about that
// one. Nothing selected, it is the task whose record is .ferrus, or where that has nothing to
// show, the first one that works. Make it with [Select]; its methods are as safe as the
// conductor's.
type Selection struct {
	*Scheduler
	chosen atomic.Pointer[string] // the directory that you selected; nil: none
	wanted atomic.Bool            // a session was asked for in your checkout, and none runs there yet

	screens *screens
	screen  *screen
}

// Select returns a scheduler with none of its tasks selected yet.
func Select(of *Scheduler) *Selection { return newSelection(of, &screens{}) }

func newSelection(of *Scheduler, all *screens) *Selection {
	return &Selection{Scheduler: of, screens: all, screen: all.add()}
}

// Another returns a selection for one more screen: what is selected there changes nothing here. Call leave once the
// screen is gone.
func (s *Selection) Another() (another *Selection, leave func()) {
	another = newSelection(s.Scheduler, s.screens)
	return another, func() { s.screens.remove(another.screen) }
}

// SelectTask selects a task by its directory; empty is the one whose record is .ferrus.
func (s *Selection) SelectTask(dir string) {
	s.chosen.Store(&dir)
	s.screens.show(s.screen, s.task())
	s.NotifyChanged()
}

// task returns the conductor of the selected task.
func (s *Selection) task() *conductor.Conductor { return s.taskIn(s.Scheduler.View()) }

// taskIn is task for a caller that has the view of the project's conductor.
func (s *Selection) taskIn(v conductor.View) *conductor.Conductor {
	if v.Works() {
		s.wanted.Store(false)
	}
	shows := v.Works() || v.State.World.Task != nil || s.wanted.Load()
	if dir := s.chosen.Load(); dir != nil {
		c := s.Task(*dir)
		switch {
		case c != nil:
			return c
		case *dir == "" && shows:
			return s.Conductor
		}
		s.chosen.CompareAndSwap(dir, nil) // it has ended
	}
	if shows {
		return s.Conductor
	}
	for _, needs := range []bool{true, false} {
		for _, row := range v.Tasks {
			switch c := s.Task(row.Dir); {
			case row.Needs != needs:
			case c != nil:
				s.chosen.CompareAndSwap(nil, &row.Dir) // what is read now is what a command is about
				return c
			case s.tasks.isStarting(row.Dir): // it is selected then, however long the others take
				return s.Conductor
			}
		}
	}
	return s.Conductor
}

// View returns what can be seen of the selected task, with what is the project's.
func (s *Selection) View() conductor.View {
	all := s.Scheduler.View()
	c := s.taskIn(all)
	s.screens.show(s.screen, c)
	if c == s.Conductor {
		all.OtherSessions, all.Selected = s.othersThan(c), mainRow(all.Tasks)
		if all.Selected == "." {
			all.Checkout = checkoutWords(all)
		}
		return all
	}
	v := c.View()
	v.OtherSessions = s.othersThan(c)
	v.Merges, v.Proving = all.Merges, all.Proving
	v.Tasks, v.Selected = all.Tasks, c.Project.ID
	if all.Works() {
		v.Checkout = checkoutWords(all)
	}
	if mainRow(all.Tasks) == "." { // else its row says what it needs
		v.CheckoutNeeds = all.OfSessions()
	}
	v.State.World.SelectedSpec = all.State.World.SelectedSpec
	v.State.World.SelectedMilestone = all.State.World.SelectedMilestone
	v.Branch, v.Spec, v.ConfigError, v.Moved, v.Walls = all.Branch, all.Spec, all.ConfigError, all.Moved, all.Walls
	v.Workflow, v.Next, v.WorkflowJournal = all.Workflow, all.Next, all.WorkflowJournal
	v.Hosts = slices.Concat(v.Hosts, slices.DeleteFunc(slices.Clone(all.Hosts), func(a advice.AskedHost) bool {
		return a.Answer != "" || slices.ContainsFunc(v.Hosts, func(b advice.AskedHost) bool { return a.Host == b.Host })
	}))
	v.Asking, v.Daemons, v.Accounts, v.Over = all.Asking, all.Daemons, all.Accounts, all.Over
	v.Notices = slices.SortedStableFunc(slices.Values(slices.Concat(all.Notices, v.Notices)),
		func(a, b notice.Notice) int { return cmp.Compare(a.Number, b.Number) })
	return v
}

// checkoutWords says what happens in your checkout for a task that is not in the queue; empty: nothing.
func checkoutWords(v conductor.View) string {
	switch {
	case v.Pair != nil && v.Pair.Running:
		return "a pair works"
	case v.State.World.Task != nil:
		return string(v.State.World.State)
	case slices.ContainsFunc(v.Panes, plans):
		return "a supervisor plans with you"
	case v.Works():
		return "a session works"
	}
	return ""
}

// plans reports a session that plans with you.
func plans(p conductor.PaneView) bool {
	return p.PID != 0 && p.Slot == core.SlotPlanner && p.Mode != core.ModePhase
}

// mainRow returns what the row of the task whose record is .ferrus is selected by: its directory,
// which is empty, or "." if it has no row.
func mainRow(rows []queue.Row) string {
	if slices.ContainsFunc(rows, func(r queue.Row) bool { return r.Dir == "" && r.Item.Task != "" && !r.Final() }) {
		return ""
	}
	return "."
}

// othersThan counts the sessions that run for the tasks of other conductors.
func (s *Selection) othersThan(c *conductor.Conductor) (n int) {
	for _, other := range append(s.tasks.each(), s.Conductor) {
		if other != c {
			n += other.SessionsRunning()
		}
	}
	return n
}

// Do executes a command on the selected task as the human.
func (s *Selection) Do(ctx context.Context, command core.Command) (core.Result, error) {
	if command.Kind == core.KindCreateTask {
		if v := s.Scheduler.View(); !command.Changes && (v.Workflow == nil || v.Workflow.IsFinal()) {
			r, queued, err := queue.Create(ctx, s.Project, store.Call{}, project.HumanOf(ctx), command.Text)
			if queued || err != nil {
				return r, err
			}
		}
		s.SelectTask("")
	}
	return s.task().Do(ctx, command)
}

// WholeRequest returns all of what a request of the selected task wants.
func (s *Selection) WholeRequest(number uint64) (string, error) {
	return s.Selected().WholeRequest(number)
}

// Want asks for a supervisor's session, or a free one, in your checkout.
func (s *Selection) Want(w core.Request) error {
	return s.showCheckout(s.Conductor.Want(w))
}

// Pair starts a run of two agents in your checkout, or continues one.
func (s *Selection) Pair(ctx context.Context, q pair.Request) (string, error) {
	words, err := s.Conductor.Pair(ctx, q)
	return words, s.showCheckout(err)
}

// StartWorkflow starts a workflow, whose first session works in your checkout.
func (s *Selection) StartWorkflow(ctx context.Context, kind, title string) (workflow.Workflow, error) {
	w, err := s.Conductor.StartWorkflow(ctx, kind, title)
	return w, s.showCheckout(err)
}

// showCheckout selects what works in your checkout, unless it could not be started.
func (s *Selection) showCheckout(err error) error {
	if err == nil {
		s.wanted.Store(true)
		s.SelectTask("")
	}
	return err
}

// Start starts the session of one slot of the selected task.
func (s *Selection) Start(slot core.Slot) error { return s.task().Start(slot) }

// TakeLease takes the work of a slot from the session that has it, and starts another.
func (s *Selection) TakeLease(ctx context.Context, slot core.Slot) error {
	return s.task().TakeLease(ctx, slot)
}

// Resume continues the selected task. After /quit it continues all tasks that it held, also where the selected one
// is on no hold.
func (s *Selection) Resume(ctx context.Context) (string, error) {
	c := s.task()
	held, quit := c.View().State.World.Hold != nil, heldByQuit(c)
	words, err := c.Resume(ctx)
	if err != nil || held && !quit {
		return words, err
	}
	continued := 0
	for _, other := range append(s.tasks.each(), s.Conductor) {
		if other != c && heldByQuit(other) {
			_, more := other.Resume(ctx)
			err = errors.Join(err, more)
			continued++
		}
	}
	switch {
	case held || continued == 0:
	case continued == 1:
		words = "1 task continues"
	default:
		words = fmt.Sprintf("%d tasks continue", continued)
	}
	return words, err
}

// heldByQuit reports whether quitting put the task of a conductor on hold.
func heldByQuit(c *conductor.Conductor) bool {
	hold := c.View().State.World.Hold
	return hold != nil && hold.Reason == core.HoldQuit
}

// SendMessage leaves a message for a slot of the selected task.
func (s *Selection) SendMessage(slot core.Slot, text string) (string, error) {
	return s.task().SendMessage(slot, text)
}

// SwitchScreen continues a session of the selected task on its program's own screen, or back.
func (s *Selection) SwitchScreen(slot core.Slot) (string, error) { return s.task().SwitchScreen(slot) }

// Stop stops the selected task.
func (s *Selection) Stop(ctx context.Context) error { return s.task().Stop(ctx) }

// SetModel gives a role of the selected task another model.
func (s *Selection) SetModel(role, model string) error { return s.task().SetModel(role, model) }

// SwitchAgent gives a role of the selected task another agent.
func (s *Selection) SwitchAgent(role, agent string) error { return s.task().SwitchAgent(role, agent) }

// CheckForce runs the check commands on the selected task for the screen alone.
func (s *Selection) CheckForce(ctx context.Context) error { return s.task().CheckForce(ctx) }

// CheckCancel cancels the gate of the selected task. It counts nothing.
func (s *Selection) CheckCancel(ctx context.Context) error {
	_, err := s.task().Do(ctx, core.Command{Kind: core.KindCheckCancelled})
	return err
}

// Trust trusts the commands that were shown, for all tasks.
func (s *Selection) Trust(ctx context.Context, shown []string) error {
	c := s.task()
	err := c.Trust(ctx, shown)
	if c != s.Conductor {
		s.ReadTrust(false)
	}
	for _, other := range s.tasks.each() {
		if other != c {
			other.ReadTrust(true)
		}
	}
	return err
}

// LandPlan returns what would land of the selected task.
func (s *Selection) LandPlan(ctx context.Context, o land.Options) (land.Plan, error) {
	return merge.PlanLanding(ctx, s.Selected(), "", o)
}

// Land lands the selected task.
func (s *Selection) Land(ctx context.Context, o land.Options) (land.Done, error) {
	defer s.ReadCheckout()
	return s.task().Land(ctx, o)
}

// Input sends bytes to the agent of a slot of the selected task.
func (s *Selection) Input(slot core.Slot, data []byte) { s.task().Input(slot, data) }

// InputTo sends bytes to the agent of a slot of a task, by its directory, as long as it is not over.
func (s *Selection) InputTo(dir string, slot core.Slot, data []byte) {
	c := s.Conductor
	if dir != "" {
		c = s.Task(dir)
	}
	if c != nil {
		c.Input(slot, data)
	}
}

// Resize gives the pane of a slot a new size, in whichever task is selected.
func (s *Selection) Resize(slot core.Slot, columns, rows int) {
	s.screens.resize(s.screen, s.task(), slot, [2]int{columns, rows})
}

// ReadEntry reads what belongs to an entry of the selected task's journal.
func (s *Selection) ReadEntry(seq uint64) (journal.Detail, error) { return s.task().ReadEntry(seq) }

// Diff reads what the selected task has changed so far, or had changed when it was completed: since it
// began or, with a round above 0, since that round of comments.
func (s *Selection) Diff(ctx context.Context, round int) (project.CommentedDiff, error) {
	return s.Selected().CommentedDiff(ctx, round, diffLimits)
}

// WorkIn is like [project.Task.WorkIn] for the selected task.
func (s *Selection) WorkIn() (dir string, env []string, err error) { return s.Selected().WorkIn() }

// AnswerHost notes what you say of a host that programs of the selected task asked for, or the checks of a merge.
func (s *Selection) AnswerHost(host string, answer advice.HostAnswer) (advice.AskedHost, error) {
	of := s.Selected()
	answered, err := of.AnswerHost(host, answer)
	for _, a := range s.mergeHosts(of) {
		if a.Host == host && err == nil {
			_, err = s.Project.AnswerHost(host, answer)
		}
	}
	return answered, err
}

// mergeHosts returns the hosts that the checks of a merge asked for, where the view is of another task than the
// project's.
func (s *Selection) mergeHosts(of *project.Task) []advice.AskedHost {
	if of == s.Project {
		return nil
	}
	all := slices.Clone(s.Scheduler.View().Hosts)
	return slices.DeleteFunc(all, func(a advice.AskedHost) bool { return a.Answer != "" })
}

// Selected returns the selected task.
func (s *Selection) Selected() *project.Task { return s.task().Project }

// diffLimits bounds a diff on the screen: more than a human reads.
var diffLimits = checks.PatchLimits{File: 256 << 10, All: 4 << 20, Files: 2000}
