package advice

import (
	"ferrus/hq/core"
	"strings"
	"testing"
	"time"
)

// TestInboxIsOrdered: everything at once is there once, most urgent first.
func TestInboxIsOrdered(t *testing.T) {
	w := core.World{State: "Failed", Since: time.Unix(1, 0), Hold: &core.Hold{Reason: "voided", Since: time.Unix(2, 0)}}
	w.FailureReason = "20 checks failed"
	f := InboxFacts{Config: "ferrus.toml:3: no", Untrusted: []string{"make"},
		SessionFacts: SessionFacts{
			Stopped: []StoppedSession{{Slot: core.SlotExecutor, Number: 3, Errors: 7, Exit: "exit 1"}}}}
	waits(t, Inbox(w, f), ItemTrust, ItemLimit, ItemFailure, ItemSession, ItemConfig)
	w = core.World{State: "AwaitingHuman", Hold: &core.Hold{Reason: "something new"}}
	w.Question = &core.Question{Ticket: 4, Role: "supervisor", Mode: core.ModeReview}
	all := Inbox(w, InboxFacts{Question: "which?\n"})
	waits(t, all, ItemQuestion, ItemHold)
	if q := all[0]; q.Text != "reviewer asks: which?" || q.Slot != core.SlotReviewer || q.Ticket != 4 ||
		q.ID != "question:4" {
		t.Errorf("%+v", q)
	}
	w.Question.Answered = true
	waits(t, Inbox(w, InboxFacts{}), ItemHold)
	w = core.World{State: "Consultation"}
	w.Consult = &core.Consult{Ticket: 9}
	all = Inbox(w, InboxFacts{Consult: "how?"})
	waits(t, all, ItemConsultation)
	if !all[0].Delegated {
		t.Error("a consultation is for the human alone")
	}
	waits(t, Inbox(w, InboxFacts{Problem: "STATE.json is damaged", Config: "no", Untrusted: []string{"make"}}),
		ItemProblem, ItemConfig)
	waits(t, Inbox(core.World{State: "Executing"}, InboxFacts{}))
}

// TestInboxLeavesOutSessionsThatYouStopped: an error before /stop does not make it one that gave up.
func TestInboxLeavesOutSessionsThatYouStopped(t *testing.T) {
	stopped := []StoppedSession{{Slot: core.SlotExecutor, Number: 3, Errors: 1}}
	f := InboxFacts{SessionFacts: SessionFacts{Stopped: stopped}}
	w := core.World{State: "Executing", Hold: &core.Hold{Reason: core.HoldStop}}
	waits(t, Inbox(w, f), ItemHold)
	w.Hold.Reason = core.HoldQuit
	waits(t, Inbox(w, f), ItemHold, ItemSession)
}

func TestInboxAsksForApproval(t *testing.T) {
	s := &core.Submission{Tree: "t1", Alarms: []core.Alarm{{Rule: "x", NeedsHuman: true}},
		Review: &core.Review{Decision: "endorsed", Tree: "t1"}}
	all := Inbox(core.World{State: "Reviewing", Submission: s}, InboxFacts{})
	waits(t, all, ItemApproval)
	s.Review.Tree = "t0"
	waits(t, Inbox(core.World{State: "Reviewing", Submission: s}, InboxFacts{}))
}

// waits compares what waits, and looks that each says what to do.
func waits(t *testing.T, all []InboxItem, want ...InboxKind) {
	t.Helper()
	var got, wanted []string
	seen := map[string]bool{}
	for _, i := range all {
		got = append(got, string(i.Kind))
		if i.Text == "" || i.Run == "" || seen[i.ID] {
			t.Errorf("%+v says nothing, or is there twice", i)
		}
		seen[i.ID] = true
	}
	for _, k := range want {
		wanted = append(wanted, string(k))
	}
	if g, w := strings.Join(got, " "), strings.Join(wanted, " "); g != w {
		t.Errorf("%s waits, want %s", g, w)
	}
}

// TestInboxAsksForHosts asks for those only that are not answered.
func TestInboxAsksForHosts(t *testing.T) {
	all := Inbox(core.World{State: "Executing"}, InboxFacts{Hosts: []AskedHost{
		{Host: "one.test", Task: "t", By: "executor:demo:1"}, {Host: "two.test", Task: "t", Answer: HostNo},
		{Host: "three.test", Answer: HostAlways}}})
	waits(t, all, ItemHost)
	if i := all[0]; i.ID != "host:t:one.test" || i.Type != "/network " ||
		!strings.Contains(i.Text, "executor:demo:1 wants to reach one.test") {
		t.Errorf("%+v", i)
	}
}
