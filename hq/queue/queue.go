// Package queue keeps the tasks of a project that wait for their turn, in its own store,
// .ferrus/queue.
//
// [OpenOrCreate] makes the queue on its first use, and [Open] opens one that exists. The human adds
// and orders items; [Queue.Reconcile] does ferrus's part: it starts the next item, and notices how
// it ended. Each change is one row of the table in machine/queue, and one event of the journal.
//
// The queue does not copy the state of a task. What a row needs is read from the task's own
// record at each step, so a crash between the two is repaired by reading again: an item
// whose turn came but that has no task is started again, and one whose task exists is found
// by the number in the task.
//
// With [hq] workspace = "worktree" each task has its own directory and worktree, and up to
// [limits] max_parallel_tasks of them run at a time. Otherwise tasks run one at a time in your
// checkout, and are recorded in .ferrus itself.
package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/store"
)

// Dir is the directory of the queue, below .ferrus.
const Dir = "queue"

// WakeFile asks the conductor to look at the queue, by its existence: the queue may have been
// made after the conductor began to watch.
const WakeFile = project.MessagesDir + "/queue"

// Document is what the queue's STATE holds.
type Document struct {
	Last  int    `json:"numbered"` // the number that was given last
	Items []Item `json:"items"`    // in the order in which they get their turn
	// One for each branch that something was merged into.
	Merges []Merge `json:"merges,omitempty"`

	Drained  []string    `json:"drained,omitempty"`  // workers that get no task
	Accounts []Account   `json:"accounts,omitempty"` // that have reached their usage limit
	Retried  time.Time   `json:"retried,omitzero"`   // when you last had all accounts tried again
	Over     string      `json:"over,omitempty"`     // that the budget is used up, in words; empty: it is not
	Asked    core.Amount `json:"asked,omitzero"`     // used when you last gave the queue its budget again
	Spent    core.Amount `json:"spent,omitzero"`     // used by items that are no longer in the list
}

// Item is one task that was asked for. It has more than 12 fields because it is all that the queue
// keeps of a task.
type Item struct {
	N         int         `json:"n"` // shown as #14
	Title     string      `json:"title"`
	State     queue.State `json:"state"`
	Held      queue.Cause `json:"held,omitempty"`
	Failures  int         `json:"admissions_failed,omitempty"`
	Why       string      `json:"why,omitempty"`     // what kept it from beginning, the last time
	After     []int       `json:"after,omitempty"`   // the items that have to land first
	Touches   []string    `json:"touches,omitempty"` // what it is expected to change, for you to see
	Needs     []string    `json:"needs,omitempty"`   // labels that its worker must have; empty: any machine will do
	Text      string      `json:"text,omitempty"`    // the text of the store that its request is in; empty: it has begun
	Task      string      `json:"task,omitempty"`    // the id of its task; empty: it has not started
	Dir       string      `json:"dir,omitempty"`     // the directory of its task; empty: .ferrus, or not given yet
	Spec      string      `json:"spec,omitempty"`    // the specification that has its milestone; empty: it is for none
	Milestone string      `json:"milestone,omitempty"`
	Attempt   int         `json:"attempt,omitempty"` // how often it was given its turn
	Worker    string      `json:"worker,omitempty"`  // whose machine runs its sessions; empty: this one
	Staged    *Staged     `json:"staged,omitempty"`  // what waits to be merged, or has landed; nil: nothing
	Landed    string      `json:"landed,omitempty"`  // the commit of the branch that has it
	LandedAt  time.Time   `json:"landed_at,omitzero"`
	Onto      string      `json:"onto,omitempty"`     // the branch that it was staged for last
	Returned  string      `json:"returned,omitempty"` // why it did not land, since it was staged last
	// You staged the work, and it is judged again on this tree: approved like that it is staged again.
	Again   string    `json:"again,omitempty"`
	Agents  []string  `json:"agents,omitempty"` // whose sessions it was given, with its turn; the executor's first
	AddedAt time.Time `json:"added_at"`
	Pull    *Pull     `json:"pull,omitempty"` // nil: none was made

	// Origin is the task of a workflow that it is; its branch is where the work lands. nil: of none.
	Origin *core.Origin `json:"origin,omitempty"`
	// Adopted is the work that its task continues. nil: it begins.
	Adopted *core.Adopted `json:"adopted,omitempty"`
}

// Final reports whether nothing happens to the item any more.
func (i Item) Final() bool { return i.State == queue.StateLanded || i.State == queue.StateCancelled }

// Proposed reports whether a supervisor planned the item, and you have not approved it.
func (i Item) Proposed() bool { return i.Held == queue.Proposed }

// CannotBegin reports whether the item is held because its task could not be begun.
func (i Item) CannotBegin() bool { return i.Held == queue.CannotStart }

// IsLanded reports whether the work is on its branch.
func (i Item) IsLanded() bool { return i.State == queue.StateLanded }

// Clears reports whether the work is on its branch, and its worktree is not removed yet.
func (i Item) Clears() bool { return i.IsLanded() && i.Staged != nil }

// IsCancelled reports whether the item has ended without landing.
func (i Item) IsCancelled() bool { return i.State == queue.StateCancelled }

// IsParked reports whether the item has no slot and none of its processes is running.
func (i Item) IsParked() bool { return i.State == queue.StateParked }

