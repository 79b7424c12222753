package project

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/tamper"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// gatherReview reads the present tree and the alarms of the change that led to it.
func (p *Project) gatherReview(ctx context.Context, cfg config.Config, w core.World, c *core.Command) error {
	if err := p.gatherTree(ctx, cfg, w, c); err != nil || c.Facts.Tree == "" {
		return err
	}
	if err := p.Store.Verify(ctx); err != nil {
		return err
	}
	found := p.Alarms(ctx, w, c.Facts.Tree)
	c.Facts.Alarms = slices.Concat(p.RecordAlarms(), p.configAlarms(w, found), found)
	return ctx.Err()
}

// Alarms returns what may weaken the checks in the change from a task's base to a tree.
// Where that cannot be determined, the alarm says so and needs the human too.
func (p *Project) Alarms(ctx context.Context, w core.World, tree string) []core.Alarm {
	if w.Task == nil || w.Task.Base.Tree == "" {
		return []core.Alarm{{Rule: "no-base", Words: "the tree that the task started from is unknown, so nothing " +
			"could be compared", NeedsHuman: protected(w)}}
	}
	found, err := p.findAlarms(ctx, w, tree)
	if err != nil {
		return []core.Alarm{{Rule: "unknown", Words: "the change could not be inspected: " + err.Error(),
			NeedsHuman: protected(w)}}
	}
	var all []core.Alarm
	for _, a := range found {
		one := core.Alarm{Rule: a.Rule, Path: a.Path, Words: a.Why, NeedsHuman: a.NeedsHuman && protected(w)}
		for _, l := range a.Lines {
			one.Lines = append(one.Lines, l.String())
		}
		if a.More > 0 {
			one.Lines = append(one.Lines, fmt.Sprintf("and %d more lines", a.More))
		}
		all = append(all, one)
	}
	return all
}

// protected returns [checks] protect at the time the task was created.
func protected(w core.World) bool {
	return w.Task == nil || w.Task.Definition == nil || !w.Task.Definition.Unprotected
}

func (p *Project) findAlarms(ctx context.Context, w core.World, tree string) ([]tamper.Alarm, error) {
	repo, base := p.Work(w), w.Task.Base.Tree
	prefix, err := repo.Prefix(ctx)
	if err != nil {
		return nil, err
	}
	files, err := repo.Files(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	c := tamper.Change{
		Files: files, Prefix: prefix, BaseRed: w.Task.Base.Red, Present: presentText(repo.Workspace, prefix),
		Base: func(name string) (string, bool) {
			text, err := repo.Content(ctx, base, name, textBytes)
			return text, err == nil
		},
		Lines: func(f func(checks.LineChange)) error { return repo.Lines(ctx, base, tree, f) },
	}
	pinned := false // older tasks do not know which programs there were
	if d := w.Task.Definition; d != nil {
		c.Commands, c.BaseTools = d.Commands, d.Tools
		pinned = d.Path != ""
	}
	if record, ok := p.record(w); ok {
		c.Tests, c.Empty, c.Demands = record.Tests(), record.Empty(), record.Demands
		if pinned {
			c.Tools = record.Tools
		}
	}
	if before, ok := p.counts()[base]; ok {
		c.BaseTests = &before
	}
	return tamper.Find(c)
}

// textBytes is how much of a file is read to find names in it.
const textBytes = 64 << 10

// presentText returns a function that reads a file of the working tree by its name in a
// tree.
func presentText(workspace, prefix string) func(string) (string, bool) {
	top := strings.TrimSuffix(workspace+"/", "/"+prefix)
	return func(name string) (string, bool) {
		path := filepath.Join(top, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return "", false
		}
		file, err := os.Open(path)
		if err != nil {
			return "", false
		}
		defer file.Close()
		text := make([]byte, min(info.Size(), textBytes))
		n, _ := file.Read(text) // What cannot be read names nothing.
		return string(text[:n]), true
	}
}

// record returns the gate's record that the submission, or else the present state, is
// based on.
func (p *Project) record(w core.World) (checks.Record, bool) {
	ticket := uint64(0)
	switch {
	case w.Submission != nil && w.State == task.Reviewing:
		ticket = w.Submission.Ticket
	case w.Gate != nil:
		ticket = w.Gate.Ticket
	}
	var r checks.Record
	data, err := p.Store.ReadFile(fmt.Sprintf("checks/%d.json", ticket))
	if err != nil || json.Unmarshal(data, &r) != nil {
		return r, false
	}
	return r, true
}

// countsFile holds the numbers of tests on the last trees.
const (
	countsFile = "run/counts.json"
	countsKept = 200
)

// counted is one entry of countsFile.
type counted struct {
	Tree  string       `json:"tree"`
	Tests checks.Tests `json:"tests"`
}

func (p *Project) counts() map[string]checks.Tests {
	all := map[string]checks.Tests{}
	for _, c := range p.countList() {
		all[c.Tree] = c.Tests
	}
	return all
}

func (p *Project) countList() []counted {
	var list []counted
	if data, err := p.Store.ReadFile(countsFile); err == nil {
		_ = json.Unmarshal(data, &list) // A damaged file starts anew.
	}
	return list
}

// Count stores how many tests a gate counted on a tree, to compare a later change with.
// Only the holder of [GateLock] may call it.
func (p *Project) Count(tree string, tests *checks.Tests) error {
	if tree == "" || tests == nil {
		return nil
	}
	list := slices.DeleteFunc(p.countList(), func(c counted) bool { return c.Tree == tree })
	list = append(list, counted{tree, *tests})
	list = list[max(0, len(list)-countsKept):]
	data, err := json.Marshal(list)
	if err == nil {
		err = p.Store.WriteFile(countsFile, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("store the number of tests: %w", err)
	}
	return nil
}
