package workflow

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"ferrus/agent/process"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// ErrNone says that there is no such workflow.
var ErrNone = errors.New("there is no such workflow")

// ErrNoneOpen says that none is open.
var ErrNoneOpen = errors.New("no workflow is open; run: ferrus workflow start <type> <title>")

// Store keeps the workflows of a project.
type Store struct {
	Project *project.Task
	Forge   Forge // what is asked whether something was published or merged
}

// Open returns the workflow store of a project.
func Open(p *project.Task) *Store { return &Store{Project: p, Forge: NewForge(p)} }

// Workflow is one workflow, read from the disk.
type Workflow struct {
	Document
	Seq   uint64
	store *store.Dir[Document]
}

// Request is what a workflow is started with.
type Request struct {
	Type   flow.Type
	Title  string
	Text   string
	Policy flow.Policy // empty: always for debug, else on-request
}

// IDs returns the ids of all workflows of a project, even of one that was not started.
func IDs[T any](s *store.Dir[T]) ([]string, error) {
	names, err := s.List(Dir)
	return slices.DeleteFunc(names, func(name string) bool { return !idForm.MatchString(name) }), err
}

// List returns all workflows, oldest first. The error names the damaged ones.
func (b *Store) List() ([]Workflow, error) {
	names, err := IDs(b.Project.Store)
	if err != nil {
		return nil, err
	}
	var all []Workflow
	for _, name := range names {
		w, failed := b.Load(name)
		switch {
		case errors.Is(failed, ErrNone): // it was not started
		case failed != nil:
			err = errors.Join(err, failed)
		default:
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b Workflow) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all, err
}

// Load reads a workflow.
func (b *Store) Load(id string) (Workflow, error) {
	if !idForm.MatchString(id) {
		return Workflow{}, fmt.Errorf("%w: %.60q is not the id of one", ErrNone, id)
	}
	s, err := store.OpenIn[Document](b.Project.Store, Dir+"/"+id)
	if err != nil {
		return Workflow{}, b.none(id, err)
	}
	state, err := s.Load()
	if err != nil {
		return Workflow{}, b.none(id, err)
	}
	if state.Seq == 0 {
		return Workflow{}, fmt.Errorf("%w: %s was not started", ErrNone, id)
	}
	return Workflow{Document: state.World, Seq: state.Seq, store: s}, nil
}

func (b *Store) none(id string, err error) error {
	if errors.Is(err, store.ErrNone) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w here: %s", ErrNone, id)
	}
	return fmt.Errorf("read workflow %s: %w", id, err)
}

// Find returns the workflow that is open; the error is [ErrNoneOpen] when none is.
func (b *Store) Find() (Workflow, error) {
	all, err := b.List()
	for _, w := range all {
		if !w.IsFinal() {
			return w, nil
		}
	}
	if err != nil {
		return Workflow{}, err
	}
	return Workflow{}, ErrNoneOpen
}

// Result returns the id of the newest workflow if it has ended and its result can land; empty: nothing of it is
// to land.
func (b *Store) Result() (string, error) {
	all, err := b.List()
	if err != nil || len(all) == 0 {
		return "", err
	}
	newest := all[len(all)-1]
	if b.HasLanded(newest.ID) || !newest.Lands() {
		return "", nil
	}
	return newest.ID, nil
}

// HasLanded reports whether the result of a workflow has landed.
func (b *Store) HasLanded(id string) bool {
	_, err := b.Project.Store.ReadFile(Dir + "/" + id + "/" + LandedFile)
	return err == nil
}

// Get returns the workflow of an id, or the open one.
func (b *Store) Get(id string) (Workflow, error) {
	if id == "" {
		return b.Find()
	}
	return b.Load(id)
}

// CheckNoneHere returns an error while a workflow is open whose tasks change the project's checkout.
func (b *Store) CheckNoneHere() error {
	open, err := b.Find()
	if errors.Is(err, ErrNoneOpen) || err == nil && open.Apart() {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("workflow %s (%s) is open, and its tasks change the files here: finish it, or run: "+
			"ferrus workflow cancel", open.ID, open.Title)
	}
	return err
}

// Busy returns why no task of the queue may start in the project's checkout; empty: nothing of what is recorded is in
// the way.
func (b *Store) Busy() (string, error) {
	open, err := b.Find()
	if err == nil && open.Busy() != "" || err != nil && !errors.Is(err, ErrNoneOpen) {
		return open.Busy(), err
	}
	if b.Project.CheckNoPair() != nil {
		return "a pair of agents works in your checkout", nil
	}
	return "", nil
}

