package task

import "ferrus/machine"

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
)

// Table returns the machine under limits.
//
// One task is open at a time. Checking is a state of the task and not of the executor:
// the gate runs on whatever tree there is, and its pass is bound to that tree by the
// caller (Submit.TreeSame). A pause (Consultation, AwaitingHuman) pushes the state it
// interrupts, so that the answer returns exactly there; only a question to the human
// nests, over a consultation.
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
		human      = []machine.Role{machine.Human}
		ferrus     = []machine.Role{machine.Ferrus}
		planners   = []machine.Role{machine.Supervisor, machine.Human}
		cancellers = []machine.Role{machine.Ferrus, machine.Human}

		working  = []machine.State{Executing, Addressing}
		checking = []machine.State{Checking}
		work     = []machine.State{Executing, Addressing, Checking}
	)
	return []row{
		// A task begins. Failed is missing on purpose: the human decides first what
		// becomes of it.
		{From: states(Idle, Complete), On: KindCreateTask, By: planners, If: all(text, ended),
			To: Executing, Set: newTask,
			Note: "counters 0; a Complete task is archived first; the base is recorded"},

		// A gate starts, or is joined: asking twice never runs two. The human may check
		// only while no executor holds the lease, because the verdict would move the
		// task under it.
		{From: working, On: KindCheck, By: executor, If: all(holder), To: Checking, Set: startGate,
			Note: "new ticket; remembers where it came from"},
		{From: working, On: KindCheck, By: human, If: all(unclaimed), To: Checking, Set: startGate,
			Note: "new ticket; remembers where it came from"},
		{From: checking, On: KindCheck, By: executor, When: all(passed), If: all(holder), To: Checking,
			Set: restartGate, Note: "new ticket; keeps where it came from"},
		{From: checking, On: KindCheck, By: human, When: all(passed), If: all(unclaimed), To: Checking,
			Set: restartGate, Note: "new ticket; keeps where it came from"},
		{From: checking, On: KindCheck, By: executor, When: all(running), If: all(holder),
			Note: "joins the running ticket: no event"},
		{From: checking, On: KindCheck, By: human, When: all(running), Note: "joins the running ticket: no event"},

		// The gate ends. A pass keeps the task in Checking, a failure leads to
		// Addressing or Failed, and a gate that proved nothing returns to where it came
		// from and counts nothing.
		{From: checking, On: KindChecked, By: ferrus, When: all(running, green), To: Checking, Set: passGate,
			Note: "`check_retries` 0; bound to the tree"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, flaky), To: Checking, Set: passFlaky,
			Note: "`check_retries` 0; bound to the tree; its approval needs the human"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, red, lim.retryLeft()), To: Addressing,
			Set: failGate, Note: "`check_retries` + 1"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, red, lim.noRetryLeft()), To: Failed,
			Set: failGate, Note: "`check_retries` + 1; lease cleared"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, unproven, allowed), To: Checking,
			Set: passUnproven, Note: "the verdict UNPROVEN is kept"},
		{From: checking, On: KindChecked, By: ferrus, When: all(running, unproven, notAllowed), Back: gateOrigin,
			May: working, Set: clearGate, Note: "counts nothing; hold: the human is asked"},
		{From: checking, On: KindCheckCancelled, By: cancellers, When: all(running), Back: gateOrigin, May: working,
			Set: clearGate, Note: "counts nothing"},
		{From: checking, On: KindGateLost, By: ferrus, When: all(running, runnerLeft), To: Checking,
			Set: countLostRunner, Note: "the same ticket runs again"},
		{From: checking, On: KindGateLost, By: ferrus, When: all(running, noRunnerLeft), Back: gateOrigin, May: working,
			Set: clearGate, Note: "cancelled as gate lost"},

		// Work is submitted on the very tree that passed. In every other case the same
		// call starts the gate, and is repeated by its caller after the verdict.
		{From: checking, On: KindSubmit, By: executor, When: all(passed, treeSame, provenInFull), If: all(holder, text),
			To: Reviewing, Set: clearGate, Note: "the submission is bound to the tree; lease cleared"},
		{From: checking, On: KindSubmit, By: executor, When: all(passed, treeMoved), If: all(holder, text),
			To: Checking, Set: restartGate, Note: "the gate runs first, as `check`"},
		{From: checking, On: KindSubmit, By: executor, When: all(passed, treeSame, provenInPart), If: all(holder, text),
			To: Checking, Set: restartGate, Note: "the gate runs first, in full"},
		{From: checking, On: KindSubmit, By: executor, When: all(running), If: all(holder, text),
			Note: "joins the running ticket: no event"},
		{From: working, On: KindSubmit, By: executor, If: all(holder, text), To: Checking, Set: startGate,
			Note: "the gate runs first, as `check`"},

		// The executor consults the supervisor. While it does, the task is at rest: no
		// gate runs, and its lease stays with it.
		{From: work, On: KindConsult, By: executor, If: all(atRest, holder, text, template), To: Consultation,
			Push: true, Set: openConsult, Note: "new ticket"},
		{From: states(Consultation), On: KindRespondConsult, By: planners, If: all(unanswered, text), To: Consultation,
			Set: answerConsult, Note: "by the consult's ticket, not by the lease"},
		{From: states(Consultation), On: KindWaitForConsult, By: executor, If: all(answered, holder), Return: true,
			May: work, Set: clearConsult},

		// An agent asks the human. The consultant's question nests over the
		// consultation that it is about.
		{From: work, On: KindAskHuman, By: executor, If: all(atRest, holder, text), To: AwaitingHuman, Push: true,
			Set: openQuestion, Note: "new ticket"},
		{From: states(Consultation, Reviewing), On: KindAskHuman, By: supervisor, If: all(text), To: AwaitingHuman,
			Push: true, Set: openQuestion, Note: "new ticket; nests over Consultation"},
		{From: states(AwaitingHuman), On: KindAnswer, By: human, If: all(text), Return: true,
			May: states(Executing, Addressing, Checking, Consultation, Reviewing), Set: clearQuestion,
			Note: "by the question's ticket; the text waits for `wait_for_answer`"},
		{From: states(AwaitingHuman), On: KindAnswer, By: supervisor, If: all(text, unattended, notTheAsker),
			Return: true, May: states(Executing, Addressing, Checking, Consultation, Reviewing), Set: clearQuestion,
			Note: "by the question's ticket; the text waits for `wait_for_answer`"},

		// The review ends. A supervisor needs the lease on it and is bound by alarms;
		// the human needs neither, but no one approves another tree than the submitted
		// one.
		{From: states(Reviewing), On: KindApprove, By: supervisor, If: all(reviewHolder, treeUnchanged, notFlaky,
			noAlarms), To: Complete, Set: clearFlaky, Note: "lease cleared"},
		{From: states(Reviewing), On: KindApprove, By: human, If: all(treeUnchanged), To: Complete, Set: clearFlaky,
			Note: "lease cleared"},
		{From: states(Reviewing), On: KindReject, By: supervisor, When: all(lim.cycleLeft()),
			If: all(reviewHolder, text), To: Addressing, Set: countRejection,
			Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: states(Reviewing), On: KindReject, By: human, When: all(lim.cycleLeft()), If: all(text), To: Addressing,
			Set: countRejection, Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: states(Reviewing), On: KindReject, By: supervisor, When: all(lim.noCycleLeft()),
			If: all(reviewHolder, text), To: Failed, Set: countRejection,
			Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: states(Reviewing), On: KindReject, By: human, When: all(lim.noCycleLeft()), If: all(text), To: Failed,
			Set: countRejection, Note: "`review_cycles` + 1, `check_retries` 0, lease cleared"},
		{From: states(Reviewing), On: KindVoided, By: ferrus, To: Addressing, Set: countVoided,
			Note: "the tree is not the submitted one; counts nothing; third time: hold"},

		// Finished work continues: after a failed landing, by the human, or by a
		// reset, the only event that every state allows.
		{From: states(Complete), On: KindReturned, By: ferrus, If: all(text), To: Addressing, Set: clearCounters,
			Note: "it conflicts with the branch, or its checks fail there; both counters 0"},
		{From: states(Complete), On: KindReturned, By: human, If: all(text), To: Addressing, Set: clearCounters,
			Note: "with comments on the change, before it lands; both counters 0"},
		{From: states(Complete), On: KindRejudge, By: ferrus, If: all(text, provenAgain), To: Reviewing,
			Set:  judgeAgain,
			Note: "on the branch's new tip it is a different change, which is reviewed again; both counters 0"},
		{From: states(Failed), On: KindRetry, By: human, To: Addressing, Set: clearCounters,
			Note: "both counters 0, `failure_reason` cleared"},
		{From: States, On: KindReset, By: human, To: Idle, Set: newTask,
			Note: "the epoch increases; files are archived"},
		{From: states(Failed), On: KindReset, By: supervisor, To: Idle, Set: newTask,
			Note: "the epoch increases; files are archived"},
	}
}
