// Package fleet connects a project to its workers, machines that run sessions and gates for it.
//
// A worker is named by ferrus.toml, or announces itself on the NATS server there. [Workers], [WorkerNamed] and
// [Discover] find them for a command. A conductor has a [Fleet]: [Fleet.Follow] connects it to the workers of a
// configuration, through a link process each (package remote), [Fleet.Workers] says what they take, and
// [Fleet.RunGate] runs a gate of the merge queue on one of them. It gives no task to a worker; the queue does.
package fleet

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
)

// TargetOf returns a worker as a configuration has it. One that is not there any more cannot be reached.
func TargetOf(p *project.Project, cfg config.Config, name string) remote.Target {
	w, named := cfg.Worker[name]
	if !named {
		at := ServerOf(p, cfg)
		at.Project, at.Name = p.Dir, name
		return at
	}
	return remote.Target{Project: p.Dir, Name: name, SSH: w.SSH, Patience: int(w.Patience.Seconds())}
}

// Workers returns the workers that a configuration names, in the order of their names.
func Workers(p *project.Project, cfg config.Config) (all []remote.Target) {
	for name := range cfg.Worker {
		all = append(all, TargetOf(p, cfg, name))
	}
	slices.SortFunc(all, func(a, b remote.Target) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// WorkerNamed returns a worker that a configuration names, or that may announce itself on its server.
func WorkerNamed(p *project.Project, cfg config.Config, name string) (remote.Target, bool) {
	_, named := cfg.Worker[name]
	return TargetOf(p, cfg, name), named || cfg.Workers.NATS != "" && config.IsWorkerName(name)
}

// Fleet has the connections to the workers' link processes. A project without workers has none, and
// nothing is started for it. Make it with [New], and end it with [Fleet.Close]. Its methods may be called from any
// goroutine, except [Fleet.Follow], which one goroutine calls at a time.
type Fleet struct {
	project *project.Task
	ferrus  string
	changed func()

	discovery discovery

	mu        sync.Mutex      // guards the rest
	found     map[string]bool // workers that announced themselves on the server of discovery
	links     map[remote.Target]*fleetLink
	forgotten map[forgotten]bool

	forgetting sync.WaitGroup // workers that are asked to forget something
}

// New returns the fleet of a project, which follows no worker yet. Link processes run the program ferrus;
// empty is this one. Changed is called, from any goroutine, when a worker was found, connected, lost or marked.
func New(p *project.Task, ferrus string, changed func()) *Fleet {
	if ferrus == "" {
		ferrus, _ = os.Executable() // without one, no worker is reached
	}
	return &Fleet{project: p, ferrus: ferrus, changed: changed}
}

// fleetLink is what is known of one worker.
type fleetLink struct {
	status remote.LinkStatus
	cancel context.CancelFunc
	gates  int // that this process runs there
}

// discover looks for workers on the server of a configuration, and returns the workers that it has heard of
// and that the configuration does not name. It looks until the context ends.
func (f *Fleet) discover(ctx context.Context, cfg config.Config) (all []remote.Target) {
	at := ServerOf(f.project.Project, cfg)
	if at != f.discovery.at {
		f.mu.Lock()
		f.found = map[string]bool{}
		f.mu.Unlock()
	}
	f.discovery.follow(ctx, at, f.hear)
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.found {
		if _, named := cfg.Worker[name]; !named {
			all = append(all, TargetOf(f.project.Project, cfg, name))
		}
	}
	return all
}

// hear notes a worker that has announced itself.
func (f *Fleet) hear(name string) {
	f.mu.Lock()
	known := f.found[name] || len(f.found) >= maxFound
	if !known {
		f.found[name] = true
	}
	f.mu.Unlock()
	if !known {
		f.changed()
	}
}

// Follow keeps connections to the workers that a configuration names, or that announce themselves on its
// server, until the context ends, and to no others.
func (f *Fleet) Follow(ctx context.Context, cfg config.Config) {
	f.follow(ctx, append(Workers(f.project.Project, cfg), f.discover(ctx, cfg)...))
}

// pollInterval is how often a link process is asked how its worker is.
const pollInterval = time.Second

// follow keeps connections to the workers of a configuration until the context ends, and to no
// others.
func (f *Fleet) follow(ctx context.Context, all []remote.Target) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t, l := range f.links {
		if !slices.Contains(all, t) {
			l.cancel()
			delete(f.links, t)
		}
	}
	for _, t := range all {
		if f.links[t] != nil {
			continue
		}
		if f.links == nil {
			f.links = map[remote.Target]*fleetLink{}
		}
		one := &fleetLink{status: remote.LinkStatus{Since: time.Now(), Why: "connecting"}}
		ctx, cancel := context.WithCancel(ctx)
		one.cancel, f.links[t] = cancel, one
		go f.poll(ctx, t, one)
	}
}

// poll asks a link process again and again, and starts one if there is none.
func (f *Fleet) poll(ctx context.Context, t remote.Target, one *fleetLink) {
	for ctx.Err() == nil {
		l, err := remote.Connect(ctx, t, f.ferrus)
		for err == nil {
			var s remote.LinkStatus
			if s, err = remote.Status(ctx, l); err == nil {
				f.note(one, s)
				wait(ctx, pollInterval)
				err = ctx.Err()
			}
		}
		if l != nil {
			l.Close()
		}
		f.note(one, remote.LinkStatus{Since: time.Now(), Why: wire.Words(err.Error(), 300)})
		wait(ctx, pollInterval)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (f *Fleet) note(one *fleetLink, s remote.LinkStatus) {
	f.mu.Lock()
	changed := one.status.Connected != s.Connected || one.status.Marked != s.Marked
	one.status = s
	f.mu.Unlock()
	if changed {
		f.changed()
	}
}

// Workers returns the workers that are followed as the queue sees them, by name.
func (f *Fleet) Workers(cfg config.Config) (all []queue.Worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t, l := range f.links {
		there := l.status.Welcome
		slots, labels := Capacity(cfg, t.Name, there)
		all = append(all, queue.Worker{Name: t.Name, Slots: slots, Labels: labels,
			Free: l.status.Connected && there != nil && hasAgents(*there, cfg)})
	}
	slices.SortFunc(all, func(a, b queue.Worker) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// maxSlots and maxLabels bound what a worker says of itself.
const (
	maxSlots  = 64
	maxLabels = 32
)

// Capacity returns how many tasks a worker takes and its labels: what the configuration says if it names
// the worker, else what the worker says.
func Capacity(cfg config.Config, name string, there *wire.Welcome) (slots int, labels []string) {
	if w, named := cfg.Worker[name]; named {
		return w.Slots, w.Labels
	}
	if there == nil {
		return 0, nil
	}
	return min(max(there.Slots, 0), maxSlots), there.Labels[:min(len(there.Labels), maxLabels)]
}

// hasAgents reports whether a worker has the agents that a task begins with.
func hasAgents(w wire.Welcome, cfg config.Config) bool {
	for _, name := range []string{cfg.HQ.Executor.Agent, cfg.HQ.Supervisor.Agent} {
		if _, own := cfg.Agent[name]; own {
			continue // the worker finds out when it starts
		}
		if !slices.Contains(w.Agents, wire.Agent{Name: name}) {
			return false
		}
	}
	return true
}

// Forget makes the connected workers remove what they keep for the ended items of the rows, and does not wait
// for them. A worker that fails is asked again at the next call.
func (f *Fleet) Forget(ctx context.Context, rows []queue.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range rows {
		if !r.Final() || r.Worker == "" {
			continue
		}
		for t, l := range f.links {
			has := t.Name == r.Worker || l.status.Welcome != nil && slices.Contains(l.status.Welcome.Tasks, r.Dir)
			if this := (forgotten{t.Name, r.N}); has && l.status.Connected && !f.forgotten[this] {
				if f.forgotten == nil {
					f.forgotten = map[forgotten]bool{}
				}
				f.forgotten[this] = true
				f.forgetting.Go(func() { f.forgetOne(context.WithoutCancel(ctx), t, r) })
			}
		}
	}
}

// forgotten is an item of the queue, and a worker that was asked to forget it.
type forgotten struct {
	worker string
	n      int
}

// forgetPatience is how long an ending conductor waits to tell workers what they may forget. The next
// conductor asks the workers that it did not reach.
const forgetPatience = 2 * time.Second

func (f *Fleet) forgetOne(ctx context.Context, t remote.Target, r queue.Row) {
	ctx, cancel := context.WithTimeout(ctx, forgetPatience)
	defer cancel()
	l, err := remote.Connect(ctx, t, f.ferrus)
	if err == nil {
		err = wire.Ask(ctx, l, wire.MethodForget,
			wire.Forget{Task: wire.Task{Task: r.Dir, Attempt: r.Attempt}}, nil)
		l.Close()
	}
	if err != nil {
		f.mu.Lock()
		delete(f.forgotten, forgotten{t.Name, r.N}) // the next look tries again
		f.mu.Unlock()
	}
}

// Close makes workers forget the items that have just ended, and waits for their answers, for two seconds at
// most. The context of [Fleet.Follow] ends the connections.
func (f *Fleet) Close() {
	f.mu.Lock()
	followed := len(f.links) > 0
	f.mu.Unlock()
	if !followed {
		return
	}
	if q, err := queue.Open(f.project); err == nil {
		rows, _ := q.Rows(queue.ConditionsOf(f.project)) // without them, the next conductor asks
		f.Forget(context.Background(), rows)
	}
	f.forgetting.Wait()
}
