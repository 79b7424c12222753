package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/forge"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store"
)

// pullEvery is how often the forge is asked about a pull request at most, and pullSpread what each other one that
// waits adds to that; pullLongest is how rarely it is asked if nothing happens or the forge does not answer.
const (
	pullEvery   = 30 * time.Second
	pullSpread  = 15 * time.Second
	pullLongest = 10 * time.Minute
)

// poll is when the forge is asked next.
type poll struct {
	next  time.Time
	after time.Duration // the last time
	fails int           // in a row
}

// pull is the pull request of an item, as the record had it.
type pull struct {
	*Merger
	options Options
	item    queue.Item
	waiting int // pull requests
}

// viaOf returns how approved work lands on a branch. The branches of workflows are not those of a forge.
func (m *Merger) viaOf(of *project.Task, i queue.Item) (via string, publish []string, err error) {
	s, err := of.World()
	if err != nil {
		return "", nil, err
	}
	cfg, err := m.project.Config()
	if w := s.World.Task; err != nil || i.Origin != nil || w == nil ||
		w.Workspace != nil && strings.HasPrefix(w.Workspace.From, "ferrus/") {
		return "", nil, err
	}
	pinned := slices.Contains(m.definition(s.World).Widening, `merge.mode = "pr"`)
	if !cfg.Merge.ByPull() && !pinned {
		return "", nil, nil
	}
	if err := m.project.RequireTrust(project.GateDefinition(cfg)); err != nil {
		return "", nil, &land.RefusedError{What: err.Error(), Fix: "ferrus trust shows and trusts it"}
	}
	if !cfg.Merge.ByPull() {
		return "", nil, nil
	}
	return queue.ViaPull, slices.Clone(cfg.Merge.Publish), nil
}