// Start starts a workflow, unless one is open, or a pair works where its tasks would.
func (b *Store) Start(ctx context.Context, by core.Actor, r Request) (Workflow, error) {
	d, clone, err := b.draft(ctx, r)
	if err != nil {
		return Workflow{}, err
	}
	if !d.Apart() {
		if err := b.Project.CheckNoPair(); err != nil {
			return Workflow{}, fmt.Errorf("start a workflow: %w", err)
		}
	}
	lock, err := b.Project.Store.TryLock(project.WorkflowLock)
	if err != nil {
		return Workflow{}, fmt.Errorf("start a workflow: %w", err)
	}
	defer lock.Close()
	if open, err := b.Find(); err == nil {
		return Workflow{},
			fmt.Errorf("workflow %s (%s) is open, and only one can be: finish it, or run: ferrus workflow cancel",
				open.ID, open.Title)
	} else if !errors.Is(err, ErrNoneOpen) {
		return Workflow{}, err
	}
	if d.Apart() {
		if err := b.makeWorktree(ctx, &d, clone); err != nil {
			return Workflow{}, fmt.Errorf("start a workflow: %w", err)
		}
	}
	s, err := store.CreateIn(ctx, b.Project.Store, Dir+"/"+d.ID, d)
	if err != nil {
		return Workflow{}, fmt.Errorf("start a workflow: %w", err)
	}
	_, err = s.Update(ctx, store.Call{}, func(tx *store.Tx[Document]) error {
		tx.World.Visit = tx.Seq
		tx.Record("workflow.started", by.ID, by.Session, string(r.Type)+": "+d.Title)
		tx.From(b.Project.Origin(by))
		return nil
	})
	if err != nil {
		return Workflow{}, err
	}
	b.notify(d.ID, 1)
	return b.Load(d.ID)
}

// draft returns the document that a workflow begins as, with what its worktree gets of your
// checkout.
func (b *Store) draft(ctx context.Context, r Request) (Document, []string, error) {
	f := flow.Of(r.Type)
	if f == nil {
		return Document{}, nil, fmt.Errorf("unknown workflow type %q; use one of: %s", r.Type, flow.TypeNames())
	}
	title := core.TaskTitle(r.Title)
	if title == "" {
		return Document{}, nil, errors.New("a workflow needs a title that says what it is for")
	}
	if err := text.CheckEncoding(r.Title + r.Text); err != nil {
		return Document{}, nil, fmt.Errorf("the request cannot be kept: %w", err)
	}
	policy, err := policyOf(r)
	if err != nil {
		return Document{}, nil, err
	}
	cfg, err := b.Project.Config()
	if err != nil {
		return Document{}, nil, err
	}
	base, err := b.base(ctx)
	if err != nil {
		return Document{}, nil, err
	}
	definition, now := project.GateDefinition(cfg), time.Now().UTC()
	d := Document{
		ID: newID(now), Type: r.Type, Title: title, Request: strings.TrimSpace(r.Text), CreatedAt: now,
		Phase: f.Start().At, Since: now, Definition: &definition, Required: slices.Clone(Dimensions), Base: base,
	}
	if cfg.HQ.Worktree() {
		d.Base.Dir = worktree.Folder + "/" + d.ID
	}
	if policy != "" {
		d.Oneshot = &Oneshot{SynthesisPolicy: policy}
	}
	return d, cfg.HQ.Clone, nil
}

// policyOf returns the synthesis policy of a type; a type that always publishes has
// none.
func policyOf(r Request) (flow.Policy, error) {
	known := []flow.Policy{"", flow.Always, flow.Never, flow.OnRequest}
	switch {
	case !slices.Contains(known, r.Policy):
		return "", fmt.Errorf("unknown synthesis policy %q; use always, never or on-request", r.Policy)
	case r.Type == flow.Oneshot && r.Policy == "":
		return flow.OnRequest, nil
	case r.Type == flow.Debug && r.Policy == "":
		return flow.Always, nil
	case r.Type == flow.Oneshot, r.Type == flow.Debug, r.Policy == "":
		return r.Policy, nil
	}
	return "", fmt.Errorf("a %s is always published: only oneshot and debug take a synthesis policy", r.Type)
}

