package core

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

// The cast of a random run: two executors, two reviewers, and one actor of each other kind.
var actors = []Actor{
	human, program, executor, executor2, planner, reviewer, consultant,
	{Role: machine.Supervisor, ID: "supervisor:demo:1", Session: "r2", Mode: ModeFree},
	{Role: machine.Executor, ID: "executor:demo:1", Session: "e3", Mode: ModeFree},
}

// kinds are in a fixed order, so that a seed repeats its run.
var kinds = append([]machine.Kind{"dance"}, slices.Sorted(maps.Keys(deciders))...)

// randomWorld is a World with everything that a test records about it.
type randomWorld struct {
	*loop
	alive map[string]bool // sessions whose processes live
}

// command draws anything that any actor may try, with facts that fit the state.
func (s *randomWorld) command(t *rapid.T) Command {
	c := Command{
		Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
		By:   rapid.SampledFrom(actors).Draw(t, "by"),
		Text: rapid.SampledFrom([]string{"", "text", request}).Draw(t, "text"),
	}
	if rapid.Bool().Draw(t, "likely") {
		c.Kind = rapid.SampledFrom(likely[s.w.State]).Draw(t, "likely kind")
		c.By, c.Text = s.fit(t, c.Kind), request
	}
	if rapid.IntRange(0, 3).Draw(t, "numbered") == 0 {
		c.Ticket = rapid.Uint64Range(0, s.seq+1).Draw(t, "ticket")
	}
	if c.Kind == "checked" || c.Kind == "rejudge" || rapid.Bool().Draw(t, "gate") {
		c.Gate = &GateResult{Verdict: rapid.SampledFrom([]checks.Verdict{checks.Pass, checks.Pass, checks.Fail,
			checks.Timeout, checks.Unproven, checks.Flaky, checks.Cancelled, "x"}).Draw(t, "verdict"), Tree: "a"}
	}
	if rapid.Bool().Draw(t, "select") {
		c.Select = &Selection{SelectedSpec: "docs/a.md"}
	}
	c.Facts.Tree = rapid.SampledFrom([]string{"a", "a", "a", "b", ""}).Draw(t, "tree")
	c.Facts.StillEnding = rapid.IntRange(0, 9).Draw(t, "ending") == 0
	c.Facts.Unattended = rapid.Bool().Draw(t, "unattended")
	c.Facts.AllowNone = rapid.Bool().Draw(t, "allow none")
	c.Facts.Definition = &Definition{}
	if s.w.Claim != nil {
		c.Facts.HolderAlive = s.alive[s.w.Claim.Session]
		c.Facts.HolderGone = !c.Facts.HolderAlive && rapid.Bool().Draw(t, "gone is known")
	}
	return c
}

// fit draws an actor who is likely to send the command: the holder of the lease, if it has the
// right role.
func (s *randomWorld) fit(t *rapid.T, kind machine.Kind) Actor {
	switch kind {
	case "checked", "gate_lost", "voided", "rejudge":
		return program
	case "create_task", "retry", "reset", "answer":
		return human
	case "respond_consult":
		return consultant
	}
	role := machine.Executor
	if s.w.IsIn(task.Reviewing) {
		role = machine.Supervisor
	}
	for _, a := range actors {
		if s.w.HeldBy(a) {
			return a
		}
	}
	return rapid.SampledFrom(slices.DeleteFunc(slices.Clone(actors), func(a Actor) bool {
		return a.Role != role
	})).Draw(t, "fit")
}

// likely returns the commands that advance a task, so that a run reaches every state.
var likely = map[machine.State][]machine.Kind{
	task.Idle: {"create_task"}, task.Complete: {"create_task", "landed", "returned", "rejudge"},
	task.Failed:       {"retry", "reset"},
	task.Executing:    {"claim", "check", "submit", "consult", "ask_human"},
	task.Addressing:   {"claim", "check", "submit", "consult", "ask_human"},
	task.Checking:     {"checked", "submit", "gate_lost", "claim"},
	task.Consultation: {"respond_consult", "wait_for_consult", "ask_human"},
	task.Reviewing:    {"claim", "approve", "reject", "voided"}, task.AwaitingHuman: {"answer", "claim"},
}

