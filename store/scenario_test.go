package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// scenarioStep is one thing that a process does in the story.
type scenarioStep struct {
	kind machine.Kind // of the command; gate: the runner of the ticket
	by   core.Actor
	text string
	want string // the state after it
	code string // what done.txt says before it
}

var (
	planner    = core.Actor{Role: machine.Supervisor, ID: "supervisor:x:3", Session: "p", Mode: core.ModeTask}
	executor   = core.Actor{Role: machine.Executor, ID: "executor:x:1", Session: "e", Mode: core.ModeWork}
	consultant = core.Actor{Role: machine.Supervisor, ID: "supervisor:x:2", Session: "c", Mode: core.ModeConsult}
	reviewer   = core.Actor{Role: machine.Supervisor, ID: "supervisor:x:1", Session: "r", Mode: core.ModeReview}
)

var scenarioSteps = []scenarioStep{
	{"create_task", planner, "# Work\nwell", "Executing", ""},
	{"claim", executor, "", "Executing", ""},
	{"check", executor, "", "Checking", "no"},
	{"gate", core.Actor{}, "", "Addressing", ""},
	{"consult", executor, strings.Join(core.ConsultHeadings, "\nx\n") + "\nx", "Consultation", ""},
	{"respond_consult", consultant, "so", "Consultation", ""},
	{"wait_for_consult", executor, "", "Addressing", ""},
	{"check", executor, "", "Checking", "yes"},
	{"gate", core.Actor{}, "", "Checking", ""},
	{"submit", executor, "## Summary\ndone", "Reviewing", ""},
	{"claim", reviewer, "", "Reviewing", ""},
	{"reject", reviewer, "not yet", "Addressing", ""},
	{"claim", executor, "", "Addressing", ""},
	{"ask_human", executor, "may I?", "AwaitingHuman", ""},
	{"answer", project.HumanActor(), "yes", "Addressing", ""},
	{"deliver", executor, "", "Addressing", ""},
	{"heartbeat", executor, "", "Addressing", ""},
	{"check", executor, "", "Checking", "yes again"},
	{"gate", core.Actor{}, "", "Checking", ""},
	{"submit", executor, "## Summary\nall done", "Reviewing", ""},
	{"claim", reviewer, "", "Reviewing", ""},
	{"approve", reviewer, "", "Complete", ""},
	{"create_task", project.HumanActor(), "# Another", "Executing", ""},
}

// scenario is the story in a repository.
type scenario struct {
	*testing.T
	dir   string
	heads store.Heads
	steps map[int]int    // of each act
	after map[int]string // what is so after each act, of the undisturbed story
	calls int
}

