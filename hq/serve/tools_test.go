package serve_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/machine"
)

func TestToolsOfEachSession(t *testing.T) {
	cases := []struct {
		role  machine.Role
		mode  core.Mode
		tools string
	}{
		{machine.Supervisor, core.ModeTask, "create_task heartbeat status"},
		{machine.Supervisor, core.ModeSpec, "create_spec heartbeat status"},
		{machine.Supervisor, core.ModePlan, "create_spec create_task heartbeat queue_tasks status"},
		{machine.Supervisor, core.ModeReview, "approve ask_human heartbeat reject review_pending status " +
			"wait_for_answer wait_for_review"},
		{machine.Supervisor, core.ModeConsult, "ask_human heartbeat respond_consult status wait_for_answer"},
		{machine.Supervisor, core.ModeFree, "approve ask_human create_spec create_task escalate finalize_oneshot " +
			"heartbeat plan_tasks queue_tasks record_review reject request_synthesize reset respond_consult " +
			"review_pending select_track status wait_for_answer wait_for_review workflow_set workflow_status"},
		{machine.Supervisor, core.ModePhase, "escalate finalize_oneshot heartbeat plan_tasks record_review " +
			"request_synthesize select_track status workflow_set workflow_status"},
		{machine.Executor, core.ModeWork, "ask_human check consult heartbeat resolve_comment status submit " +
			"wait_for_answer wait_for_consult wait_for_task"},
		{machine.Executor, core.ModeResume, "ask_human check consult heartbeat resolve_comment status submit " +
			"wait_for_answer wait_for_consult wait_for_task"},
		{machine.Executor, core.ModeFree, "ask_human check consult heartbeat resolve_comment status submit " +
			"wait_for_answer wait_for_consult wait_for_task"},
	}
	p := newFixture(t, once)
	for _, c := range cases {
		t.Run(string(c.role)+" "+string(c.mode), func(t *testing.T) {
			q := &fixture{p.Task, t}
			page, err := q.agent(c.role, c.mode).ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if page.NextCursor != "" {
				t.Error("the tools are on more than one page")
			}
			var names []string
			for _, tool := range page.Tools {
				names = append(names, tool.Name)
				wellMade(t, tool)
			}
			if got := strings.Join(names, " "); got != c.tools {
				t.Errorf("offers %s\n  want %s", got, c.tools)
			}
		})
	}
}

// wellMade checks what clients and models rely on.
func wellMade(t *testing.T, tool *mcp.Tool) {
	t.Helper()
	a := tool.Annotations
	if a == nil || a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
		t.Errorf("%s has annotations %+v", tool.Name, a)
	}
	reads := strings.HasPrefix(tool.Name, "wait_for_") || tool.Name == "status" || tool.Name == "review_pending" ||
		tool.Name == "workflow_status"
	if a.ReadOnlyHint != reads {
		t.Errorf("%s says that it reads only: %v", tool.Name, a.ReadOnlyHint)
	}
	if len(tool.Description) < 40 || tool.Title == "" {
		t.Errorf("%s is described as %q", tool.Name, tool.Description)
	}
	schema := tool.InputSchema.(map[string]any)
	for name, p := range schema["properties"].(map[string]any) {
		if about := p.(map[string]any)["description"].(string); len(about) < 10 {
			t.Errorf("%s.%s is described as %q", tool.Name, name, about)
		}
	}
	waits := strings.HasPrefix(tool.Name, "wait_for_") || tool.Name == "check" || tool.Name == "submit"
	if _, ok := schema["properties"].(map[string]any)["cursor"]; ok != waits {
		t.Errorf("%s takes a cursor: %v", tool.Name, ok)
	}
}

func TestAnswerExistsOnlyUnattended(t *testing.T) {
	p := newFixture(t, once+"[hq]\nunattended = true\n")
	page, err := p.agent(machine.Supervisor, core.ModeFree).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(page.Tools, func(t *mcp.Tool) bool { return t.Name == "answer" }) {
		t.Error("answer is missing")
	}
}

// arguments are good ones of each tool.
var arguments = map[string]args{
	"create_task": {"description": "a task"}, "create_spec": {"markdown": "# A spec"}, "reject": {"notes": "no"},
	"respond_consult": {"response": "so"}, "submit": {"content": "done"}, "consult": {"question": question},
	"ask_human": {"question": "what?"},
}

