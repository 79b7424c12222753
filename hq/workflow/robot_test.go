package workflow

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// robot carries out a workflow in memory: its sessions follow only next, while ferrus and the human
// act at random.
type robot struct {
	*testing.T
	*rand.Rand
	d      Document
	seq    uint64
	world  core.World
	track  flow.Track
	phases []machine.State
	calls  []string // of all sessions, for a failure's report
}

func (r *robot) chance(of int) bool { return r.IntN(of) == 0 }

// command executes a command and returns the refusal, if any.
func (r *robot) command(by core.Actor, c Command) error {
	r.Helper()
	r.seq++
	c.By, c.Now, c.Seq = by, time.Unix(int64(r.seq), 0), r.seq
	c.Observed.Published = r.d.Synthesis != nil && r.d.Synthesis.PRURL != ""
	made, err := Decide(r.d, c)
	if machine.IsRefusal(err) {
		return err
	}
	if err != nil {
		r.Fatalf("%s: %v\n%v", c.Kind, err, r.calls)
	}
	if r.d = made.Document; r.phases == nil || r.phases[len(r.phases)-1] != r.d.Phase {
		r.phases = append(r.phases, r.d.Phase)
	}
	return nil
}

// must executes a command of ferrus or the human that must not be refused.
func (r *robot) must(by core.Actor, c Command) {
	r.Helper()
	if err := r.command(by, c); err != nil {
		r.Fatalf("%s in %s: %v\n%v", c.Kind, r.d.Phase, err, r.calls)
	}
}

// session follows next until it says to end.
func (r *robot) session() {
	r.Helper()
	refused := 0
	for range 12 {
		next := advice.NextInPhase(r.d.Flow(), r.d.Snap(), r.d.Facts(Observed{}))
		r.calls = append(r.calls, fmt.Sprintf("%s: %s", r.d.Phase, next))
		if strings.HasPrefix(next, core.EndSession) {
			return
		}
		if err := r.command(supervisor, r.obey(next)); err == nil {
			refused = 0
		} else if refused++; refused > 1 {
			r.Fatalf("refused twice in a row: %v\n%v", err, r.calls)
		}
	}
	r.Fatalf("the session does not end\n%v", r.calls)
}

// obey makes the call that next names.
func (r *robot) obey(next string) Command {
	_, call, _ := strings.Cut(next, "call ")
	tool, rest, _ := strings.Cut(strings.ReplaceAll(call, ":", ""), " ")
	words := strings.Fields(rest)
	last := words[len(words)-1]
	switch machine.Kind(tool) {
	case "plan_tasks":
		return Command{Kind: flow.KindPlanTasks, Tasks: []Task{{ID: fmt.Sprint("t", r.seq), Text: "do it"}}}
	case "record_review":
		verdict := []string{ReviewPass, ReviewPass, ReviewPass, ReviewFail, ReviewBlocked}[r.IntN(5)]
		missing, _, _ := r.d.reviews()
		dimension, _, _ := strings.Cut(missing, ", ")
		return Command{Kind: flow.KindRecordReview, Dimension: dimension, Verdict: verdict, Text: "names"}
	case "select_track":
		if !slices.Contains(words, string(r.track)) {
			r.Fatalf("next is %q, want the offer of %s", next, r.track)
		}
		return Command{Kind: flow.KindSelectTrack, Track: r.track}
	case "workflow_set":
		if words[1] == "phase" {
			return Command{Kind: KindSet, To: machine.State(last)}
		}
		return Command{Kind: KindSet, Updates: updateFor(r.T, flow.Evidence(strings.TrimPrefix(last, "updates.")))}
	}
	r.Fatalf("next names no tool: %q", next)
	return Command{}
}

// updateFor returns an update that records the given kind of evidence.
func updateFor(t *testing.T, e flow.Evidence) *Updates {
	t.Helper()
	all := map[flow.Evidence]*Updates{
		flow.Design: {Artifacts: &ArtifactSet{Design: "x"}}, flow.PlanText: {Artifacts: &ArtifactSet{Plan: "x"}},
		flow.RCA: {Artifacts: &ArtifactSet{RCA: "x"}}, flow.FixDesign: {Artifacts: &ArtifactSet{FixDesign: "x"}},
		flow.Triage: {Triage: &Triage{Failure: "x"}}, flow.Scope: {Explore: &Explore{ScopeAssessment: "x"}},
		flow.Docs:     {Validation: &ValidationSet{DocsUpdated: true}},
		flow.Finished: {Implementation: &ImplementedSet{Complete: true}},
	}
	if all[e] == nil {
		t.Fatalf("next asks for evidence that no update records: %q", e)
	}
	return all[e]
}