func newScenario(t *testing.T) *scenario {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ferrus.toml": "[checks]\ncommands = [\"grep -q yes done.txt\"]\n", ".gitignore": ".ferrus/\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gittest.Run(t, dir, "init", "-q")
	if _, err := store.Create(t.Context(), dir, core.New(time.Now())); err != nil {
		t.Fatal(err)
	}
	s := &scenario{T: t, dir: dir, steps: map[int]int{}, after: map[int]string{}}
	s.after[-1] = s.view()
	before := s.saveFiles()
	for e := range scenarioSteps {
		s.must(e)
		s.after[e] = s.view()
	}
	s.restore(before)
	return s
}

// open opens the project as a process does that stops at a step; 0 does not.
func (s *scenario) open(at int) (*project.Task, *store.Steps) {
	s.Helper()
	d, steps, err := store.OpenStepping[core.World](s.dir, at, s.heads)
	if err != nil {
		s.Fatal(err)
	}
	p := &project.Project{Dir: s.dir, Files: &d.Files, Agents: []string{"one", "two"}}
	return project.NewTask(p, d), steps
}

// do runs one act; nil means that it was acknowledged.
func (s *scenario) do(p *project.Task, e int) (core.Result, error) {
	a := scenarioSteps[e]
	if a.code != "" {
		if err := os.WriteFile(filepath.Join(s.dir, "done.txt"), []byte(a.code), 0o600); err != nil {
			return core.Result{}, err
		}
	}
	if err := p.SaveRegistry(project.Registry{Agents: []project.SessionRecord{{Session: a.by.Session,
		SessionSeq: e}}}); err != nil {
		return core.Result{}, err
	}
	state, err := p.World()
	if err != nil {
		return core.Result{}, err
	}
	if a.kind == "gate" {
		return core.Result{}, gate.Run(s.Context(), p, state.World.Gate.Ticket, gate.Options{})
	}
	s.calls++
	call := store.Call{ID: fmt.Sprint("call-", s.calls), Session: a.by.Session}
	if !slices.Contains([]machine.Kind{"check", "claim", "heartbeat", "answer"}, a.kind) {
		call.Key = fmt.Sprint("key-", e)
	}
	c := core.Command{Kind: a.kind, By: a.by, Text: a.text}
	if a.by.Session != "" {
		c.By.Process, _ = process.Identify(os.Getpid())
	}
	if w := state.World; a.kind == "answer" && w.Question != nil {
		c.Ticket = w.Question.Ticket
	} else if a.kind == "respond_consult" && w.Consult != nil {
		c.Ticket = w.Consult.Ticket
	}
	return p.Do(s.Context(), call, c)
}

// must runs an act on a disk that does not stop.
func (s *scenario) must(e int) core.Result {
	s.Helper()
	p, _ := s.open(0)
	r, err := s.do(p, e)
	if err != nil {
		s.Fatalf("act %d, %s: %v", e, scenarioSteps[e].kind, err)
	}
	return r
}

// count returns how many steps an act has.
func (s *scenario) count(e int, before map[string][]byte) int {
	s.restore(before)
	p, steps := s.open(0)
	if _, err := s.do(p, e); err != nil {
		s.Fatal(err)
	}
	return steps.Taken()
}

// stop runs an act in a process that is stopped before a step, and then what the next process does.
// It returns false if there is no such step.
func (s *scenario) stop(e, at int) bool {
	s.Helper()
	p, steps := s.open(at)
	_, err := s.do(p, e)
	where := fmt.Sprintf("act %d, %s, step %d", e, scenarioSteps[e].kind, at)
	if err != nil && !steps.Dead() {
		s.Fatalf("%s: %v", where, err)
	}
	found := s.view()
	switch {
	case err == nil && found != s.after[e]:
		s.Fatalf("%s: acknowledged, and is\n%s\nwant\n%s", where, found, s.after[e])
	case found != s.after[e] && found != s.after[e-1]:
		s.Fatalf("%s: neither before nor after:\n%s", where, found)
	}
	s.whole(where)
	s.again(e, found)
	if got := s.view(); got != s.after[e] {
		s.Fatalf("%s: continues to\n%s\nwant\n%s", where, got, s.after[e])
	}
	s.whole(where)
	return steps.Dead()
}

// again is a caller that got no answer: it asks again.
func (s *scenario) again(e int, found string) {
	s.Helper()
	repeated := found == s.after[e]
	if repeated && slices.Contains([]machine.Kind{"gate", "check", "claim", "answer"}, scenarioSteps[e].kind) {
		return // it looks first, and sees that it is done
	}
	p, _ := s.open(0)
	before, err := p.World()
	if err != nil {
		s.Fatal(err)
	}
	r := s.must(e)
	if repeated && scenarioSteps[e].kind != "heartbeat" && r.Seq != before.Seq {
		s.Fatalf("act %d, %s: the same call again is seq %d, was %d", e, scenarioSteps[e].kind, r.Seq, before.Seq)
	}
}

// end runs the rest of the story.
func (s *scenario) end(e int) {
	s.Helper()
	for e++; e < len(scenarioSteps); e++ {
		s.must(e)
		if got := s.view(); got != s.after[e] {
			s.Fatalf("act %d, %s: is\n%s\nwant\n%s", e, scenarioSteps[e].kind, got, s.after[e])
		}
	}
	s.whole("the end")
}

// view returns what must be equal after each act, however the state was reached.
func (s *scenario) view() string {
	s.Helper()
	p, _ := s.open(0)
	state, err := p.World()
	if err != nil {
		s.Fatal(err)
	}
	w := state.World
	view := map[string]any{"state": w.State, "counters": w.Counters, "paused": w.Paused, "holder": w.ClaimedBy,
		"hold": w.Hold, "reason": w.FailureReason}
	if w.Task != nil {
		view["task"], view["gates"] = w.Task.Title, w.Task.Gates
	}
	if w.Gate != nil {
		view["verdict"], view["from"] = w.Gate.Verdict, w.Gate.From
	}
	if w.Consult != nil {
		view["consult"] = w.Consult.Answered
	}
	if w.Question != nil {
		view["question"] = []bool{w.Question.Answered, w.Question.Delivered}
	}
	for name := range state.Docs {
		if view[name], err = p.Store.ReadText(state, name); err != nil {
			s.Fatal(err)
		}
	}
	archived, err := p.Store.List("archive")
	if err != nil {
		s.Fatal(err)
	}
	view["archived"] = w.Task != nil && len(archived) > 0 && archived[0] != w.Task.ID
	data, err := json.MarshalIndent(view, "", " ")
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

// whole checks that the journal is complete with every call once, that it folds to the state, and
// that no file is left that no state names.
func (s *scenario) whole(where string) {
	s.Helper()
	p, _ := s.open(0)
	state, err := p.World()
	lines, reading := p.Store.Journal(0)
	if err = errors.Join(err, reading); err != nil || uint64(len(lines)) != state.Seq {
		s.Fatalf("%s: %d lines at seq %d: %v", where, len(lines), state.Seq, err)
	}
	calls := map[string]bool{}
	for i, l := range lines {
		if l.Seq != uint64(i+1) || l.Call != "" && calls[l.Call] {
			s.Fatalf("%s: line %d is seq %d of call %s", where, i+1, l.Seq, l.Call)
		}
		calls[l.Call] = true
	}
	if len(lines) > 0 {
		s.folds(where, lines)
	}
	docs, err := p.Store.List("docs")
	if err != nil || len(docs) != len(state.Docs) {
		s.Fatalf("%s: docs has %v of %v, %v", where, docs, state.Docs, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".ferrus", "STATE.json.tmp")); !errors.Is(err, fs.ErrNotExist) {
		s.Fatalf("%s: STATE.json.tmp is left", where)
	}
}

func (s *scenario) folds(where string, lines []store.Entry) {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, ".ferrus", "STATE.json"))
	if err != nil {
		s.Fatal(err)
	}
	var want, got map[string]any
	folded, err := store.Fold(lines)
	if err = errors.Join(err, json.Unmarshal(data, &want), json.Unmarshal(folded, &got)); err != nil {
		s.Fatal(err)
	}
	for _, name := range []string{"last", "head", "updated_at", "owner_pid", "lease_until", "last_heartbeat"} {
		delete(want, name)
	}
	if !reflect.DeepEqual(got, want) {
		s.Fatalf("%s: folding gives %v; the state is %v", where, got, want)
	}
}

// saveFiles returns what is in .ferrus, without git's objects, which only grow, and the
// code.
func (s *scenario) saveFiles() map[string][]byte {
	s.Helper()
	root, all := filepath.Join(s.dir, ".ferrus"), map[string][]byte{}
	if code, err := os.ReadFile(filepath.Join(s.dir, "done.txt")); err == nil {
		all["../done.txt"] = code
	}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case name == filepath.Join("run", "git"):
			return filepath.SkipDir
		case e.IsDir():
			all[name] = nil
			return nil
		}
		all[name], err = os.ReadFile(path)
		if all[name] == nil {
			all[name] = []byte{}
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *scenario) restore(all map[string][]byte) {
	s.Helper()
	root := filepath.Join(s.dir, ".ferrus")
	for name := range s.saveFiles() {
		if _, ok := all[name]; !ok {
			if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
				s.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		path, err := filepath.Join(root, name), error(nil)
		if data := all[name]; data == nil {
			err = os.MkdirAll(path, 0o700)
		} else {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			s.Fatal(err)
		}
	}
}