// Any actor sends any command, processes die, and the clock jumps. A refusal changes nothing; every
// accepted World can be stored as JSON; two sessions never share the lease; a living holder never
// loses it to another; tickets and counters stay valid.
func TestRandomPlays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := &randomWorld{newLoop(t), map[string]bool{}}
		s.lim = Limits{CheckRetries: 3, ReviewCycles: 2}
		for _, a := range actors {
			s.alive[a.Session] = true
		}
		for range rapid.IntRange(1, 120).Draw(rt, "length") {
			s.world(rt)
			s.act(rt, s.command(rt))
		}
	})
}

// world draws an event without an actor.
func (s *randomWorld) world(t *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(t, "world") {
	case 0:
		s.now = s.now.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "jump")))
	case 1:
		who := rapid.SampledFrom(actors).Draw(t, "who").Session
		s.alive[who] = !s.alive[who]
	}
}

func (s *randomWorld) act(t *rapid.T, c Command) {
	before := encode(t, s.w)
	d, err := s.decide(c)
	if again := encode(t, s.w); again != before {
		t.Fatalf("%s changed the World it was given:\n%s\n%s", c.Kind, before, again)
	}
	if err != nil {
		s.refusedWell(t, c, err)
		return
	}
	was := s.w
	s.w = d.World
	if d.Event != "" {
		s.seq++
	}
	s.keeps(t, d)
	s.leaseIsSafe(t, was, c, d)
	s.isSound(t, was, d)
}

func (s *randomWorld) refusedWell(t *rapid.T, c Command, err error) {
	r := machine.AsRefusal(err)
	if r == nil || r.Error() == "" || r.State != s.w.State {
		t.Fatalf("%s: %v is no proper refusal", c.Kind, err)
	}
}

func encode(t *rapid.T, w World) string {
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// keeps checks that a World survives being written and read.
func (s *randomWorld) keeps(t *rapid.T, d Decision) {
	var back World
	text := encode(t, d.World)
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, d.World) {
		t.Fatalf("not kept unchanged:\n%#v\n%#v", back, d.World)
	}
	if !reflect.DeepEqual(back.Normalize(), back) {
		t.Fatalf("not normal: %s", text)
	}
}

func (s *randomWorld) leaseIsSafe(t *rapid.T, was World, c Command, d Decision) {
	w := d.World
	if (w.Claim == nil) != (w.ClaimedBy == "") || (w.Claim == nil) != (w.LeaseUntil == nil) {
		t.Fatalf("half a lease: %+v", w.Lease)
	}
	robbed := was.Claim != nil && w.Claim != nil && was.Claim.Session != w.Claim.Session
	if robbed && s.alive[was.Claim.Session] {
		t.Fatalf("%s took the lease from %s, which lives", c.By.ID, was.ClaimedBy)
	}
	if robbed && c.Kind != "claim" {
		t.Fatalf("%s moved the lease", c.Kind)
	}
	needs := map[machine.Kind]bool{"submit": true, "consult": true, "wait_for_consult": true}
	if needs[c.Kind] && !was.HeldBy(c.By) {
		t.Fatalf("%s without the lease", c.Kind)
	}
	if w.HeldBy(c.By) && (w.LastHeartbeat == nil || !w.LastHeartbeat.Equal(s.now)) {
		t.Fatalf("%s by the holder did not renew", c.Kind)
	}
}

func (s *randomWorld) isSound(t *rapid.T, was World, d Decision) {
	w := d.World
	if d.Event == "" {
		was.Lease, w.Lease = Lease{}, Lease{}
		if !reflect.DeepEqual(was, w) {
			t.Fatalf("changed without an event:\n%+v\n%+v", was, w)
		}
	}
	if w.State != was.State && d.Event == "" || d.Event != "" && d.Why == "" {
		t.Fatalf("%s is not accounted for: %q", d.Event, d.Why)
	}
	if w.CheckRetries > s.lim.CheckRetries || w.ReviewCycles > s.lim.ReviewCycles {
		t.Fatalf("beyond the limits: %+v", w.Counters)
	}
	if w.IsIn(task.Checking) && (w.Gate == nil || w.Gate.Ticket == 0) || w.IsIn(task.Consultation) &&
		w.Consult == nil ||
		w.State == task.AwaitingHuman && w.Question == nil || w.IsIn(task.Reviewing) && w.Submission == nil {
		t.Fatalf("%s without what it is about", w.State)
	}
	if d.Result.Status == "" || d.Result.State != w.State || Advice.Explain(w) == "" {
		t.Fatalf("%+v", d.Result)
	}
	if w.State != task.Idle && (w.Task == nil || w.Epoch < was.Epoch) {
		t.Fatalf("%s without a task", w.State)
	}
}