// base returns where the work begins; a repository without a commit has none.
func (b *Store) base(ctx context.Context) (Base, error) {
	home, err := git.Locate(b.Project.Dir)
	if err != nil {
		return Base{}, nil //nolint:nilerr // no repository: what needs one says so
	}
	commit, err := home.Git().Output(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return Base{}, ctx.Err()
	}
	branch, err := worktree.Branch(ctx, home)
	return Base{Commit: commit, Branch: branch}, err
}

// Do executes a command on a workflow: it gathers what git, the forge and the
// registry know, decides under the lock, and commits. A *machine.Refusal has
// changed nothing.
func (b *Store) Do(ctx context.Context, id string, call store.Call, asked Command) (Workflow, error) {
	w, err := b.Load(id)
	if err != nil {
		return w, err
	}
	c := asked
	out, err := w.store.Transact(ctx, call, store.Transaction[Document]{
		Gather: func(s store.State[Document]) (bool, error) {
			c = asked
			return true, b.gather(ctx, &s.World, &c)
		},
		Decide: func(tx *store.Tx[Document]) error {
			defer func() { tx.From(b.Project.Origin(c.By)) }()
			return decide(tx, c)
		},
	})
	if errors.Is(err, store.ErrStale) {
		err = &machine.Refusal{
			Code: machine.GuardFailed, Machine: "workflow", Event: c.Kind, By: c.By.Role,
			Failed: []machine.Failed{{
				Guard: core.GuardFactsMoved, Reason: "the workflow changed three times while facts were gathered",
				Expected: "a workflow that does not change in the meantime", Fix: "call it again",
			}},
		}
	}
	if err != nil {
		return w, err
	}
	b.notify(id, out.State.Seq)
	return b.Load(id)
}

// decide decides a command under the lock. A command that changes nothing is no event.
func decide(tx *store.Tx[Document], c Command) error {
	c.Now, c.Seq = time.Now(), tx.Seq
	d, err := Decide(tx.World, c)
	if err != nil || d.Event == "" {
		return err
	}
	tx.World = d.Document
	tx.Record(d.Event, c.By.ID, c.By.Session, d.Why)
	return nil
}

// gather reads what the command's guards need to know.
func (b *Store) gather(ctx context.Context, d *Document, c *Command) error {
	to := c.To
	if c.Kind == KindFinalize {
		return nil
	}
	if d.Flow().Phase(d.Phase).Run == flow.RunTasks && to != "" {
		living, err := b.Executor(d)
		if err != nil {
			return err
		}
		c.Observed.Living = living
	}
	if to == flow.Completed && d.Phase == flow.Synthesize {
		c.Observed.Published, c.Observed.Why = b.Forge.Published(ctx, d)
	}
	if c.Kind == flow.KindCleanup {
		c.Observed.Merged, c.Observed.Why = b.Forge.Merged(ctx, d)
	}
	return ctx.Err()
}

// Executor returns the running executor of a workflow; empty if there is none.
func (b *Store) Executor(d *Document) (string, error) {
	all, err := b.registries(d)
	for _, r := range all {
		for _, e := range r.Agents {
			if e.Slot == core.SlotExecutor && e.Process != nil && e.Status == project.Running {
				if alive, known := process.Alive(e.Process); alive && known {
					return e.Name, nil
				}
			}
		}
	}
	return "", err
}

// Journal returns the events of a workflow, oldest first.
func (w Workflow) Journal() ([]store.Entry, error) { return w.store.Journal(0) }

// Path returns where its directory is.
func (w Workflow) Path(elem ...string) string { return w.store.Path(elem...) }

// notify tells watchers that something changed. Nothing depends on it.
func (b *Store) notify(id string, seq uint64) {
	data, err := json.Marshal(map[string]any{"id": id, "seq": seq})
	if err == nil {
		err = b.Project.Store.WriteFile(ActiveFile, append(data, '\n'))
	}
	_ = err // Watchers check from time to time anyway.
}

var idForm = lazyregexp.New(`^w-[0-9]{8}-[0-9]{6}-[0-9a-f]{4}$`)

// newID is w-20261120-101500-4f2a: when, and two random bytes.
func newID(now time.Time) string {
	var random [2]byte
	_, _ = rand.Read(random[:]) // It never fails.
	return now.UTC().Format("w-20060102-150405-") + hex.EncodeToString(random[:])
}