// TestRefusedCallsChangeNothing calls every tool in every state that does not allow it, from a
// session without the lease, and compares all files.
func TestRefusedCallsChangeNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it makes many calls")
	}
	allowed := map[string]string{ // what is accepted without a lease, or only reads
		"status": "*", "create_spec": "*", "create_task": "Idle Complete", "reset": "Failed",
		"respond_consult": "Consultation",
		"wait_for_task":   "*", "wait_for_review": "*", "review_pending": "Reviewing",
		"ask_human": "Consultation Reviewing", // by the supervisor
	}
	for _, stage := range stages {
		t.Run(stage.name, func(t *testing.T) {
			if testing.Short() && !slices.Contains([]string{"Executing", "Reviewing"}, stage.name) {
				t.Skip("short: a state for each role is enough")
			}
			t.Parallel()
			p := newFixture(t, once+"[limits]\nmax_check_retries = 2\n")
			stage.reach(p)
			at := string(p.world().State)
			p.until("the gate's last line, which follows the state", func(core.World) bool {
				state, err := p.World()
				journal, _ := p.Store.ReadFile("journal.jsonl") // there is none while Idle
				return err == nil && uint64(strings.Count(string(journal), "\n")) == state.Seq
			})
			for _, role := range []machine.Role{machine.Supervisor, machine.Executor} {
				stranger := p.agent(role, core.ModeFree)
				page, err := stranger.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, tool := range page.Tools {
					ok := allowed[tool.Name]
					switch {
					case tool.Name == "ask_human" && role == machine.Executor:
						ok = ""
					case tool.Name == "wait_for_answer" && role == machine.Executor:
						ok = "AwaitingHuman" // it may take the place of who asked
					}
					if ok == "*" || slices.Contains(strings.Fields(ok), at) {
						continue
					}
					before := p.bytes()
					got := stranger.want("refused", tool.Name, arguments[tool.Name])
					if !got.Refused || got.Code == "" || got.Failed == nil || got.Options == nil ||
						string(got.State) != at {
						t.Errorf("%s is refused as %s", tool.Name, got.JSON)
					}
					if after := p.bytes(); after != before {
						t.Errorf("%s by the %s while %s changed something:\n%s\n%s", tool.Name, role, at, before, after)
					}
				}
			}
		})
	}
}

// stages are ways to bring a project into each state.
var stages = []struct {
	name  string
	reach func(*fixture)
}{
	{"Idle", func(*fixture) {}},
	{"Executing", func(p *fixture) { p.human("create_task", "a task") }},
	{"Addressing", func(p *fixture) { p.worker().want("failed", "check", nil) }},
	{"Checking", func(p *fixture) { p.good().want("passed", "check", nil) }},
	{"Consultation", func(p *fixture) { p.worker().want("asked", "consult", arguments["consult"]) }},
	{"AwaitingHuman", func(p *fixture) { p.worker().want("asked", "ask_human", arguments["ask_human"]) }},
	{"Reviewing", func(p *fixture) { p.good().want("submitted", "submit", arguments["submit"]) }},
	{"Complete", func(p *fixture) {
		p.good().want("submitted", "submit", arguments["submit"])
		p.human("approve", "")
	}},
	{"Failed", func(p *fixture) {
		w := p.worker()
		w.want("failed", "check", nil)
		w.want("limit", "check", nil)
	}},
}

// worker returns an executor that holds the lease on a new task.
func (p *fixture) worker() *agent {
	p.human("create_task", "a task")
	w := p.agent(machine.Executor, core.ModeWork, "FERRUS_WAIT_SECS=60")
	w.want("claimed", "wait_for_task", nil)
	return w
}

// good returns a worker whose work passes.
func (p *fixture) good() *agent {
	write(p.t, p.Dir, "good", "")
	return p.worker()
}

// bytes returns all files of the project except the presence files.
func (p *fixture) bytes() string {
	p.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(p.Dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == ".git" || name == filepath.Join(".ferrus", "run") {
				return filepath.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %x\n", name, sha256.Sum256(data))
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all.String()
}

func TestArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it makes many calls")
	}
	p := newFixture(t, once)
	a := p.agent(machine.Supervisor, core.ModeFree)
	cases := []struct {
		name string
		args args
		says string
	}{
		{"missing", args{}, "description is missing"},
		{"null", args{"description": nil}, "description is missing"},
		{"another name", args{"description": "x", "task": "y"}, `unknown argument \"task\"`},
		{"a list", args{"description": []string{"x"}}, "not a string"},
		{"too long", args{"description": strings.Repeat("x", 4<<20+1)}, "longer than"},
	}
	for _, c := range cases {
		got := a.refused(machine.GuardFailed, "arguments", "create_task", c.args)
		if !strings.Contains(got.JSON, c.says) {
			t.Errorf("%s: %s; want %v", c.name, got.JSON, c.says)
		}
	}
	a.refused(machine.GuardFailed, "text-required", "create_task", args{"description": " \n"})
	if got := a.want("created", "create_task", args{"description": strings.Repeat("long ", 400<<10)}); got.
		State != "Executing" {
		t.Errorf("2 MB: %s", got.JSON)
	}
	if _, err := a.try(t.Context(), "no_such_tool", nil); err == nil || !strings.Contains(err.Error(), "no_such_tool") {
		t.Errorf("an unknown tool: %v", err)
	}
}
