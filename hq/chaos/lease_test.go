package chaos

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
)

const ttl = 90 * time.Second

// claimant is a process that wants the lease, as an executor or, if there is something to review,
// as a reviewer.
type claimant struct {
	name    string
	life    int  // of its processes; a session dies with its process
	alive   bool // true even while paused
	paused  bool
	near    bool // whether its life can be checked, because it runs on this host
	managed bool // started by a conductor
}

func (c *claimant) actor(role machine.Role) core.Actor {
	a := core.Actor{
		Role: role, ID: fmt.Sprintf("%s:%s:1", role, c.name), Session: fmt.Sprintf("%s-%s-%d", c.name, role, c.life),
		Managed: c.managed, Mode: core.ModeWork,
		Process: &process.Identity{Host: c.name, PID: c.life},
	}
	if role == machine.Supervisor {
		a.Mode = core.ModeReview
	}
	return a
}

// leaseRace has three claimants, a clock that jumps and a conductor that comes and goes.
type leaseRace struct {
	t         *rapid.T
	w         core.World
	seq       uint64
	now       time.Time
	conductor bool
	all       []*claimant
	robbed    []string // sessions, the newest last
}

func newLeaseRace(t *rapid.T) *leaseRace {
	c := &leaseRace{t: t, now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	c.w = core.New(c.now)
	for _, name := range []string{"a", "b", "c"} {
		c.all = append(c.all, &claimant{name: name, life: 1, alive: true, near: rapid.Bool().Draw(t, "near"),
			managed: rapid.Bool().Draw(t, "managed")})
	}
	c.must(core.Command{Kind: "create_task", By: core.Actor{Role: machine.Human, ID: "person"}, Text: "# Work"})
	return c
}

// owner returns the claimant that holds the lease, as far as the claimants know.
func (c *leaseRace) owner() *claimant {
	for _, one := range c.all {
		if c.w.Claim != nil && strings.HasPrefix(c.w.Claim.Session, one.name+"-") && c.w.Claim.Process.PID == one.life {
			return one
		}
	}
	return nil
}

// facts returns what project.Do learns about the holder.
func (c *leaseRace) facts() core.Facts {
	f := core.Facts{Now: c.now, NextSeq: c.seq + 1, TTL: ttl, Tree: "tree", TaskID: "t", Definition: &core.Definition{}}
	if c.w.Claim == nil {
		return f
	}
	owner := c.owner()
	switch {
	case owner == nil: // an earlier life
		for _, one := range c.all {
			f.HolderGone = f.HolderGone || one.near && one.name == c.w.Claim.Process.Host
		}
	case owner.near:
		f.HolderGone = !owner.alive
		f.HolderAlive = owner.alive && (!owner.managed || c.conductor)
	}
	return f
}

func (c *leaseRace) try(command core.Command) (core.Decision, error) {
	command.Facts = c.facts()
	return core.Decide(c.w, command, core.Limits{CheckRetries: 1000, ReviewCycles: 1000})
}

func (c *leaseRace) apply(command core.Command) error {
	d, err := c.try(command)
	if err != nil {
		return err
	}
	if before, after := c.w.Claim, d.World.Claim; command.Kind == "claim" && before != nil && after != nil &&
		before.Session != after.Session {
		c.taken(before.Session)
	}
	if command.Kind == "claim" {
		c.robbed = slices.DeleteFunc(c.robbed, func(s string) bool { return s == command.By.Session })
	}
	c.w = d.World
	if d.Event != "" {
		c.seq++
	}
	return nil
}

func (c *leaseRace) must(command core.Command) {
	if err := c.apply(command); err != nil {
		c.t.Fatalf("%s: %v", command.Kind, err)
	}
}

// taken is one session's loss of the lease to another.
func (c *leaseRace) taken(session string) {
	owner, w := c.owner(), c.w
	lapsed := w.LeaseUntil == nil || !c.now.Before(*w.LeaseUntil) || w.LastHeartbeat.After(c.now.Add(time.Second))
	known := owner != nil && owner.alive && owner.near && (!owner.managed || c.conductor)
	gone := c.facts().HolderGone
	switch {
	case known:
		c.t.Fatalf("%s is alive and lost its lease", session)
	case !lapsed && !gone:
		c.t.Fatalf("%s had a valid lease and lost it", session)
	}
	c.robbed = append(slices.DeleteFunc(c.robbed, func(s string) bool { return s == session }), session)
	c.robbed = c.robbed[max(0, len(c.robbed)-16):] // only a few are kept
}

// role returns the role that has something to do.
func (c *leaseRace) role() machine.Role {
	if c.w.State == task.Reviewing || len(c.w.Paused) > 0 && c.w.Paused[0] == task.Reviewing {
		return machine.Supervisor
	}
	return machine.Executor
}

// tools need the lease.
var tools = map[machine.Role][]machine.Kind{
	machine.Executor:   {"check", "submit", "consult", "wait_for_consult", "ask_human", "deliver", "heartbeat"},
	machine.Supervisor: {"approve", "reject", "deliver", "heartbeat"},
}

func use(kind machine.Kind, by core.Actor) core.Command {
	return core.Command{Kind: kind, By: by, Text: strings.Join(core.ConsultHeadings, "\nx\n") + "\nx"}
}

// turn is one random event.
func (c *leaseRace) turn() {
	one := rapid.SampledFrom(c.all).Draw(c.t, "who")
	switch rapid.IntRange(0, 11).Draw(c.t, "what") {
	case 0:
		c.now = c.now.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(c.t, "jump")))
	case 1:
		c.now = c.now.Add(time.Duration(rapid.Int64Range(0, int64(2*ttl)).Draw(c.t, "pass")))
	case 2:
		c.conductor = !c.conductor
	case 3:
		one.alive = false
	case 4:
		if !one.alive {
			one.alive, one.paused, one.life = true, false, one.life+1
		}
	case 5:
		one.paused = !one.paused
	case 6:
		c.others()
	default:
		if one.alive && !one.paused {
			c.work(one)
		}
	}
}

