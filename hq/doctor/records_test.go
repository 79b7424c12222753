package doctor

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/workflow"
)

// A workflow's state is rebuilt from its journal, and sound state is left alone.
func TestWorkflowsAreRepaired(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it repairs many states")
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		says  string
	}{
		"an edit": {func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "state.json"), `"phase": "plan"`, `"phase": "completed"`)
		}, "state.json was edited outside ferrus: phase"},
		"no state": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "state.json")); err != nil {
				t.Fatal(err)
			}
		}, "state.json cannot be used"},
		"half a state": {func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "state.json"), "}\n", "")
		}, "state.json cannot be used"},
		"a foreign line": {func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "journal.jsonl"),
					append([]byte("{\"seq\":9,\"event\":\"x\",\"data\":{}}\n"), data...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "do not continue it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, core.World{})
			b := workflow.Open(p)
			w, err := b.Start(t.Context(), project.HumanActor(), workflow.Request{Type: "oneshot", Title: "Work"})
			if err != nil {
				t.Fatal(err)
			}
			says(t, examine(t, p), "ok workflows workflows that match their journals: 1")
			dir := filepath.Join(p.Dir, ".ferrus/workflows", w.ID)
			c.spoil(t, dir)
			says(t, examine(t, p), c.says)
			done, err := Repair(t.Context(), p.Dir, Options{Version: "test", Agents: []string{"demo"}})
			if err != nil || len(done.Unfixed) > 0 || !strings.Contains(strings.Join(done.Fixed, "\n"),
				"workflows/"+w.ID+": ") {
				t.Errorf("the repair is %+v, %v; want workflow %s fixed", done, err, w.ID)
			}
			says(t, examine(t, p), "ok workflows workflows that match their journals: 1")
			again, err := b.Find()
			if err != nil || again.Phase != w.Phase || again.Seq != w.Seq+1 { // the repair is an event
				t.Errorf("the phase is %v, %v; want %v, one event later", again.Phase, err, w.Phase)
			}
			if _, err := b.Cancel(t.Context(), w.ID, "enough"); err != nil {
				t.Errorf("the repaired workflow cannot be cancelled: %v", err)
			}
		})
	}
}

// If a queue's state is missing or was edited, it is rebuilt from the journal.
func TestTheQueueIsRepaired(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, state string){
		"gone":   func(t *testing.T, state string) { hqtest.Must(t, os.Remove(state)) },
		"edited": func(t *testing.T, state string) { change(t, state, "First", "Worst") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, core.World{})
			q, err := queue.OpenOrCreate(t.Context(), p)
			hqtest.Must(t, err)
			_, err = q.Add(t.Context(), project.HumanActor(), []queue.New{{Text: "# First"}, {Text: "# Second"}})
			hqtest.Must(t, err)
			says(t, examine(t, p), "ok queue the queue matches its journal")
			spoil(t, filepath.Join(p.Dir, ".ferrus/queue/state.json"))
			says(t, examine(t, p), "error queue")
			done, err := Repair(t.Context(), p.Dir, Options{Version: "test", Agents: []string{"demo"}})
			if err != nil || !strings.Contains(strings.Join(done.Fixed, "\n"), "queue: ") {
				t.Errorf("the repair is %+v, %v; want the queue fixed", done, err)
			}
			rows, err := q.Rows(queue.ConditionsOf(p))
			if err != nil || len(rows) != 2 || rows[0].Title != "First" {
				t.Errorf("the rows are %+v, %v; want 2 with First on top", rows, err)
			}
			if text, err := q.Request(2); text != "# Second" || err != nil {
				t.Errorf("the request of #2 is %q, %v; want Second", text, err)
			}
		})
	}
}

func change(t *testing.T, name, old, with string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(data, []byte(old)) {
		t.Fatalf("read: %v, %s; want %q in it", err, data, old)
	}
	if err := os.WriteFile(name, bytes.Replace(data, []byte(old), []byte(with), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}
