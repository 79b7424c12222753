package project

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"

	"ferrus/agent"
	"ferrus/checks"
	"ferrus/checks/tamper"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// gatherReview reads the present tree and the alarms of the change that led to it.
func (t *Task) gatherReview(ctx context.Context, cfg config.Config, w core.World, c *core.Command) error {
	verified := make(chan error, 1)
	go func() { verified <- t.Store.Verify(ctx) }() // while git reads the tree
	err, verifying := t.gatherTree(ctx, cfg, w, c), <-verified
	if err != nil || c.Facts.Tree == "" {
		return err
	}
	if verifying != nil {
		return verifying
	}
	c.Facts.Alarms = t.ReviewAlarms(ctx, w, c.Facts.Tree)
	return ctx.Err()
}

// ReviewAlarms returns everything that a reviewer has to know of a tree: [Task.Alarms], and what became of the
// record and of ferrus.toml since the task began.
func (t *Task) ReviewAlarms(ctx context.Context, w core.World, tree string) []core.Alarm {
	record := make(chan []core.Alarm, 1)
	go func() { record <- t.RecordAlarms() }()
	found := t.Alarms(ctx, w, tree)
	return slices.Concat(<-record, t.configAlarms(w, found), t.UnaskedAlarms(ctx, w, tree), found)
}

