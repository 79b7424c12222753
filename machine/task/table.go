package task

import "ferrus/machine"

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
)

// Table is the machine under limits.
func Table(lim Limits) *machine.Table[Data] {
	return &machine.Table[Data]{
		Name:    "task",
		States:  States,
		Final:   []machine.State{Complete, Failed},
		Rows:    rows(lim),
		Stack:   func(d *Data) *machine.Stack { return &d.Paused },
		Late:    late,
		LateWhy: lateWhy,
	}
}

func rows(lim Limits) []row {
	var (
		executor   = []machine.Role{machine.Executor}
		supervisor = []machine.Role{machine.Supervisor}
		person     = []machine.Role{machine.Human}
		ferrus     = []machine.Role{machine.Ferrus}
		planners   = []machine.Role{machine.Supervisor, machine.Human}
		cancellers = []machine.Role{machine.Ferrus, machine.Human}

		working  = []machine.State{Executing, Addressing}
		checking = []machine.State{Checking}
		work     = []machine.State{Executing, Addressing, Checking}
	)
	return []row{
		{From: at(Idle, Complete), On: KindCreateTask, By: planners, If: all(text, ended), To: Executing, Set: fresh,
			Note: "counters 0; a Complete task is archived first; the base is recorded"},

		{From: working, On: KindCheck, By: executor, If: all(holder), To: Checking, Set: ask, Note: "new ticket; remembers where it came from"},
		{From: working, On: KindCheck, By: person, If: all(unclaimed), To: Checking, Set: ask, Note: "new ticket; remembers where it came from"},
		{From: checking, On: KindCheck, By: executor, When: all(passed), If: all(holder), To: Checking, Set: askAgain, Note: "new ticket; keeps where it came from"},
		{From: checking, On: KindCheck, By: person, When: all(passed), If: all(unclaimed), To: Checking, Set: askAgain, Note: "new ticket; keeps where it came from"},
		{From: checking, On: KindCheck, By: executor, When: all(running), If: all(holder), Note: "joins the running ticket: no event"},
		{From: checking, On: KindCheck, By: person, When: all(running), Note: "joins the running ticket: no event"},

		{From: checking, On: KindChecked, By: ferrus, When: all(running, green), To: Checking, Set: pass, Note: "`check_retries` 0; bound to the tree"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, red, lim.retryLeft()), To: Addressing, Set: fail, Note: "`check_retries` + 1"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, red, lim.noRetryLeft()), To: Failed, Set: fail, Note: "`check_retries` + 1; lease cleared"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, unproven, allowed), To: Checking, Set: allow, Note: "the verdict UNPROVEN is kept"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, unproven, notAllowed), Back: from, May: working, Set: noGate, Note: "counts nothing; hold: the person is asked"},
		{From: checking, On: KindCheckCancelled, By: cancellers, When: all(running), Back: from, May: working, Set: noGate, Note: "counts nothing"},
		{From: checking, On: KindGateLost, By: ferrus, When: all(running, runnerLeft), To: Checking, Set: lose, Note: "the same ticket runs again"},
		{From: checking, On: KindGateLost, By: ferrus, When: all(running, noRunnerLeft), Back: from, May: working, Set: noGate, Note: "cancelled as gate lost"},

		{From: checking, On: KindSubmit, By: executor, When: all(passed, treeSame), If: all(holder, text), To: Reviewing, Set: noGate, Note: "the submission is bound to the tree; lease cleared"},
		{From: checking, On: KindSubmit, By: executor, When: all(passed, treeMoved), If: all(holder, text), To: Checking, Set: askAgain, Note: "the gate runs first, as `check`"},
		{From: checking, On: KindSubmit, By: executor, When: all(running), If: all(holder, text), Note: "joins the running ticket: no event"},
		{From: working, On: KindSubmit, By: executor, If: all(holder, text), To: Checking, Set: ask, Note: "the gate runs first, as `check`"},

		{From: work, On: KindConsult, By: executor, If: all(atRest, holder, text, template), To: Consultation, Push: true, Set: consult, Note: "new ticket"},
		{From: at(Consultation), On: KindRespondConsult, By: planners, If: all(unanswered, text), To: Consultation, Set: respond, Note: "by the consult's ticket, not by the lease"},
		{From: at(Consultation), On: KindWaitForConsult, By: executor, If: all(answered, holder), Return: true, May: work, Set: noConsult},

		{From: work, On: KindAskHuman, By: executor, If: all(atRest, holder, text), To: AwaitingHuman, Push: true, Set: question, Note: "new ticket"},
		{From: at(Consultation, Reviewing), On: KindAskHuman, By: supervisor, If: all(text), To: AwaitingHuman, Push: true, Set: question, Note: "new ticket; nests over Consultation"},
		{From: at(AwaitingHuman), On: KindAnswer, By: person, If: all(text), Return: true, May: at(Executing, Addressing, Checking, Consultation, Reviewing), Set: noQuestion, Note: "by the question's ticket; the text waits for `wait_for_answer`"},
		{From: at(AwaitingHuman), On: KindAnswer, By: supervisor, If: all(text, unattended, notTheAsker), Return: true, May: at(Executing, Addressing, Checking, Consultation, Reviewing), Set: noQuestion, Note: "by the question's ticket; the text waits for `wait_for_answer`"},

		{From: at(Reviewing), On: KindApprove, By: supervisor, If: all(reviewHolder, treeUnchanged, noAlarms), To: Complete, Note: "lease cleared"},
		{From: at(Reviewing), On: KindApprove, By: person, If: all(treeUnchanged), To: Complete, Note: "lease cleared"},
		{From: at(Reviewing), On: KindReject, By: supervisor, When: all(lim.cycleLeft()), If: all(reviewHolder, text), To: Addressing, Set: reject, Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: at(Reviewing), On: KindReject, By: person, When: all(lim.cycleLeft()), If: all(text), To: Addressing, Set: reject, Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: at(Reviewing), On: KindReject, By: supervisor, When: all(lim.noCycleLeft()), If: all(reviewHolder, text), To: Failed, Set: reject, Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: at(Reviewing), On: KindReject, By: person, When: all(lim.noCycleLeft()), If: all(text), To: Failed, Set: reject, Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: at(Reviewing), On: KindVoided, By: ferrus, To: Addressing, Set: void, Note: "the tree is not the submitted one; counts nothing; third time: hold"},

		{From: at(Complete), On: KindReturned, By: ferrus, If: all(text), To: Addressing, Set: again, Note: "it does not fit onto the branch, or is red there; both counters 0"},
		{From: at(Failed), On: KindRetry, By: person, To: Addressing, Set: again, Note: "both counters 0, `failure_reason` cleared"},
		{From: States, On: KindReset, By: person, To: Idle, Set: fresh, Note: "the epoch moves on; files are archived"},
		{From: at(Failed), On: KindReset, By: supervisor, To: Idle, Set: fresh, Note: "the epoch moves on; files are archived"},
	}
}
