// Package needs notifies you of what needs you while you are not at the screen, with the command of [hq] on_need.
//
// [Watch.Reconcile] compares the inbox with what the command was run for, which is recorded outside the project: the
// command runs once for each need, also over restarts. What needs you is decided by the caller, and the command is run
// by package need.
package needs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/need"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// kind names the files, outside of projects, that record what on_need was run for.
const kind = "needs"

// grace is how long a conductor that ends waits for a command that runs.
const grace = 5 * time.Second

// atOnce bounds the commands that run at the same time.
const atOnce = 4

// Watch notifies you of what needs you, with the command of [hq] on_need: once for each
// need, also over restarts. It never delays the loop. Make it with [New].
type Watch struct {
	project  *project.Task
	loop     *session.Loop // owns the watch
	notices  *notice.List
	config   config.Config        // of this call of Reconcile
	world    *core.World          // likewise
	argv     []string             // the last command that was trusted
	since    map[string]time.Time // when a need began to wait, by its id
	notified map[string]time.Time // needs that the command was run for; nil: not read yet
	slots    chan struct{}        // one for each command that runs
	timer    *time.Timer          // until the next is due; nil: none waits
	failed   string               // the error that was shown last
}

// New returns a watch over the needs of a task.
func New(p *project.Task, loop *session.Loop, shown *notice.List) *Watch {
	return &Watch{project: p, loop: loop, notices: shown, slots: make(chan struct{}, atOnce)}
}

// Reconcile notifies you of the needs in the inbox that have waited long enough, or of all. The loop calls it in each
// turn; a need that has to wait causes a turn in time.
func (n *Watch) Reconcile(cfg config.Config, w *core.World, inbox func() []advice.InboxItem, all bool) {
	n.config, n.world = cfg, w
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
	if !n.ready() {
		return
	}
	items := slices.DeleteFunc(inbox(), func(i advice.InboxItem) bool { return i.Delegated || i.Yours || n.given(i) })
	n.forget(items)
	var next time.Duration
	for _, item := range items {
		if _, done := n.notified[item.ID]; done {
			continue
		}
		wait := time.Until(n.began(item).Add(n.config.HQ.Notify.After))
		switch {
		case all || wait <= 0:
			n.notify(item)
		case next == 0 || wait < next:
			next = wait
		}
	}
	if next > 0 {
		n.timer = n.loop.After(next, func() { n.timer = nil })
	}
}

// given reports whether an item asks for trust that you have just given.
func (n *Watch) given(i advice.InboxItem) bool {
	return i.Kind == advice.ItemTrust && n.project.RequireTrust(project.GateDefinition(n.config)) == nil
}

// ready reports whether there is a command that may run, and reads what it was run for.
func (n *Watch) ready() bool {
	if len(n.config.HQ.Notify.OnNeed) == 0 {
		n.argv = nil
		return false
	}
	if err := n.trust(); err != nil {
		n.fail(err)
	}
	if len(n.argv) > 0 && n.notified == nil {
		n.read()
	}
	return len(n.argv) > 0
}

// trust takes over the command of ferrus.toml once you trust it. Until then the last one stays:
// an agent that edits the file does not silence it.
func (n *Watch) trust() error {
	if slices.Equal(n.argv, n.config.HQ.Notify.OnNeed) {
		return nil
	}
	if err := n.project.RequireTrust(project.GateDefinition(n.config)); err != nil {
		return fmt.Errorf("notify you with on_need: %w", err)
	}
	n.argv = n.config.HQ.Notify.OnNeed
	return nil
}

// began returns when a need began to wait. A time that is still to come says nothing: the clock was set back.
func (n *Watch) began(item advice.InboxItem) time.Time {
	now := time.Now()
	for _, since := range []time.Time{n.since[item.ID], item.Since, now} {
		if !since.IsZero() && !since.After(now) {
			n.since[item.ID] = since
			break
		}
	}
	return n.since[item.ID]
}

// forget drops what no longer needs you: if it needs you again, the command runs again.
func (n *Watch) forget(items []advice.InboxItem) {
	gone := func(id string, _ time.Time) bool {
		return !slices.ContainsFunc(items, func(i advice.InboxItem) bool { return i.ID == id })
	}
	before := len(n.notified)
	maps.DeleteFunc(n.notified, gone)
	maps.DeleteFunc(n.since, gone)
	if len(n.notified) != before {
		n.save()
	}
}

// notify runs the command for a need. It is recorded before, so a crash in between loses a
// notification and never doubles one.
func (n *Watch) notify(item advice.InboxItem) {
	n.notified[item.ID] = time.Now()
	n.save()
	argv, what := n.argv, n.needOf(item)
	n.loop.Go(func() {
		n.slots <- struct{}{}
		defer func() { <-n.slots }()
		err := notifyUntilClosed(n.loop.Context, argv, what)
		n.loop.Post(func() {
			if n.failed = ""; err != nil {
				n.fail(err)
			}
		})
	})
}

// notifyUntilClosed runs the command. It outlives the loop by its grace: what needs you is often
// why a run ended.
func notifyUntilClosed(loop context.Context, argv []string, what need.Need) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(loop))
	defer cancel(nil)
	defer context.AfterFunc(loop, func() {
		time.AfterFunc(grace, func() { cancel(fmt.Errorf("ferrus ended, and waited %s for it", grace)) })
	})()
	return need.Notify(ctx, argv, what)
}

// needOf describes an item of the inbox to the command.
func (n *Watch) needOf(item advice.InboxItem) need.Need {
	since := n.began(item)
	what := need.Need{
		ID: item.ID, Kind: string(item.Kind), Project: n.project.Dir, Text: item.Text, Options: item.Options,
		Since: since, AgeSecs: max(int(time.Since(since).Seconds()), 0),
	}
	switch {
	case item.About != nil:
		what.Task, what.Title = item.About.Task, item.About.Title
	case n.world.Task != nil:
		what.Task, what.Title = n.world.Task.ID, n.world.Task.Title
	}
	if n.project.HasDirectory() { // another task may have a need with the same id, and commands have to name this one
		what.ID, what.Options = n.project.ID+"/"+item.ID, nil
		for _, option := range item.Options {
			what.Options = append(what.Options, advice.ForTask(option, n.project.ID))
		}
	}
	return what
}

// fail shows why the command cannot notify you, once.
func (n *Watch) fail(err error) {
	if n.failed != err.Error() {
		n.failed = err.Error()
		n.notices.Add(true, "%v", err)
	}
}

// read reads what the command was run for before this conductor began.
func (n *Watch) read() {
	n.notified, n.since = map[string]time.Time{}, map[string]time.Time{}
	name, err := n.project.KeptFile(kind)
	if err != nil {
		return // a restart runs the command again
	}
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &n.notified)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		n.fail(fmt.Errorf("read what on_need was run for: %w", err))
	}
}

// save writes what the command was run for.
func (n *Watch) save() {
	name, err := n.project.KeptFile(kind)
	if err != nil {
		return
	}
	data, err := json.Marshal(n.notified)
	if err == nil {
		err = project.WriteKept(name, data)
	}
	if err != nil {
		n.fail(fmt.Errorf("record what on_need was run for: %w", err))
	}
}