// Alarms returns what may weaken the checks in the change from a task's base to a tree.
// Where that cannot be determined, the alarm says so and needs the human too.
func (t *Task) Alarms(ctx context.Context, w core.World, tree string) []core.Alarm {
	if w.Task == nil || w.Task.Base.Tree == "" {
		return []core.Alarm{{Rule: "no-base", Words: "the tree that the task started from is unknown, so nothing " +
			"could be compared", NeedsHuman: protected(w)}}
	}
	found, err := t.findAlarms(ctx, w, tree)
	if err != nil {
		return []core.Alarm{{Rule: "unknown", Words: "the change could not be inspected: " + err.Error(),
			NeedsHuman: protected(w)}}
	}
	var all []core.Alarm
	for _, a := range found {
		one := core.Alarm{Rule: a.Rule, Path: a.Path, Words: a.Why,
			NeedsHuman: a.NeedsHuman && (protected(w) || a.Rule == flakyRule)}
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

// AlarmsBetween returns what may weaken the checks in the work of a task where it stands on another tree, as
// far as the change shows it: what a gate counted and found plays no part.
func (t *Task) AlarmsBetween(ctx context.Context, w core.World, base, tree string) []core.Alarm {
	if w.Task == nil {
		return nil
	}
	changed := *w.Task
	changed.Base = core.Base{Tree: base}
	w.Task, w.Gate, w.Submission = &changed, nil, nil
	return slices.DeleteFunc(t.Alarms(ctx, w, tree), func(a core.Alarm) bool {
		return a.Rule == "fewer-tests" || a.Rule == flakyRule
	})
}

// CountAlarms returns what a gate counted that may weaken the checks: fewer tests than on another tree, or none.
func (p *Project) CountAlarms(found checks.Record, base string) (all []core.Alarm) {
	none := func(string) (string, bool) { return "", false }
	c := tamper.Change{Lines: func(func(checks.LineChange)) error { return nil }, Tests: found.Tests(),
		Empty: found.Empty(), Present: none, Base: none}
	if before, ok := p.counts()[base]; ok {
		c.BaseTests = &before
	}
	alarms, err := tamper.Find(c)
	if err != nil {
		return []core.Alarm{{Rule: "unknown", Words: err.Error(), NeedsHuman: true}}
	}
	for _, a := range alarms {
		if a.Rule == "fewer-tests" || a.Rule == "no-tests" { // there are no others of a change without files
			all = append(all, core.Alarm{Rule: a.Rule, Words: a.Why, NeedsHuman: a.NeedsHuman})
		}
	}
	return all
}

// flakyRule is the alarm of checks that failed and passed on one tree: you approve it, whatever is protected.
const flakyRule = "failed-before"

// protected returns [checks] protect at the time the task was created.
func protected(w core.World) bool {
	return w.Task == nil || w.Task.Definition == nil || !w.Task.Definition.Unprotected
}

func (t *Task) findAlarms(ctx context.Context, w core.World, tree string) ([]tamper.Alarm, error) {
	base := w.Task.Base.Tree
	repo, release, err := t.Work(w).Hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	lines, stop := repo.StartLines(ctx, base, tree) // while the texts are read
	defer stop()
	prefix, err := repo.Prefix(ctx)
	if err != nil {
		return nil, err
	}
	files, err := repo.Files(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	texts, err := newTreeTexts(ctx, repo, base, tree, files)
	if err != nil {
		return nil, err
	}
	c := tamper.Change{
		Files: files, Prefix: prefix, BaseRed: w.Task.Base.Red, Present: texts.present, Base: texts.base,
		Lines: lines, Unread: texts.isUnread, AgentSettings: agent.WorkspaceSettings(),
	}
	pinned := false // older tasks do not know which programs there were
	if d := w.Task.Definition; d != nil {
		c.Commands, c.BaseTools, c.BaseIncluded = d.Commands, d.Tools, d.Included
		pinned = d.Path != ""
	}
	c.Alike = texts.alike(files)
	if record, ok := t.record(w); ok {
		c.Tests, c.Empty, c.Demands = record.Tests(), record.Empty(), record.Demands
		c.Rewritten, c.FailedBefore, c.Included = record.Rewritten, record.FailedBefore, record.Included
		if pinned {
			c.Tools = record.Tools
		}
	}
	if before, ok := t.counts()[base]; ok {
		c.BaseTests = &before
	}
	if d := w.Task.Definition; d != nil {
		c.FailedElsewhere = t.DoubtOf(tree, *d).Failed
	}
	found, err := tamper.Find(c)
	return slices.DeleteFunc(found, func(a tamper.Alarm) bool {
		return a.Rule == settingsChanged && a.Path == path.Join(prefix, config.File) && isYourEdit(w, texts, a.Path)
	}), err
}

// isYourEdit reports whether ferrus.toml in the tree of a task in your checkout is unchanged since
// you gave a role another agent or model: the pin, which no agent can change, has its hash.
func isYourEdit(w core.World, texts *treeTexts, name string) bool {
	text, ok := texts.present(name)
	pin := w.Pinned()
	return ok && pin != nil && w.Task.Workspace == nil && len(text) < textBytes &&
		config.HashOf([]byte(text)) == pin.Config
}

// textBytes is how much of a file is read to look at what it says.
const textBytes = 256 << 10

// treeTexts reads files of the two trees of a change. What the worktree has by now plays no
// part.
type treeTexts struct {
	read     func(name string) (string, error) // of the newer tree
	has      map[string]bool                   // in the newer tree
	was, now map[string]string                 // of the files that changed
	differs  map[string]bool
	unread   map[string]bool // changed, and not read
}

// mostTexts bounds the files that changed whose texts are read.
const mostTexts = 2000

func newTreeTexts(ctx context.Context, repo checks.Repo, base, tree string, files []checks.FileChange) (
	*treeTexts, error) {
	t := &treeTexts{has: map[string]bool{}, differs: map[string]bool{}, unread: map[string]bool{}}
	var was, now []string
	for i, f := range files {
		t.differs[f.Path], t.differs[f.Was()] = true, true
		if i < mostTexts {
			was, now = append(was, f.Was()), append(now, f.Path)
		} else {
			t.unread[f.Path] = true
		}
	}
	var err error
	if t.was, err = repo.Texts(ctx, base, was, textBytes); err != nil {
		return nil, err
	}
	if t.now, err = repo.Texts(ctx, tree, now, textBytes); err != nil {
		return nil, err
	}
	entries, err := repo.List(ctx, tree)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		t.has[e.Path] = true
	}
	t.read = func(name string) (string, error) { return repo.Content(ctx, tree, name, textBytes) }
	return t, nil
}

// alike returns what [checks.Alike] does of the added files.
func (t *treeTexts) alike(files []checks.FileChange) map[string]string {
	var added []string
	for _, f := range files {
		if f.Status == 'A' || f.Status == 'R' {
			added = append(added, f.Path)
		}
	}
	if len(added) == 0 {
		return nil
	}
	return checks.Alike(added, maps.Keys(t.has))
}

// isUnread reports whether a changed file was not read, or not as a whole.
func (t *treeTexts) isUnread(name string) bool {
	return t.unread[name] || len(t.now[name]) == textBytes || len(t.was[name]) == textBytes
}

func (t *treeTexts) base(name string) (string, bool) {
	if !t.differs[name] {
		return t.present(name)
	}
	text, ok := t.was[name]
	return text, ok
}

func (t *treeTexts) present(name string) (string, bool) {
	if t.differs[name] || !t.has[name] {
		text, ok := t.now[name]
		return text, ok
	}
	text, err := t.read(name)
	return text, err == nil
}

// record returns the gate's record that the submission, or else the present state, is
// based on.
func (t *Task) record(w core.World) (checks.Record, bool) {
	ticket := uint64(0)
	switch {
	case w.Submission != nil && w.State == task.Reviewing:
		ticket = w.Submission.Ticket
	case w.Gate != nil:
		ticket = w.Gate.Ticket
	}
	var r checks.Record
	data, err := t.Store.ReadFile(fmt.Sprintf("checks/%d.json", ticket))
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
	if data, err := p.Files.ReadFile(countsFile); err == nil {
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
		err = p.Files.WriteFile(countsFile, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("store the number of tests: %w", err)
	}
	return nil
}
