package slash

import (
	"reflect"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]intent.Intent{
		"/task":                             task{},
		"/task add a retry":                 task{Text: "add a retry"},
		"/task --manual":                    task{Manual: true},
		"/task --again twice":               task{Text: "twice", Again: true},
		"/task --now fix it  now":           task{Text: "fix it  now", Now: true},
		"/plan":                             openSession{"plan", "supervisor", ""},
		"/spec for the cache":               openSession{"spec", "supervisor", "for the cache"},
		"/supervisor":                       openSession{"free", "supervisor", ""},
		"/executor":                         openSession{"free", "executor", ""},
		"/milestones":                       listMilestones{},
		"/milestones billing m1.0":          selectMilestone{Spec: "billing", Milestone: "m1.0"},
		"/reset-spec":                       selectMilestone{},
		"/check":                            move{Kind: core.KindCheck},
		"/check --force":                    forceCheck{},
		"/check --cancel":                   cancelCheck{},
		"/approve":                          move{Kind: core.KindApprove},
		"/approve well done":                move{Kind: core.KindApprove, Text: "well done"},
		"/reject no test for a 503":         move{Kind: core.KindReject, Text: "no test for a 503", line: "/reject "},
		"/retry":                            move{Kind: core.KindRetry},
		"/review":                           start{Slot: core.SlotReviewer, name: "a reviewer"},
		"/resume":                           resume{},
		"/resume executor":                  start{Slot: core.SlotExecutor, name: "the executor"},
		"/resume supervisor":                start{Slot: core.SlotPlanner, name: "the planner"},
		"/resume executor --take":           start{Slot: core.SlotExecutor, name: "the executor", take: true},
		"/resume --take executor":           start{Slot: core.SlotExecutor, name: "the executor", take: true},
		"/land -- Explain --keep":           landing{Message: "Explain --keep"},
		"/trust":                            trust{},
		"/attach executor":                  intent.FocusPane{Number: 2},
		"/attach executor:codex:1":          intent.FocusPane{Number: 2},
		"/screen executor":                  SwitchScreen{Slot: "executor"},
		"/tell executor use the table":      message{"executor", "use the table"},
		"/workflow":                         work{},
		"/workflow feature Add retry":       work{"feature Add retry"},
		"/model supervisor sonnet":          setModel{Role: "supervisor", Model: "sonnet"},
		"/model supervisor --clear":         setModel{Role: "supervisor"},
		"/switch supervisor codex":          switchAgent{Role: "supervisor", Agent: "codex"},
		"/show t-7":                         showTask{ID: "t-7"},
		"/show spec cache":                  showSpec{Name: "cache"},
		"/land --keep --with-changes words": landing{Message: "words", Keep: true, Changes: true},
		"/pair --list":                      listRuns{},
		"/projects":                         projects{},
	} {
		v := idle()
		if got, err := Table.Parse(&v, line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, %v, want %#v", line, got, err, want)
		}
	}
}

// With only one pane, no slot has to be named.
func TestParseTakesTheOnlySlot(t *testing.T) {
	v := running()
	v.Panes = v.Panes[1:2]
	for line, want := range map[string]intent.Intent{
		"/attach": intent.FocusPane{Number: 2}, "/screen": SwitchScreen{Slot: "executor"},
	} {
		if got, err := Table.Parse(&v, line); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", line, got, err, want)
		}
	}
}

