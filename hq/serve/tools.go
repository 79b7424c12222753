package serve

import (
	"slices"

	"ferrus/hq/core"
)

var cursorParam = param{"cursor", "the cursor of the last result of this tool, so that no two calls are alike", true}

// taskTools are the tools of the task loop.
var taskTools = []toolRow{
	{tool{name: "create_task", title: "Create the task", roles: supervisorOnly,
		modes: []core.Mode{core.ModeTask, core.ModePlan}, once: true,
		about: "Create the ferrus task from the approved task text. The executor starts to implement it at once. " +
			"Allowed when there is no open task (Idle or Complete).",
		params: []param{{"description", "the whole task as Markdown: what is wanted, why, and how it is accepted; " +
			"the first line becomes its title", false}}},
		toCommand(core.KindCreateTask, "description")},
	{tool{name: "create_spec", title: "Write a specification", roles: supervisorOnly,
		modes: []core.Mode{core.ModeSpec, core.ModePlan}, once: true,
		about: "Write an approved feature specification with milestones to a new file of the project and select it " +
			"and its first open milestone for the next task.",
		params: []param{{"markdown", "the whole specification as Markdown, following ferrus://spec_template", false}}},
		writeSpec},
	{tool{name: "wait_for_review", title: "Wait for a submission", roles: supervisorOnly,
		modes: reviewMode, reads: true,
		about: "Wait until a submission is to be reviewed and claim it. Returns the task, the submission and " +
			"earlier review notes. Call it again with its cursor when it times out.",
		params: []param{cursorParam}},
		waitForWork},
	{tool{name: "review_pending", title: "Read what is to be reviewed", roles: supervisorOnly,
		modes: reviewMode, reads: true,
		about: "Read the submission under review: task, submission notes, previous review notes, the verdict of the " +
			"check gate with what its tests counted, alarms about changes to the checks themselves, and the " +
			"difference by file. Changes nothing."},
		readSubmission},
	{tool{name: "approve", title: "Approve the submission", roles: supervisorOnly,
		modes: reviewMode, once: true,
		about: "Accept the submission under review: the task is Complete. Only for work that meets the task and " +
			"whose checks passed on the submitted tree."},
		toCommand(core.KindApprove, "")},
	{tool{name: "reject", title: "Reject the submission", roles: supervisorOnly, modes: reviewMode, once: true,
		about: "Send the submission under review back to the executor with review notes. After the last review " +
			"cycle the task is Failed.",
		params: []param{{"notes", "what must change, concretely, and why, as Markdown", false}}},
		toCommand(core.KindReject, "notes")},
	{tool{name: "respond_consult", title: "Answer a consultation", roles: supervisorOnly,
		modes: consultMode, once: true,
		about:  "Answer the executor's open consultation. The question is in ferrus://consult_request.",
		params: []param{{"response", "the answer, direct and complete, as Markdown", false}}},
		toReply(core.KindRespondConsult, "response")},
	{tool{name: "wait_for_task", title: "Wait for a task", roles: executorOnly, modes: workModes, reads: true,
		about: "Wait until there is a task to work on and claim it. Returns the task text, review notes, " +
			"consultations and answers so far, and in next the tool to call now. Call it first, and again with its " +
			"cursor when it times out.",
		params: []param{cursorParam}},
		waitForWork},
	{tool{name: "check", title: "Run the check gate", roles: executorOnly, modes: workModes,
		about: "Run the project's check gate (tests, linters, build) on the work as it is and return its verdict " +
			"with a report. Use it whenever you want to test; do not run the checks yourself. When it answers " +
			"running, call it again with its cursor.",
		params: []param{cursorParam}},
		runCheck},
	{tool{name: "submit", title: "Submit the work for review", roles: executorOnly, modes: workModes,
		about: "Hand the finished work in for review. Runs the check gate first unless it passed on exactly this " +
			"tree, and submits only on a pass. When it answers running, call it again with the same content and " +
			"its cursor.",
		params: []param{{"content", "the submission as Markdown: Summary; How to verify manually; Known limitations " +
			"(omit if none)", false}, cursorParam}},
		runSubmit},
	{tool{name: "consult", title: "Consult the supervisor", roles: executorOnly, modes: workModes, once: true,
		about: "Ask the supervisor about the code, the task or the architecture and pause. Then call wait_for_consult.",
		params: []param{{"question", "Markdown with the four headings of ferrus://consult_template: Problem, What I " +
			"tried, Options (if any), Question", false}}},
		toCommand(core.KindConsult, "question")},
	{tool{name: "wait_for_consult", title: "Wait for the supervisor's answer", roles: executorOnly, modes: workModes,
		reads: true, parks: true,
		about: "Wait for the answer to your consultation and return to work with it. Call it again with its cursor " +
			"when it times out.",
		params: []param{cursorParam}},
		waitForConsult},
	{tool{name: "ask_human", title: "Ask the human", roles: bothRoles,
		modes: askModes, once: true,
		about: "Ask the human who owns the project a question only they can answer, and pause. Then call " +
			"wait_for_answer and nothing else.",
		params: []param{{"question", "one clear question with the choices you see, as Markdown", false}}},
		toCommand(core.KindAskHuman, "question")},
	{tool{name: "wait_for_answer", title: "Wait for the human's answer", roles: bothRoles,
		modes: askModes, reads: true, parks: true,
		about: "Wait for the human's answer to ask_human; it is delivered once. On timeout, call it again with the " +
			"returned cursor.",
		params: []param{cursorParam}},
		waitForAnswer},
	{tool{name: "answer", title: "Answer for the human", roles: supervisorOnly, modes: freeMode, once: true,
		about: "Answer an agent's open question on the human's behalf. Available only in unattended projects; the " +
			"session that asked must not answer.",
		params: []param{{"response", "the answer as Markdown", false}}},
		toReply(core.KindAnswer, "response")},
	{tool{name: "status", title: "Show the task's status", roles: bothRoles, reads: true,
		about: "Show where the task stands: state, counters, lease, gate, open question, and what to do next. " +
			"Changes nothing."},
		showStatus},
	{tool{name: "reset", title: "Reset a failed task", roles: supervisorOnly, modes: freeMode, once: true,
		about: "Archive a Failed task with its texts and return to Idle. " +
			"From any other state only the human may reset."},
		toCommand(core.KindReset, "")},
	{tool{name: "heartbeat", title: "Renew the lease", roles: bothRoles,
		about:  "Renew your lease on the task while you work without calling other ferrus tools for a long time.",
		params: []param{{"agent_id", "your agent id as wait_for_task gave it in claimed_by; may be left out", true}}},
		renewLease},
}

// offeredTools returns the tools of this session, out of everything there is.
func offeredTools(c *conn) []toolRow {
	config, err := c.project.Config()
	unattended := err == nil && config.HQ.Unattended
	return slices.DeleteFunc(slices.Concat(taskTools, workflowTools), func(t toolRow) bool {
		return !t.serves(c.who.role, c.who.mode) || t.name == "answer" && !unattended
	})
}