// step performs the next step in the role that it belongs to.
func (r *robot) step() {
	switch n := PlanNext(&r.d, TaskLoop{World: r.world}); n.Do {
	case DoEnter, DoRecord:
		r.must(itself, n.Command)
	case DoSession:
		r.session()
	case DoCreate:
		r.world = core.World{State: "Executing", Task: &core.Task{ID: fmt.Sprint("loop", r.seq),
			Origin: r.d.Origin(n.Task)}}
	case DoLoop:
		r.world.State = "Complete"
		if r.chance(6) {
			r.world.State = "Failed"
		}
	case DoReset:
		r.world = core.World{State: "Idle"}
	case DoGate:
		passed := !r.chance(3)
		r.must(itself, Command{Kind: flow.KindValidated, Gate: &Validation{TestsPass: &passed}})
	case DoPublish:
		c := Command{Kind: flow.KindPublished, Synthesis: &Synthesis{PRURL: "https://example.com/1"}}
		if r.chance(3) {
			c = Command{Kind: flow.KindPublishFailed, Synthesis: &Synthesis{LastError: "no network"}}
		}
		r.must(itself, c)
	default:
		r.human()
	}
}

// human answers the workflow's question.
func (r *robot) human() {
	may := r.d.answers()
	may = slices.DeleteFunc(may, func(k machine.Kind) bool { return k == flow.KindCancel })
	if len(may) == 0 {
		r.phases = append(r.phases, "asks nothing that can be answered") // publishing failed too often
		r.d.Phase = flow.Cancelled
		return
	}
	kind := may[0]
	if len(may) > 1 && r.chance(3) {
		kind = may[1]
	}
	r.must(human, Command{Kind: kind, Text: "say how it is tested", Ticket: r.d.Counters.Ticket})
}

// Robots that follow next bring every workflow to its end on every track, whatever the gate, the
// reviews, publishing and the human decide; and they publish nothing unasked.
func TestRobotsObeyNext(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("FERRUS_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("FERRUS_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	tracks := map[flow.Type][]flow.Track{
		flow.Debug: {flow.Hotfix, flow.Thorough}, flow.Refactor: {flow.Polish, flow.Overhaul},
	}
	for _, kind := range flow.Types {
		for n := range 60 {
			r := &robot{T: t, Rand: random}
			if all := tracks[kind]; all != nil {
				r.track = all[n%len(all)]
			}
			r.d = Document{
				ID: "w-1", Type: kind, Phase: flow.Of(kind).Start().At, Required: slices.Clone(Dimensions),
			}
			r.d.Oneshot = &Oneshot{SynthesisPolicy: flow.OnRequest}
			for range 500 {
				if r.d.IsFinal() {
					break
				}
				r.step()
			}
			if !r.d.IsFinal() {
				t.Fatalf("%s %s does not end: %v\n%v", kind, r.track, r.phases, r.calls)
			}
			if kind == flow.Oneshot && slices.Contains(r.phases, flow.Synthesize) {
				t.Fatalf("a oneshot was published unasked\n%v", r.calls)
			}
		}
	}
}

// A oneshot's session ends its work with finalize_oneshot, which is accepted before the gate and
// again after a failed one; the gate then leads to the end.
func TestFinalizeOneshotCanBeCalled(t *testing.T) {
	r := &robot{T: t}
	r.d = Document{ID: "w-1", Type: flow.Oneshot, Phase: flow.Plan}
	r.must(supervisor, Command{Kind: KindSet, Updates: updateFor(t, flow.PlanText), To: "implementing"})
	for _, passed := range []bool{false, true} {
		r.must(supervisor, Command{Kind: KindFinalize})
		if n := PlanNext(&r.d, TaskLoop{}); n.Do != DoGate {
			t.Fatalf("after finalize_oneshot next is %+v, want the gate", n)
		}
		r.must(itself, Command{Kind: flow.KindValidated, Gate: &Validation{TestsPass: &passed}})
	}
	r.must(supervisor, Command{Kind: KindFinalize})
	if r.d.Phase != flow.Completed {
		t.Errorf("the workflow ended in %s, want completed", r.d.Phase)
	}
}