// IsStaged reports whether it is in the merge queue.
func (i Item) IsStaged() bool { return i.State == queue.StateStaged }

// Running reports whether the item has its turn.
func (i Item) Running() bool { return i.State == queue.StateRunning }

// Name returns how the item is shown.
func (i Item) Name() string { return fmt.Sprintf("#%d", i.N) }

func (i Item) snap() queue.Snap {
	return queue.Snap{At: i.State, Data: queue.Data{Here: i.Dir == "", Held: i.Held, Failures: i.Failures}}
}

// takes reports whether the item moves by a row of the table.
func (i Item) takes(by machine.Role, e machine.Event) bool {
	row, err := table.Match(i.snap(), by, e)
	return err == nil && row >= 0
}

// step moves the item by a row of the table, or returns a refusal.
func (i *Item) step(by machine.Role, e machine.Event) error {
	s, _, err := table.Step(i.snap(), by, e)
	if err == nil {
		i.State, i.Held, i.Failures = s.At, s.Data.Held, s.Data.Failures
	}
	return err
}

var table = queue.Table()

// Index returns the place of an item in the order; -1: there is none of this number.
func (d *Document) Index(n int) int {
	return slices.IndexFunc(d.Items, func(i Item) bool { return i.N == n })
}

// Validate returns what is wrong with a document that was edited; nil if nothing is.
func (d Document) Validate() error {
	seen := map[int]bool{}
	for _, i := range d.Items {
		switch {
		case i.N < 1 || i.N > d.Last || seen[i.N]:
			return fmt.Errorf("#%d was never assigned", i.N)
		case !slices.Contains(queue.States[1:], i.State):
			return fmt.Errorf("#%d is in the state %q", i.N, i.State)
		}
		seen[i.N] = true
	}
	return nil
}

// Queue is the queue of a project. It is safe for concurrent use by goroutines and processes.
type Queue struct {
	project *project.Task
	store   *store.Dir[Document]

	mu     sync.Mutex
	opened map[string]*project.Task // guarded by mu: tasks with a directory of their own, by its name
	spent  map[int]usageTotal       // guarded by mu: what items used, by their number
}

// On returns the queue whose record was opened already.
func On(t *project.Task, record *store.Dir[Document]) *Queue {
	return &Queue{project: t, store: record, opened: map[string]*project.Task{}, spent: map[int]usageTotal{}}
}

// Open opens the queue of a project. The error is store.ErrNone if it was not started.
func Open(t *project.Task) (*Queue, error) {
	d, err := store.OpenIn[Document](t.Store, Dir)
	if errors.Is(err, store.ErrNone) || errors.Is(err, fs.ErrNotExist) {
		return nil, store.ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	return On(t, d), nil
}

// OpenOrCreate opens the queue, and makes it first if there is none.
func OpenOrCreate(ctx context.Context, t *project.Task) (*Queue, error) {
	d, err := store.OpenOrCreateIn(ctx, t.Store, Dir, Document{})
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	return On(t, d), nil
}

// Load returns the present queue, which all callers share: change nothing in it.
func (q *Queue) Load() (store.State[Document], error) {
	s, err := q.store.LoadShared()
	if err != nil {
		err = fmt.Errorf("read the queue: %w", err)
	}
	return s, err
}

// Watch signals changes of the queue, as store.Dir.Watch does.
func (q *Queue) Watch(ctx context.Context) (<-chan struct{}, error) { return q.store.Watch(ctx) }

// Request returns the text that an item was added with; empty once its task has begun.
func (q *Queue) Request(n int) (string, error) {
	s, i, err := q.item(n)
	if err != nil {
		return "", err
	}
	texts, err := q.texts(s, i.Text)
	return texts[n], err
}

// update changes the queue by one event, whose name and reason change returns.
func (q *Queue) update(ctx context.Context, by core.Actor, event machine.Kind,
	change func(tx *store.Tx[Document]) (why string, err error)) (Document, error) {
	out, err := q.store.Update(ctx, store.Call{}, func(tx *store.Tx[Document]) error {
		tx.World.Items = slices.Clone(tx.World.Items)
		why, err := change(tx)
		if err == nil {
			tx.Record(string(event), by.ID, by.Session, why)
			tx.From(q.project.Origin(by))
		}
		return err
	})
	return out.State.World, err
}

// change changes one item by an event of the table.
func (q *Queue) change(ctx context.Context, by core.Actor, n int, e machine.Event,
	also func(tx *store.Tx[Document], at int) (string, error)) error {
	_, err := q.update(ctx, by, e.Kind(), func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(n)
		if at < 0 {
			return "", unknown(n)
		}
		if err := tx.World.Items[at].step(by.Role, e); err != nil {
			return "", err
		}
		why := tx.World.Items[at].Name() + " " + tx.World.Items[at].Title
		if also != nil {
			return also(tx, at)
		}
		return why, nil
	})
	return err
}

// ErrUnknown says that the queue has no such item.
var ErrUnknown = errors.New("it is not in the queue")

func unknown(n int) error { return fmt.Errorf("there is no #%d: %w", n, ErrUnknown) }

// names lists numbers as they are shown.
func names(all []int) string {
	words := make([]string, len(all))
	for i, n := range all {
		words[i] = fmt.Sprintf("#%d", n)
	}
	return strings.Join(words, ", ")
}
