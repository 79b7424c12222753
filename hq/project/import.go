package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
)

// The files that the first version of ferrus kept in .ferrus besides STATE.json.
var (
	olderTexts  = append([]string{core.TaskText}, core.TaskTexts...)
	olderOthers = []string{registryFile}
)

// Import opens a project whose .ferrus the first version of ferrus wrote, for which [Open]
// returns a *store.OlderError. It imports the task as the event import, and keeps the
// original files in .ferrus/archive/import-*. On an error nothing has changed. Heads are
// those of [OpenKept].
func Import(ctx context.Context, dir string, heads store.Heads, names ...string) (*Task, error) {
	p, err := Inspect(dir, heads, names...)
	if err != nil {
		return nil, err
	}
	if err := store.Retry(func() error { return p.importOnce(ctx) }); err != nil {
		return nil, err
	}
	if _, err := p.Store.CheckFiles(true); err != nil { // the first version let other users read its files
		return nil, err
	}
	return p, nil
}

// importOnce gathers the facts for the import and imports. The error is store.ErrStale if
// the old STATE.json changed meanwhile.
func (t *Task) importOnce(ctx context.Context) error {
	var old *store.OlderError
	if _, err := t.Store.Load(); !errors.As(err, &old) {
		return err // nil: another process has imported it
	}
	seen, err := t.Store.ReadFile("STATE.json")
	if err != nil {
		return err
	}
	w, pid, err := parseOlder(seen)
	if err != nil {
		return fmt.Errorf("import state: %w", err)
	}
	c := core.Command{Kind: core.KindImport, By: FerrusActor(), Facts: core.Facts{Tree: "not read yet"}}
	if _, err := core.Decide(w, c, core.Limits{}); err != nil { // before gathering more, which writes files
		return fmt.Errorf("import state: %w", describeImport(err))
	}
	if err := checkEnded(pid); err != nil {
		return err
	}
	cfg, err := t.Config()
	if err != nil && !errors.Is(err, config.ErrNone) {
		return err
	}
	if w.State != task.Idle {
		if err := t.gatherImported(ctx, cfg, w, &c); err != nil {
			return err
		}
	}
	imported, err := store.Import(ctx, t.Dir, olderTexts, olderOthers,
		func(tx *store.Tx[core.World], state []byte, files map[string]string) error {
			if !bytes.Equal(state, seen) {
				return store.ErrStale
			}
			if err := checkEnded(pid); err != nil {
				return err
			}
			c.Texts = files
			c.Facts.Now, c.Facts.NextSeq = time.Now(), tx.Seq
			d, err := core.Decide(w, c, limits(cfg))
			if err != nil {
				return describeImport(err)
			}
			apply(tx, c.By, d)
			return nil
		}, t.Heads)
	if err == nil {
		t.Store, t.Files = imported, &imported.Files
	}
	return err
}

// checkEnded returns an error while the ferrus that wrote the state still runs.
func checkEnded(pid int) error {
	if name, err := process.Name(pid); err == nil && strings.HasPrefix(name, "ferrus") {
		return fmt.Errorf("process %d, the ferrus that wrote it, is still running: stop it and try again", pid)
	}
	return nil
}

// gatherImported gathers what create_task would have gathered for the open task, except
// the tree it started from, which is unknown. Its work is in the project directory.
func (t *Task) gatherImported(ctx context.Context, cfg config.Config, w core.World, c *core.Command) error {
	if err := t.Repo().Pin(ctx); err != nil {
		return fmt.Errorf("import the task: %w", err)
	}
	definition := GateDefinition(cfg)
	definition.Path = os.Getenv("PATH")
	definition.Tools = checks.Programs(definition.Path, definition.Commands, t.Dir)
	c.Facts.TaskID, c.Facts.Definition = newTaskID(time.Now()), &definition
	return t.gatherTree(ctx, cfg, w, c)
}

// parseOlder parses a STATE.json of the first version; pid is the process that wrote it.
func parseOlder(data []byte) (w core.World, pid int, err error) {
	var s struct {
		State     *machine.State `json:"state"`
		Updated   time.Time      `json:"updated_at"`
		PID       int            `json:"owner_pid"`
		Retries   *int           `json:"check_retries"`
		Cycles    *int           `json:"review_cycles"`
		Reason    string         `json:"failure_reason"`
		Paused    machine.State  `json:"paused_state"`
		Selection core.Selection
	}
	if err = json.Unmarshal(data, &s); err == nil {
		err = json.Unmarshal(data, &s.Selection)
	}
	switch {
	case err != nil:
		return w, 0, describeImport(err)
	case s.State == nil || s.Retries == nil || s.Cycles == nil:
		return w, 0, describeImport(errors.New("state, check_retries or review_cycles is missing"))
	}
	w = core.World{State: *s.State, Since: s.Updated.UTC(), Selection: s.Selection}
	w.CheckRetries, w.ReviewCycles, w.FailureReason = *s.Retries, *s.Cycles, s.Reason
	if s.Paused != "" {
		w.Paused = []machine.State{s.Paused}
	}
	return w, s.PID, nil
}

// describeImport adds to an error what to do where no import is possible.
func describeImport(err error) error {
	if r := machine.AsRefusal(err); r != nil && len(r.Failed) > 0 {
		err = errors.New(r.Failed[0].Reason)
	}
	return fmt.Errorf("%w; finish its task with the ferrus that wrote it, or move .ferrus away and run: ferrus init",
		err)
}