// tryForge returns a *land.Refused where the forge or the remote could not be reached: then nothing is staged.
func (m *Merger) tryForge(ctx context.Context, task string, s queue.Staged) error {
	place, err := m.placeOf(ctx, task, s.Target)
	if err == nil {
		_, err = m.forge(s.Target, s.Publish).Find(ctx, forge.Request{Task: task, Branch: place.Branch,
			Base: place.Base, Remote: place.Remote})
	}
	if err == nil {
		_, err = m.remoteHead(ctx, place.Remote, place.Branch, s.Target)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	fix := fixOf(err, `nothing changed: try again, or land on the branch itself with [merge] mode = "branch"`)
	return &land.RefusedError{What: err.Error(), Fix: fix}
}

// fixOf returns the way out that an error names.
func fixOf(err error, other string) string {
	if e := (*forge.Error)(nil); errors.As(err, &e) && e.Fix != "" {
		return e.Fix
	}
	return other
}

// forge returns the forge that work for a branch is published by. A process of it that outlives this one keeps the
// next one from asking the forge for the same.
func (m *Merger) forge(target string, publish []string) forge.Forge {
	return forge.New(forge.Runner{Git: git.Around(m.project.Dir), Dir: m.project.Dir,
		Keep: m.lockFiles(target)}, publish)
}

// lockFiles returns what a process has open that works on the pull requests of a branch.
func (m *Merger) lockFiles(target string) []*os.File {
	if lock := m.lockOf(pullLock + target); lock != nil {
		return lock.ExtraFiles()
	}
	return nil
}

// pulls finds which pull requests are due.
func (m *Merger) pulls(ctx context.Context, next *Next) error {
	s, err := m.queue.Load()
	if err != nil {
		return err
	}
	if err := m.fetchedHere(ctx, &s.World, next); err != nil {
		return err
	}
	due, at, err := m.duePulls(&s.World, time.Now())
	next.Pulls = due
	next.pollAt(at)
	if busy := (*store.LockedError)(nil); errors.As(err, &busy) {
		next.Open, next.Busy = true, fmt.Sprintf("process %d handles the pull requests", busy.PID)
		return nil
	}
	return err
}

// fetchedHere records that your own branch has what landed by a pull request. As long as it does not, and an item
// depends on it, it is looked for again.
func (m *Merger) fetchedHere(ctx context.Context, d *queue.Document, next *Next) error {
	for _, i := range d.Items {
		if !i.IsAway() {
			continue
		}
		here, err := m.branchHas(ctx, i.Onto, i.Landed)
		if err == nil && here {
			err = m.queue.NotePull(ctx, project.FerrusActor(), i.N, "pull_here", nil,
				func(i *queue.Item) (string, error) {
					i.Pull.Away = false
					return "your " + i.Onto + " has it", nil
				})
		}
		if err != nil {
			return err
		}
		if !here && slices.ContainsFunc(d.Items, func(other queue.Item) bool {
			return !other.Final() && slices.Contains(other.After, i.N)
		}) {
			next.pollAt(time.Now().Add(pullEvery))
		}
	}
	return nil
}

// duePulls returns the items whose pull request is due, and when the next one is.
func (m *Merger) duePulls(d *queue.Document, now time.Time) (due []int, next time.Time, err error) {
	busy := map[string]error{}
	for _, i := range d.Items {
		if !i.ByPull() && !i.ClosesPull() {
			continue
		}
		target := i.Onto
		if _, asked := busy[target]; !asked {
			_, busy[target] = m.lock(pullLock+target, true)
		}
		if busy[target] != nil {
			err = errors.Join(err, busy[target])
			continue
		}
		switch p := m.pollOf(i.N); {
		case m.proves(pullKey(i.N)):
		case !now.Before(p.next) || i.PullContinues():
			due = append(due, i.N)
		case next.IsZero() || p.next.Before(next):
			next = p.next
		}
	}
	m.freePulls(d)
	return due, next, err
}

// pullLock begins the names of the locks of pull requests: no branch has such a name.
const pullLock = "pull requests of "

func pullKey(n int) string { return pullLock + strconv.Itoa(n) }

// freePulls gives the branches up whose pull requests are over.
func (m *Merger) freePulls(d *queue.Document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, lock := range m.locks {
		target, is := strings.CutPrefix(key, pullLock)
		if is && !slices.ContainsFunc(d.Items, func(i queue.Item) bool {
			return i.Onto == target && (i.ByPull() || i.ClosesPull())
		}) {
			lock.Close() //nolint:errcheck // it goes with the process at the latest
			delete(m.locks, key)
		}
	}
}

func (m *Merger) pollOf(n int) poll {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.polls[n]
}

// pollAgain has the forge asked again: soon after a change, else more and more rarely.
func (m *Merger) pollAgain(n, waiting int, every time.Duration, changed, failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.polls[n]
	if p.fails++; !failed {
		p.fails = 0
	}
	least := every
	if least == 0 {
		least = pullEvery + time.Duration(max(waiting-1, 0))*pullSpread
	}
	p.after = min(max(p.after+p.after/2, least), max(pullLongest, least))
	if changed {
		p.after = least
	}
	p.next = time.Now().Add(p.after)
	m.polls[n] = p
}

// maxPullSteps bounds the steps of one look at a pull request.
const maxPullSteps = 10

// Sync takes the steps of the pull request of an item, and asks the forge what became of it. It returns nil when
// there is nothing to do now. What fails is recorded with the item, and tried again later.
func (m *Merger) Sync(ctx context.Context, n int, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !m.startProof(pullKey(n), 0, cancel) {
		return nil
	}
	defer m.endProof(pullKey(n))
	changed := false
	for range maxPullSteps {
		s, err := m.queue.Load()
		if err != nil {
			return err
		}
		at := s.World.Index(n)
		if at < 0 || m.lockOf(pullLock+s.World.Items[at].Onto) == nil {
			return nil
		}
		p := pull{Merger: m, options: o, item: s.World.Items[at]}
		for _, i := range s.World.Items {
			if i.ByPull() {
				p.waiting++
			}
		}
		more, err := p.step(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errStopped) || land.IsStopped(err):
			return errStopped
		case machine.IsRefusal(err) || errors.Is(err, queue.ErrMovedOn):
			return nil // it was unstaged, cancelled or staged anew meanwhile
		case errors.As(err, new(*store.LockedError)):
			return err
		case err != nil:
			return p.failed(ctx, err)
		case !more:
			m.pollAgain(n, p.waiting, o.every, changed, false)
			return nil
		}
		changed = true
	}
	m.pollAgain(n, 0, o.every, false, false)
	return nil
}

