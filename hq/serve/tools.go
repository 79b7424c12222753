package serve

import (
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

var cursorParam = param{"cursor", "the cursor from this tool's last result; it makes every call distinct", true}

// taskTools are the tools of the task loop.
var taskTools = []toolRow{
	{tool{name: "create_task", title: "Create the task", roles: supervisorOnly,
		modes: []core.Mode{core.ModeTask, core.ModePlan}, once: true,
		about: "Create the ferrus task from the approved task text. The executor starts on it at once. Allowed only " +
			"while no task is open (Idle or Complete).",
		params: []param{{"description", "the whole task as Markdown: what is wanted, why, and how it is accepted; " +
			"the first line becomes its title", false}}},
		createTask},
	{tool{name: "queue_tasks", title: "Propose tasks for the queue", roles: supervisorOnly,
		modes: []core.Mode{core.ModePlan}, once: true,
		about: "Propose several tasks for the queue. None of them starts before the human approves it; they " +
			"can edit or cancel each. Use create_task for one task that the human has approved already.",
		params: []param{{"tasks", "Markdown: each line \"# Title\" starts a task, and what follows is its text; " +
			"directly below the title, \"After: Another title, #12\" names what must land first, and " +
			"\"Touches: fetch/*.go\" what the task will change", false}}},
		queueTasks},
	{tool{name: "create_spec", title: "Write a specification", roles: supervisorOnly,
		modes: []core.Mode{core.ModeSpec, core.ModePlan}, once: true,
		about: "Write an approved feature specification with milestones to a new file of the project, and select it " +
			"with its first open milestone for the next task.",
		params: []param{{"markdown", "the whole specification as Markdown, following ferrus://spec_template", false}}},
		writeSpec},
	{tool{name: "wait_for_review", title: "Wait for a submission", roles: supervisorOnly,
		modes: reviewMode, reads: true,
		about: "Wait for a submission to review and claim it. Returns the task, the submission and earlier review " +
			"notes. On timeout, call it again with the returned cursor.",
		params: []param{cursorParam}},
		waitForWork},
	{tool{name: "review_pending", title: "Read the submission under review", roles: supervisorOnly,
		modes: reviewMode, reads: true,
		about: "Read the submission under review: task, submission notes, earlier review notes, the gate's verdict " +
			"and test counts, alarms about changes to the checks themselves, and the diff by file. Changes nothing."},
		readSubmission},
	{tool{name: "approve", title: "Approve the submission", roles: supervisorOnly,
		modes: reviewMode, once: true,
		about: "Approve the submission under review; the task becomes Complete. Only for work that meets the task " +
			"and whose checks passed on the submitted tree."},
		toCommand(core.KindApprove, "")},
	{tool{name: "reject", title: "Reject the submission", roles: supervisorOnly, modes: reviewMode, once: true,
		about: "Send the submission under review back to the executor with review notes. After the last review " +
			"cycle the task becomes Failed.",
		params: []param{{"notes", "what must change, concretely, and why, as Markdown", false}}},
		toCommand(core.KindReject, "notes")},
	{tool{name: "respond_consult", title: "Answer a consultation", roles: supervisorOnly,
		modes: consultMode, once: true,
		about:  "Answer the executor's open consultation. The question is in ferrus://consult_request.",
		params: []param{{"response", "the answer, direct and complete, as Markdown", false}}},
		toReply(core.KindRespondConsult, "response")},
	{tool{name: "wait_for_task", title: "Wait for a task", roles: executorOnly, modes: workModes, reads: true,
		about: "Wait for a task to work on and claim it. Returns the task text, review notes, consultations and " +
			"answers so far, and the tool to call next. Call it first. On timeout, call it again with the " +
			"returned cursor.",
		params: []param{cursorParam}},
		waitForWork},
	{tool{name: "check", title: "Run the check gate", roles: executorOnly, modes: workModes,
		about: "Run the project's check gate (tests, linters, build) on the current tree and return its verdict and " +
			"report. Use it whenever you want to test; do not run the checks yourself. It runs on a copy of " +
			"the tree: you can keep editing, but submit needs the tree that passed. If it returns running, call it " +
			"again with the returned cursor.",
		params: []param{cursorParam}},
		runCheck},
	{tool{name: "submit", title: "Submit the work for review", roles: executorOnly, modes: workModes,
		about: "Submit the finished work for review. Runs the check gate first unless it already passed on exactly " +
			"this tree, and submits only on a pass. If it returns running, call it again with the same content and " +
			"the returned cursor.",
		params: []param{{"content", "the submission as Markdown: Summary; How to verify manually; Known limitations " +
			"(omit if none)", false}, cursorParam}},
		runSubmit},
	{tool{name: "resolve_comment", title: "Answer a comment", roles: executorOnly, modes: workModes, once: true,
		about: "Answer the human's comments on your change, which are in the review notes, in a message or in " +
			"ferrus://comments: done, or declined with the reason. submit is refused while a comment has no answer.",
		params: []param{{"id", "the id of the comment, such as c3; several with commas between them", false},
			{"status", "done, or declined", false},
			{"note", "what you did, or why not, as Markdown; needed for declined", true}}},
		resolveComment},
	{tool{name: "consult", title: "Consult the supervisor", roles: executorOnly, modes: workModes, once: true,
		about: "Ask the supervisor about the code, the task or the architecture, and pause. Then call " +
			"wait_for_consult.",
		params: []param{{"question", "Markdown with the four headings of ferrus://consult_template: Problem, What I " +
			"tried, Options (if any), Question", false}}},
		toCommand(core.KindConsult, "question")},
	{tool{name: "wait_for_consult", title: "Wait for the supervisor's answer", roles: executorOnly, modes: workModes,
		reads: true, parks: true,
		about: "Wait for the supervisor's answer to your consultation and return to work with it. On timeout, call " +
			"it again with the returned cursor.",
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
		about:  "Renew your lease on the task when you work for a long time without calling other ferrus tools.",
		params: []param{{"agent_id", "your agent id: claimed_by in the result of wait_for_task; optional", true}}},
		renewLease},
}

// offeredTools returns the tools of this session, out of everything there is.
func offeredTools(c *conn) []toolRow {
	config, err := c.project.Config()
	state, _ := c.project.World() // Decide asks again
	unattended := err == nil && project.Unattended(config, state.World)
	return slices.DeleteFunc(slices.Concat(taskTools, workflowTools), func(t toolRow) bool {
		return !t.serves(c.who.role, c.who.mode) || t.name == "answer" && !unattended
	})
}

// ToolNames returns the names of all tools that sessions of a role may have.
func ToolNames(role machine.Role) (names []string) {
	for _, t := range slices.Concat(taskTools, workflowTools) {
		if slices.Contains(t.roles, role) {
			names = append(names, t.name)
		}
	}
	return names
}
