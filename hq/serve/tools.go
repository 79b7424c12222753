package serve

import (
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/machine"
)

// tool is one row of what agents may call.
type tool struct {
	name, title, about string
	roles              []machine.Role
	modes              []core.Mode // besides free, which has all of its role; nil: every mode
	params             []param
	accepts            any  // the struct of its arguments, where they are not all strings
	reads              bool // changes nothing but the lease
	once               bool // an equal call right after is answered again, not carried out
	run                func(*server, *call) (*outcome, error)
}

// param is one argument; all are strings.
type param struct {
	name, about string
	optional    bool
}

var (
	both       = []machine.Role{machine.Supervisor, machine.Executor}
	supervisor = []machine.Role{machine.Supervisor}
	executor   = []machine.Role{machine.Executor}
	work       = []core.Mode{core.ModeWork, core.ModeResume}
	onlyFree   = []core.Mode{core.ModeFree}
	cursor     = param{"cursor", "the cursor of the last result of this tool, so that no two calls are alike", true}
)

// tools is everything there is; [server.offered] picks from it.
var tools = []tool{
	{name: "create_task", title: "Create the task", roles: supervisor,
		modes: []core.Mode{core.ModeTask, core.ModePlan}, once: true,
		about: "Create the ferrus task from the approved task text. The executor starts to implement it at once. " +
			"Allowed when there is no open task (Idle or Complete).",
		params: []param{{"description", "the whole task as Markdown: what is wanted, why, and how it is accepted; " +
			"the first line becomes its title", false}},
		run: command(core.KindCreateTask, "description")},
	{name: "create_spec", title: "Write a specification", roles: supervisor,
		modes: []core.Mode{core.ModeSpec, core.ModePlan}, once: true,
		about: "Write an approved feature specification with milestones to a new file of the project and select it " +
			"and its first open milestone for the next task.",
		params: []param{{"markdown", "the whole specification as Markdown, following ferrus://spec_template", false}},
		run:    (*server).createSpec},
	{name: "wait_for_review", title: "Wait for a submission", roles: supervisor,
		modes: []core.Mode{core.ModeReview}, reads: true,
		about: "Wait until a submission is to be reviewed and claim it. Returns the task, the submission and " +
			"earlier review notes. Call it again with its cursor when it times out.",
		params: []param{cursor}, run: (*server).waitForWork},
	{name: "review_pending", title: "Read what is to be reviewed", roles: supervisor,
		modes: []core.Mode{core.ModeReview}, reads: true,
		about: "Read the submission under review: task, submission notes, previous review notes, the verdict of the " +
			"check gate with what its tests counted, alarms about changes to the checks themselves, and the " +
			"difference by file. Changes nothing.",
		run: (*server).reviewPending},
	{name: "approve", title: "Approve the submission", roles: supervisor,
		modes: []core.Mode{core.ModeReview}, once: true,
		about: "Accept the submission under review: the task is Complete. Only for work that meets the task and " +
			"whose checks passed on the submitted tree.",
		run: command(core.KindApprove, "")},
	{name: "reject", title: "Reject the submission", roles: supervisor, modes: []core.Mode{core.ModeReview}, once: true,
		about: "Send the submission under review back to the executor with review notes. After the last review " +
			"cycle the task is Failed.",
		params: []param{{"notes", "what must change, concretely, and why, as Markdown", false}},
		run:    command(core.KindReject, "notes")},
	{name: "respond_consult", title: "Answer a consultation", roles: supervisor,
		modes: []core.Mode{core.ModeConsult}, once: true,
		about:  "Answer the executor's open consultation. The question is in ferrus://consult_request.",
		params: []param{{"response", "the answer, direct and complete, as Markdown", false}},
		run:    reply(core.KindRespondConsult, "response")},
	{name: "wait_for_task", title: "Wait for a task", roles: executor, modes: work, reads: true,
		about: "Wait until there is a task to work on and claim it. Returns the task text, review notes, " +
			"consultations and answers so far, and in next the tool to call now. Call it first, and again with its " +
			"cursor when it times out.",
		params: []param{cursor}, run: (*server).waitForWork},
	{name: "check", title: "Run the check gate", roles: executor, modes: work,
		about: "Run the project's check gate (tests, linters, build) on the work as it is and return its verdict " +
			"with a report. Use it whenever you want to test; do not run the checks yourself. When it answers " +
			"running, call it again with its cursor.",
		params: []param{cursor}, run: (*server).check},
	{name: "submit", title: "Submit the work for review", roles: executor, modes: work,
		about: "Hand the finished work in for review. Runs the check gate first unless it passed on exactly this " +
			"tree, and submits only on a pass. When it answers running, call it again with the same content and " +
			"its cursor.",
		params: []param{{"content", "the submission as Markdown: Summary; How to verify manually; Known limitations " +
			"(omit if none)", false}, cursor},
		run: (*server).submit},
	{name: "consult", title: "Consult the supervisor", roles: executor, modes: work, once: true,
		about: "Ask the supervisor about the code, the task or the architecture and pause. Then call wait_for_consult.",
		params: []param{{"question", "Markdown with the four headings of ferrus://consult_template: Problem, What I " +
			"tried, Options (if any), Question", false}},
		run: command(core.KindConsult, "question")},
	{name: "wait_for_consult", title: "Wait for the supervisor's answer", roles: executor, modes: work, reads: true,
		about: "Wait for the answer to your consultation and return to work with it. Call it again with its cursor " +
			"when it times out.",
		params: []param{cursor}, run: (*server).waitForConsult},
	{name: "ask_human", title: "Ask the human", roles: both,
		modes: []core.Mode{core.ModeWork, core.ModeResume, core.ModeReview, core.ModeConsult}, once: true,
		about: "Ask the human who owns the project a question only they can answer, and pause. Then call " +
			"wait_for_answer and nothing else.",
		params: []param{{"question", "one clear question with the choices you see, as Markdown", false}},
		run:    command(core.KindAskHuman, "question")},
	{name: "wait_for_answer", title: "Wait for the human's answer", roles: both,
		modes: []core.Mode{core.ModeWork, core.ModeResume, core.ModeReview, core.ModeConsult}, reads: true,
		about: "Wait for the human's answer to ask_human; it is delivered once. On timeout, call it again with the " +
			"returned cursor.",
		params: []param{cursor}, run: (*server).waitForAnswer},
	{name: "answer", title: "Answer for the human", roles: supervisor, modes: onlyFree, once: true,
		about: "Answer an agent's open question on the human's behalf. Available only in unattended projects; the " +
			"session that asked must not answer.",
		params: []param{{"response", "the answer as Markdown", false}},
		run:    reply(core.KindAnswer, "response")},
	{name: "status", title: "Show the task's status", roles: both, reads: true,
		about: "Show where the task stands: state, counters, lease, gate, open question, and what to do next. " +
			"Changes nothing.",
		run: (*server).status},
	{name: "reset", title: "Reset a failed task", roles: supervisor, modes: onlyFree, once: true,
		about: "Archive a Failed task with its texts and return to Idle. " +
			"From any other state only the human may reset.",
		run: command(core.KindReset, "")},
	{name: "heartbeat", title: "Renew the lease", roles: both,
		about:  "Renew your lease on the task while you work without calling other ferrus tools for a long time.",
		params: []param{{"agent_id", "your agent id as wait_for_task gave it in claimed_by; may be left out", true}},
		run:    (*server).heartbeat},
}