// failed records why the forge could not be asked.
func (p *pull) failed(ctx context.Context, err error) error {
	p.pollAgain(p.item.N, p.waiting, p.options.every, false, true)
	words := err.Error()
	if fix := fixOf(err, ""); fix != "" {
		words += "; " + fix
	}
	if errors.As(err, new(*git.SignError)) {
		words += "; " + land.SignFix
	}
	if p.item.ClosesPull() {
		if p.pollOf(p.item.N).fails < 5 {
			return nil
		}
		return p.queue.FinishPull(ctx, p.item.N, "the pull request stays open: "+words)
	}
	needs := fixOf(err, "") != "" || errors.As(err, new(*git.SignError)) || p.pollOf(p.item.N).fails >= 3
	held := queue.PullNotHeld
	if needs {
		held = queue.PullStuck
	}
	if errors.As(err, new(*git.SignError)) {
		held = queue.PullUnsigned
	}
	if p.item.Pull == nil || !p.item.Pull.IsFor(p.item.Staged) {
		return p.note(ctx, "pull_waits", func(i *queue.Item) string {
			next := queue.Pull{}
			if i.Pull != nil {
				next = *i.Pull
			}
			next.At, next.Step, next.Why, next.Held = i.Staged.At, queue.PullMake, words, held
			i.Pull = &next
			return words
		})
	}
	return p.hold(ctx, held, "", "%s", words)
}

// step takes one step, and reports that another one follows.
func (p *pull) step(ctx context.Context) (more bool, err error) {
	if err := p.stopped(); err != nil {
		return false, err
	}
	i := p.item
	switch {
	case i.ClosesPull():
		err := p.forge(i.Onto, publishOf(i)).Close(ctx, p.request(""))
		if err == nil {
			err = p.queue.FinishPull(ctx, i.N, "the pull request is closed: the task was cancelled")
		}
		return false, err
	case !i.ByPull():
		return false, nil
	case !i.Pull.IsFor(i.Staged):
		return p.prepare(ctx)
	}
	switch i.Pull.Step {
	case queue.PullMake:
		if i.Pull.Held == queue.PullUnsigned {
			return false, nil
		}
		return p.prepare(ctx)
	case queue.PullPush:
		return p.push(ctx)
	case queue.PullOpen:
		return p.open(ctx)
	case queue.PullWait:
		return p.pollForge(ctx)
	case queue.PullReturn:
		return p.giveBack(ctx)
	}
	return false, nil
}

func (p *pull) stopped() error {
	if p.options.stop != nil && p.options.stop() {
		return errStopped
	}
	return nil
}

func publishOf(i queue.Item) []string {
	if i.Staged == nil {
		return nil
	}
	return i.Staged.Publish
}

// note changes what is recorded of the item, if it is still staged with the same work.
func (p *pull) note(ctx context.Context, event string, change func(*queue.Item) string) error {
	return p.noteWith(ctx, event, nil, change)
}

func (p *pull) noteWith(ctx context.Context, event string, texts map[string]string,
	change func(*queue.Item) string) error {
	if err := p.stopped(); err != nil {
		return err
	}
	return p.queue.NotePull(ctx, project.FerrusActor(), p.item.N, event, texts, p.same(change))
}

// same makes a change only if the item is still staged with the same work.
func (p *pull) same(change func(*queue.Item) string) func(*queue.Item) (string, error) {
	return func(i *queue.Item) (string, error) {
		if !i.ByPull() || !i.Staged.At.Equal(p.item.Staged.At) {
			return "", queue.ErrMovedOn
		}
		return change(i), nil
	}
}

// hold records what the pull request waits for, unless that is known.
func (p *pull) hold(ctx context.Context, held queue.PullHold, other, format string, args ...any) error {
	words := fmt.Sprintf(format, args...)
	if was := p.item.Pull; was.Why == words && was.Held == held && was.Other == other {
		return nil
	}
	return p.note(ctx, "pull_waits", func(i *queue.Item) string {
		i.Pull.Why, i.Pull.Held, i.Pull.Other = words, held, other
		return words
	})
}