// work claims, or uses a tool; a tool that is accepted must have needed the lease.
func (c *leaseRace) work(one *claimant) {
	by := one.actor(c.role())
	kind := rapid.SampledFrom(append([]machine.Kind{"claim", "claim", "claim"}, tools[by.Role]...)).Draw(c.t, "tool")
	if kind == "approve" {
		kind = "reject" // the race continues
	}
	held := c.w.Claim != nil && c.w.Claim.Session == by.Session
	if err := c.apply(use(kind, by)); err == nil && kind != "claim" && kind != "deliver" && !held {
		c.t.Fatalf("%s by %s was accepted without the lease", kind, by.Session)
	}
}

// others do what the task waits for.
func (c *leaseRace) others() {
	human, itself := core.Actor{Role: machine.Human, ID: "person"}, core.Actor{Role: machine.Ferrus, ID: "ferrus"}
	w := c.w
	switch {
	case w.GateRunning():
		verdict := rapid.SampledFrom([]checks.Verdict{checks.Pass, checks.Pass, checks.Fail}).Draw(c.t, "verdict")
		c.must(core.Command{Kind: "checked", By: itself, Ticket: w.Gate.Ticket,
			Gate: &core.GateResult{Verdict: verdict, Tree: "tree"}})
	case w.State == task.AwaitingHuman:
		c.must(core.Command{Kind: "answer", By: human, Text: "yes", Ticket: w.Question.Ticket})
	case w.State == task.Consultation && !w.Consult.Answered:
		c.must(core.Command{Kind: "respond_consult", By: human, Text: "so", Ticket: w.Consult.Ticket})
	}
}

// check checks the invariants after each turn.
func (c *leaseRace) check() {
	holders := 0
	for _, one := range c.all {
		for role := range tools {
			by := one.actor(role)
			if _, err := c.try(use("heartbeat", by)); err == nil {
				holders++
			}
			c.stale(by)
		}
	}
	for _, session := range c.robbed { // earlier lives too
		name, rest, _ := strings.Cut(session, "-")
		role, _, _ := strings.Cut(rest, "-")
		by := (&claimant{name: name}).actor(machine.Role(role))
		by.Session = session
		c.stale(by)
	}
	if holders > 1 {
		c.t.Fatalf("%d sessions hold the lease", holders)
	}
}

// stale checks that every call of a session that lost the lease is refused as STALE.
func (c *leaseRace) stale(by core.Actor) {
	if !slices.Contains(c.robbed, by.Session) {
		return
	}
	for _, kind := range tools[by.Role] {
		_, err := c.try(use(kind, by))
		var refused *machine.Refusal
		if !errors.As(err, &refused) || refused.Code != machine.Stale {
			c.t.Fatalf("%s lost the lease; its %s in %s: %v, want STALE", by.Session, kind, c.w.State, err)
		}
	}
}

// Three processes compete for the lease while clocks jump and processes die, pause and wake. There
// are never two holders, a clock never takes the lease from a live one, and a session that lost it
// gets STALE from every tool that needs the lease, in every state.
func TestLease(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	rapid.Check(t, func(t *rapid.T) {
		c := newLeaseRace(t)
		for range rapid.IntRange(1, 150).Draw(t, "turns") {
			c.turn()
			c.check()
		}
	})
}