// offered are the tools of this session.
func (s *server) offered() []tool {
	config, err := s.project.Config()
	unattended := err == nil && config.HQ.Unattended
	var all []tool
	for _, t := range slices.Concat(tools, workflowTools) {
		if t.name == "answer" && !unattended {
			continue
		}
		if t.serves(s.who.role, s.who.mode) {
			all = append(all, t)
		}
	}
	return all
}

func (t tool) serves(role machine.Role, mode core.Mode) bool {
	return slices.Contains(t.roles, role) && (mode == core.ModeFree || t.modes == nil || slices.Contains(t.modes, mode))
}

// served refuses a mode that the role does not have.
func served(role machine.Role, mode core.Mode) error {
	modes := []core.Mode{core.ModeTask, core.ModeSpec, core.ModePlan, core.ModeReview, core.ModeConsult,
		core.ModePhase, core.ModeFree}
	if role == machine.Executor {
		modes = []core.Mode{core.ModeWork, core.ModeResume, core.ModeFree}
	}
	if slices.Contains(modes, mode) {
		return nil
	}
	return fmt.Errorf("serve: unknown mode %q of the role %s; use one of %v", mode, role, modes)
}

// describe is the tool as clients see it.
func (t tool) describe() *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: t.schema(),
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: t.reads, DestructiveHint: &no,
			OpenWorldHint: &no, IdempotentHint: t.once || t.reads},
	}
}

func (t tool) schema() map[string]any {
	if t.accepts != nil {
		schema, err := typed(t.accepts)
		if err != nil {
			panic("serve: " + err.Error()) // a test asks for every tool
		}
		return schema
	}
	properties, required := map[string]any{}, []string{}
	for _, p := range t.params {
		properties[p.name] = map[string]any{"type": "string", "description": p.about}
		if !p.optional {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}
