package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// older makes .ferrus what the first version of ferrus had in a state.
func (l *fixture) older(state machine.State, texts map[string]string) {
	l.Helper()
	dir := filepath.Join(l.Dir, ".ferrus")
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		l.Fatal(err)
	}
	l.write(dir, "STATE.json", fmt.Sprintf(`{"schema_version": 1, "state": %q, "check_retries": 2, "review_cycles": 0,
  "failure_reason": null, "updated_at": "2026-05-13T09:04:24.120456789Z", "owner_pid": 0, "paused_state": "Executing",
  "claimed_by": "executor:codex:1", "selected_spec": "docs/specs/a.md"}`, state))
	l.write(dir, "agents.json",
		`{"agents": [{"role": "executor", "agent_type": "codex", "name": "executor:codex:1", "pid": 1, "status": "running"}]}`)
	for name, text := range texts {
		l.write(dir, name, text)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.older("AwaitingHuman", map[string]string{core.TaskText: "# Old task\n", core.QuestionText: "may I?\n",
		core.ReviewText: "of a task before\n", core.AnswerText: ""})
	var older *store.OlderError
	if _, err := Open(l.Dir); !errors.As(err, &older) {
		t.Fatal(err)
	}
	p, err := Import(t.Context(), l.Dir, "")
	if err != nil {
		t.Fatal(err)
	}
	state, err := p.World()
	w := state.World
	if err != nil || state.Seq != 1 || w.State != "AwaitingHuman" || w.Task.Title != "Old task" ||
		w.Task.Definition == nil || w.Task.Base.Tree != "" ||
		w.SelectedSpec != "docs/specs/a.md" || w.CheckRetries != 2 || w.ClaimedBy != "" || w.Since.Year() != 2026 {
		t.Errorf("the imported task is %+v, %v; want Old task, which awaits the human", w, err)
	}
	for name, want := range map[string]string{core.QuestionText: "may I?\n", core.ReviewText: "", core.AnswerText: ""} {
		text, err := p.Store.ReadText(state, name)
		_, missing := os.Stat(p.Store.Path(name))
		if err != nil || text != want || (missing == nil) != (want != "") {
			t.Errorf("%s is %q, %v, %v; want %q", name, text, err, missing, want)
		}
	}
	if r, err := p.Registry(); err != nil || len(r.Agents) != 0 {
		t.Errorf("the registry is %+v, %v; want no agents", r, err)
	}
	if e, err := p.Store.Examine(); err != nil || !e.IsIntact() {
		t.Errorf("the examination is %+v, %v; want an intact record", e, err)
	}
	if all, err := p.Store.CheckFiles(false); err != nil || len(all) > 0 {
		t.Errorf("the odd files are %+v, %v; want none", all, err)
	}
	if _, err := p.Do(t.Context(), store.Call{}, core.Command{Kind: "answer", By: HumanActor(), Text: "yes",
		Ticket: w.Question.Ticket}); err != nil {
		t.Error(err)
	}
	if _, err := Open(l.Dir); err != nil {
		t.Error(err)
	}
}

// Whatever cannot be imported is reported, and left unchanged.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, want string }{
		"a state of another version": {`"Executing"`, `"Fixing"`, `"Fixing" is not a state of a task`},
		"a counter":                  {`"check_retries": 2`, `"check_retries": -2`, "a counter is -2"},
		"no counter":                 {`"check_retries": 2, `, ``, "is missing"},
		"a wrong type":               {`"owner_pid": 0`, `"owner_pid": "x"`, "cannot unmarshal"},
		"an odd time":                {`2026-05-13T`, `yesterday`, "yesterday"},
		"no JSON":                    {`{`, ``, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t)
			l.older("Executing", nil)
			file := filepath.Join(l.Dir, ".ferrus/STATE.json")
			data, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(data), c.old) {
				t.Fatal(err)
			}
			l.write(l.Dir, ".ferrus/STATE.json", strings.Replace(string(data), c.old, c.new, 1))
			_, err = Import(t.Context(), l.Dir, "")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "ferrus init") {
				t.Error(err)
			}
			left, err := filepath.Glob(filepath.Join(l.Dir, ".ferrus/*"))
			if err != nil || len(left) != 2 {
				t.Errorf("there is %v, %v", left, err)
			}
		})
	}
}

// FuzzOlder reads any STATE.json of the first version: the imported state is valid and can be
// written.
func FuzzOlder(f *testing.F) {
	for _, state := range []string{"Idle", "Executing", "Consultation", "AwaitingHuman", "Reviewing", "Fixing"} {
		f.Add(fmt.Appendf(nil,
			`{"state":%q,"check_retries":1,"review_cycles":1,"paused_state":"Consultation","failure_reason":null}`,
			state), "yes")
	}
	f.Add(
		[]byte(
			`{"state":"Failed","check_retries":-1,"review_cycles":1e9,"updated_at":"0000-01-01T00:00:00Z","task":{"id":"../x"}}`), "")
	f.Fuzz(func(t *testing.T, data []byte, answer string) {
		w, _, err := parseOlder(data)
		if err != nil {
			return
		}
		c := core.Command{Kind: "import", By: FerrusActor(), Facts: core.Facts{Tree: "a", TaskID: "t-1", NextSeq: 1},
			Texts: map[string]string{core.TaskText: answer, core.AnswerText: answer}}
		d, err := core.Decide(w, c, core.Limits{})
		if err != nil {
			return
		}
		if err := d.World.Validate(); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(d.World); err != nil {
			t.Error(err)
		}
	})
}
