package core

import (
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Each state of an earlier ferrus becomes a valid one that continues the task; everything that does
// not belong to the task is left out.
func TestImport(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		TaskText: "# Old task", ReviewText: "notes", SubmissionText: "done", QuestionText: "may I?",
		ConsultRequestText: "how?", ConsultResponseText: "",
	}
	for name, c := range map[string]struct {
		state, paused machine.State
		cycles        int
		texts         map[string]string // besides all

		want, over machine.State
		kept       []string
		next       string // of the role that waits
		role       machine.Role
	}{
		"nothing": {state: task.Idle, want: task.Idle},
		"work": {state: task.Executing, want: task.Executing, kept: []string{SubmissionText, TaskText},
			role: machine.Executor, next: "wait_for_task"},
		"a gate": {state: task.Checking, want: task.Executing, kept: []string{SubmissionText, TaskText}},
		"notes": {state: task.Addressing, cycles: 1, want: task.Addressing,
			kept: []string{ReviewText, SubmissionText, TaskText}},
		"a submission": {state: task.Reviewing, want: task.Reviewing, kept: []string{SubmissionText, TaskText},
			role: machine.Supervisor, next: "wait_for_review"},
		"the end":   {state: task.Complete, want: task.Complete, kept: []string{SubmissionText, TaskText}},
		"a failure": {state: task.Failed, want: task.Failed, kept: []string{SubmissionText, TaskText}},
		"a consultation": {state: task.Consultation, paused: task.Addressing, want: task.Consultation,
			over: task.Addressing,
			kept: []string{ConsultRequestText, SubmissionText, TaskText}, role: machine.Supervisor,
			next: "respond_consult"},
		"a consultation that forgot where it was": {state: task.Consultation, want: task.Consultation,
			over: task.Executing,
			kept: []string{ConsultRequestText, SubmissionText, TaskText}},
		"a response": {state: task.Consultation, paused: task.Executing,
			texts: map[string]string{ConsultResponseText: "so"}, want: task.Consultation, over: task.Executing,
			kept: []string{ConsultRequestText, ConsultResponseText, SubmissionText, TaskText}, role: machine.Executor,
			next: "wait_for_task"},
		"a question": {state: task.AwaitingHuman, paused: task.Addressing, want: task.AwaitingHuman,
			over: task.Addressing,
			kept: []string{QuestionText, SubmissionText, TaskText}, role: machine.Human, next: "answer the question"},
		"an answer": {state: task.AwaitingHuman, paused: task.Reviewing, texts: map[string]string{AnswerText: "yes"},
			want: task.Reviewing,
			kept: []string{AnswerText, QuestionText, SubmissionText, TaskText}},
		"an answer at work": {state: task.Executing, texts: map[string]string{AnswerText: "yes"}, want: task.Executing,
			kept: []string{AnswerText, QuestionText, SubmissionText, TaskText}},
		"a consultant's question": {state: task.AwaitingHuman, paused: task.Consultation, want: task.AwaitingHuman,
			over: task.Consultation,
			kept: []string{ConsultRequestText, QuestionText, SubmissionText, TaskText}},
		"an answer to a consultant": {state: task.AwaitingHuman, paused: task.Consultation,
			texts: map[string]string{AnswerText: "yes"}, want: task.Consultation, over: task.Executing,
			kept: []string{AnswerText, ConsultRequestText, QuestionText, SubmissionText, TaskText}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newLoop(t)
			p.w = World{State: c.state, Counters: Counters{CheckRetries: 2, ReviewCycles: c.cycles},
				Lease: Lease{ClaimedBy: "executor:x:1"}}
			if c.paused != "" {
				p.w.Paused = []machine.State{c.paused}
			}
			texts := map[string]string{}
			for _, from := range []map[string]string{all, c.texts} {
				for name, text := range from {
					texts[name] = text
				}
			}
			d := p.do(Command{Kind: "import", By: program, Texts: texts, Facts: Facts{TaskID: "t-1", Tree: "a"}})
			if p.w.State != c.want || p.w.PausedState != c.over || p.w.ClaimedBy != "" || p.w.CheckRetries != 2 {
				t.Errorf("imported as %+v, want %s over %q, no lease and 2 retries", p.w, c.want, c.over)
			}
			var kept []string
			for name, text := range d.Texts {
				if text != "" {
					kept = append(kept, name)
				}
			}
			slices.Sort(kept)
			if !slices.Equal(kept, c.kept) || len(d.Texts) != 1+len(TaskTexts) {
				t.Errorf("keeps %v of %v", kept, d.Texts)
			}
			if next := Advice.Next(p.w, Actor{Role: c.role, Managed: true}); c.next != "" && next != c.next {
				t.Errorf("next is %q", next)
			}
			if c.want != task.Idle {
				p.wantRefusal(Command{Kind: "import", By: program}, machine.GuardFailed, "fresh-import")
			}
		})
	}
}

// An open question stays open: the human answers it, and the answer is delivered.
func TestImportedQuestion(t *testing.T) {
	p := newLoop(t)
	p.w = World{State: task.AwaitingHuman, Paused: []machine.State{task.Addressing}}
	p.do(Command{Kind: "import", By: program, Texts: map[string]string{TaskText: "# Old task", QuestionText: "may I?"}})
	p.do(say("answer", human, "Yes."))
	p.wantState(task.Addressing)
	p.do(Command{Kind: "claim", By: executor})
	p.do(Command{Kind: "deliver", By: executor})
}

func TestImportRefused(t *testing.T) {
	for name, w := range map[string]World{
		"a state of another version": {State: "Fixing"},
		"a counter":                  {State: task.Executing, Counters: Counters{CheckRetries: -1}},
		"no tree to review":          {State: task.Reviewing},
	} {
		t.Run(name, func(t *testing.T) {
			p := newLoop(t)
			p.w = w
			p.wantRefusal(Command{Kind: "import", By: program}, machine.GuardFailed, "state-sound")
		})
	}
}