func TestParseSaysWhatToDo(t *testing.T) {
	for line, want := range map[string]string{
		"/nonsense":               "unknown command /nonsense (Tab lists commands",
		"/answer GET":             "unknown command /answer: type the answer without a command",
		"/pause":                  "unknown command /pause: /stop stops all sessions, and /resume continues",
		"/task --now":             "needs the task's text",
		"/task --later x":         "takes --manual, --again, --now and --with-changes",
		"/task --now --manual x":  "uses the text as written",
		"/task --again --manual":  "choose one of them",
		"/task":                   "not available: a task is open",
		"/approve":                "not available: the task is Executing, not Reviewing",
		"/reject":                 "needs notes",
		"/check --twice":          "accepts --force and --cancel",
		"/register":               "needs --supervisor, --executor or --remove",
		"/model executor":         "takes a role and a model",
		"/model nosuch x":         "unknown role nosuch",
		"/stop now please":        "takes no arguments",
		"/quit now":               "takes no arguments",
		"/supervisor hello":       "type it into the pane",
		"/attach nosuch":          "/attach takes one of: supervisor, executor",
		"/attach":                 "/attach takes one of:",
		"/screen nosuch":          "/screen takes one of:",
		"/tell executor":          "/tell takes a slot and a text",
		"/tell nosuch x":          "/tell takes one of:",
		"/show x":                 "/show takes one of: task, submission, or the id of a task",
		"/help nothing":           "unknown command /nothing: /help lists all",
		"/pair":                   "needs the text of the task",
		"/pair --mode":            "--mode needs a word",
		"/pair --nonsense x":      "takes --mode, --primary",
		"/pair Do it --primary x": "options before the text: /pair --primary x ...",
		"/pair Do it --mode":      "options before the text: /pair --mode ...",
		"/task Fix it --now":      "options before the text: /task --now ...",
		"/task --now=1 x":         "--now takes no word",
		"/land A note --keep":     "options before the text: /land --keep ...",
		"/adopt ../x --agent=a":   "options before the text: /adopt --agent=a ...",
		"/status --everything":    "/status takes --all, not --everything",
		"/pair --list x":          "takes no other arguments",
		"/pair --resume --done X": "continues with the run's own settings",
		"/pair --yes x":           "needs --resume",

		"/pair --max-iterations many x": "takes a number",
		"/pair --resume p-1 and more":   "continues with the run's own settings",
	} {
		v := running()
		if _, err := Table.Parse(&v, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	v := view.View{}
	for line, want := range map[string]string{"/show": "there are no texts yet", "/tell x y": "there is none yet"} {
		if _, err := Table.Parse(&v, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestParsePair(t *testing.T) {
	for line, want := range map[string]pair.Request{
		"/pair Write it --well": {Options: pair.Options{Task: "Write it --well"}},
		"/pair --mode consensus --primary a --secondary b  Write it": {Options: pair.Options{
			Task: "Write it", Mode: "consensus", Primary: "a", Secondary: "b",
		}},
		"/pair Write --mode review it":      {Options: pair.Options{Task: "Write --mode review it"}},
		"/pair --primary=a -- Print --list": {Options: pair.Options{Task: "Print --list", Primary: "a"}},
		"/pair --max-iterations 7 x":        {Options: pair.Options{Task: "x", MaxIterations: 7}},
		"/pair --done FINISHED Write it": {Options: pair.Options{Task: "Write it",
			Words: pair.Words{Done: "FINISHED"}}},
		"/pair --resume":                         {Again: true},
		"/pair --resume --yes":                   {Again: true, Accept: true},
		"/pair --resume p-1 --max-iterations 30": {Again: true, ID: "p-1", Options: pair.Options{MaxIterations: 30}},
	} {
		v := idle()
		got, err := Table.Parse(&v, line)
		if want := (startPair{want, line}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, %v", line, got, err)
		}
	}
	v := view.View{Commands: view.Commands{Disabled: map[string]string{"pair": "a pair works"}}}
	if _, err := Table.Parse(&v, "/pair x"); err == nil || !strings.Contains(err.Error(), "a pair works") {
		t.Errorf("while one works: %v", err)
	}
	if got, err := Table.Parse(&v, "/pair --list"); err != nil || got != (listRuns{}) {
		t.Errorf("the list: %v, %v", got, err)
	}
}

// TestTableHolds checks that every command has words, an effect, and its own name.
func TestTableHolds(t *testing.T) {
	seen, plain := map[string]bool{}, 0
	for _, c := range Table {
		if c.Help == "" || c.Parse == nil || seen[c.Name] {
			t.Errorf("/%s has no words, does nothing, or is there twice", c.Name)
		}
		seen[c.Name] = true
		if c.Plain {
			plain++
		}
	}
	if plain != 1 {
		t.Errorf("%d commands take plain text", plain)
	}
}

// FuzzParse gives the prompt any line: it never panics, and completing continues the typed text.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"/", "/task x", "/model executor ", "/tell executor hello", "/attach x", "/re",
		"/nothing at all"} {
		f.Add(line)
	}
	v := running()
	f.Fuzz(func(t *testing.T, line string) {
		Table.Parse(&v, line) //nolint:errcheck // it may refuse
		for _, c := range Table.Complete(&v, line) {
			if strings.Contains(c.Line, "\n") && !strings.Contains(line, "\n") {
				t.Errorf("%q completes %q", c.Line, line)
			}
		}
	})
}

// TestHelpKnowsTheGuide opens each topic by its name; a slash means the command.
func TestHelpKnowsTheGuide(t *testing.T) {
	for _, topic := range Topics() {
		got, err := Table.Parse(&view.View{}, "/help "+topic.Name)
		if open, ok := got.(dialog.Open); err != nil || !ok || open.Dialog.Kind() != dialog.KindHelp {
			t.Errorf("/help %s: %#v, %v", topic.Name, got, err)
		}
	}
	if _, err := Table.Parse(&view.View{}, "/help /milestones"); err != nil {
		t.Error(err)
	}
	if _, err := Table.Parse(&view.View{}, "/help /landing"); err == nil {
		t.Error("/landing is no command, but has help")
	}
}

// TestApproveAsks checks that approving alarms that need the human asks again and offers the diff;
// alarms that do not are only named.
func TestApproveAsks(t *testing.T) {
	v := view.View{}
	v.Check.Alarms = view.Alarms{{Words: "assertions are changed", Path: "a_test.go"}}
	approve := move{Kind: core.KindApprove, Text: "fine"}
	if got, err := Table.Parse(&v, "/approve fine"); err != nil || got != intent.Intent(approve) {
		t.Errorf("without an alarm for the human it is %#v, %v", got, err)
	}
	skipped := view.Alarm{Words: "tests are skipped", Path: "retry_test.go", NeedsHuman: true,
		Lines: []view.AlarmLine{{Number: 31}}}
	v.Check.Alarms = append(view.Alarms{skipped}, v.Check.Alarms...)
	got, err := Table.Parse(&v, "/approve fine")
	open, _ := got.(dialog.Open)
	asked, ok := open.Dialog.(dialog.Question)
	if err != nil || !ok || asked.Yes.Intent != intent.Intent(approve) || !asked.Diff ||
		!strings.Contains(asked.Text, "retry_test.go:31: tests are skipped") ||
		strings.Contains(asked.Text, "assertions") {
		t.Errorf("with one it is %#v, %v", got, err)
	}
	command, _ := Table.Lookup("approve")
	if got := command.Warn(&v); got != "2 alarms: retry_test.go:31: tests are skipped" {
		t.Errorf("the completion says %q", got)
	}
}
