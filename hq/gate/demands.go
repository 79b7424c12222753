package gate

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/testnames"
	"ferrus/ui/text/lazyregexp"
)

// compareTests compares the tests of a gate that passed with those of the tree that the
// task started from, where their runner names them. The base is gated first if it was not.
func (r *runner) compareTests(ctx context.Context, m *marked, j job, found *checks.Record, log io.Writer) error {
	if found.Verdict != checks.Pass || j.task == nil || j.task.Definition == nil || j.base.Tree == "" ||
		found.Tree.Hash == j.base.Tree {
		return nil
	}
	base, done := readBase(r.project, "checks", j.definition, j.base)
	if !done {
		if len(found.Names()) == 0 && !startsRunner(j.definition.Commands) {
			return nil
		}
		var err error
		if base, err = r.runBase(ctx, *j.task, marked{Ticket: j.record.Ticket}); err != nil {
			return err
		}
	}
	before := base.Names()
	if len(before) == 0 {
		return nil
	}
	c := comparison{runner: r, marked: m, job: j, base: base, before: before, found: found, log: log}
	if err := c.compare(ctx); err != nil {
		return err
	}
	return c.addCanaries(ctx)
}

// runnerWord is in a command that may run tests: one that is silent now may have named them on
// the base.
var runnerWord = lazyregexp.New(`\b(?:(?:go|cargo|npm|pnpm|yarn|bun|deno|dotnet|mix|swift|sbt|zig|flutter|dart) (?:run )?(?:test|nextest|t)` +
	`|pytest|py\.test|unittest|nose2?|jest|vitest|mocha|ava|tap|ctest|tox|nox|make|task|just|rake|rspec|gradlew?|mvnw?|phpunit|prove|bats` +
	`|gotestsum|ginkgo)\b`)

func startsRunner(commands []checks.Command) bool {
	return slices.ContainsFunc(commands, func(c checks.Command) bool { return runnerWord.MatchString(c.Run) })
}

// comparison is one comparison of a gate with its base.
type comparison struct {
	*runner
	marked *marked
	job    job
	base   BaseRecord
	before testnames.Set // what ran on the base
	found  *checks.Record
	log    io.Writer

	versions []testnames.Versions // of the changed files of tests, those of the base renamed
}

// compare sets the demands of the record. Where files of tests changed, those of the base
// run once more, on the new code.
func (c *comparison) compare(ctx context.Context) error {
	now := c.found.Names()
	edits, renames, err := c.older(ctx)
	if err != nil {
		return fmt.Errorf("compare the tests with those of the base: %w", err)
	}
	before := renamed(c.before, renames, now)
	c.found.Demands = &checks.Demands{Gone: checks.Gone(before, now)}
	if len(edits) == 0 {
		return nil
	}
	tree, err := c.repo.Edit(ctx, c.found.Tree.Hash, edits)
	if err != nil {
		return fmt.Errorf("put the tests of the base on the new code: %w", err)
	}
	if tree == c.found.Tree.Hash {
		return nil
	}
	d := c.found.Demands
	unchanged, err := c.run(ctx, tree)
	if err != nil {
		return err
	}
	fail, notRun := checks.Unchanged(renamed(c.before, renames, unchanged), unchanged)
	if len(fail) > 0 { // A second time, because some fail now and then.
		second, err := c.run(ctx, tree)
		if err != nil {
			return err
		}
		again, _ := checks.Unchanged(renamed(c.before, renames, second), second)
		fail = slices.DeleteFunc(fail, func(name string) bool { return !slices.Contains(again, name) })
	}
	d.Fail, d.NotRun = fail, notRun
	d.Gone = append(d.Gone, checks.GoneCases(before, unchanged, now)...)
	if len(notRun) > 0 {
		for _, v := range c.versions {
			d.Lost = append(d.Lost, testnames.Lost(v)...)
		}
	}
	return nil
}

// run runs the commands that named tests on a tree, and returns what these came to.
func (c *comparison) run(ctx context.Context, tree string) (testnames.Set, error) {
	j := c.job
	j.progress, j.setup, j.definition.Commands = nil, nil, nil
	for _, command := range c.job.definition.Commands {
		if slices.ContainsFunc(c.base.Commands, func(r checks.Result) bool {
			return r.Command == command.Run && len(r.Names) > 0
		}) {
			j.definition.Commands = append(j.definition.Commands, command)
		}
	}
	fmt.Fprintf(c.log, "\n=== the tests of the base, on the new code\n\n") //nolint:errcheck // the run notes it
	record, place := c.onTree(ctx, c.marked, j, checks.Tree{Hash: tree}, c.log)
	if place == nil {
		return nil, fmt.Errorf("run the tests of the base on the new code: %s", record.Why)
	}
	return record.Names(), ctx.Err()
}

// older returns what gives the new tree the files of tests of the base, with the identifiers
// renamed that the task renamed; none where no such file changed.
func (c *comparison) older(ctx context.Context) (edits []checks.Edit, renames testnames.Renaming, err error) {
	files, err := c.repo.Files(ctx, c.job.base.Tree, c.found.Tree.Hash)
	if err != nil {
		return nil, nil, err
	}
	files = slices.DeleteFunc(files, func(f checks.FileChange) bool {
		return !testnames.IsTestFile(f.Path) && !testnames.IsTestFile(f.Was())
	})
	if len(files) == 0 {
		return nil, nil, nil
	}
	was, err := c.repo.List(ctx, c.job.base.Tree)
	if err != nil {
		return nil, nil, err
	}
	is, err := c.repo.List(ctx, c.found.Tree.Hash)
	if err != nil {
		return nil, nil, err
	}
	texts := make([]testnames.Versions, len(files))
	changed := map[string]bool{}
	for i, f := range files {
		changed[f.Path] = true
		texts[i] = c.texts(ctx, f)
	}
	if renames, err = c.learnRenames(ctx, texts, changed); err != nil {
		return nil, nil, err
	}
	dirs := dirsOf(is, changed)
	for i, f := range files {
		if f.Old != "" && dirs[path.Dir(f.Old)] { // Its code did not move with it.
			edits = append(edits, checks.Edit{Path: f.Path})
			f.Path, f.Old = f.Old, ""
			f.Status = 'M'
		}
		edits = append(edits, edit(f, was, texts[i].Before, renames))
		texts[i].Before = renames.Apply(texts[i].Before)
	}
	c.versions = texts
	return edits, renames, nil
}

// dirsOf returns the directories of the files of a tree, without the changed ones.
func dirsOf(tree []git.TreeEntry, changed map[string]bool) map[string]bool {
	dirs := map[string]bool{}
	for _, e := range tree {
		if !changed[e.Path] {
			dirs[path.Dir(e.Path)] = true
		}
	}
	return dirs
}

// texts returns both texts of a changed file; what cannot be read, or is long, is empty.
func (c *comparison) texts(ctx context.Context, f checks.FileChange) (v testnames.Versions) {
	const most = 1 << 20
	read := func(tree, name string) string {
		text, err := c.repo.Content(ctx, tree, name, most)
		if err != nil || len(text) == most {
			return ""
		}
		return text
	}
	if f.Status != 'A' {
		v.Before = read(c.job.base.Tree, f.Was())
	}
	if f.Status != 'D' {
		v.Now = read(c.found.Tree.Hash, f.Path)
	}
	return v
}

// learnRenames returns the renamed identifiers that are in no other file of the new tree:
// what is still there can still be tested.
func (c *comparison) learnRenames(ctx context.Context, texts []testnames.Versions,
	changed map[string]bool) (testnames.Renaming, error) {
	all := testnames.Renames(texts)
	var words []string
	for from := range all {
		words = append(words, from)
	}
	slices.Sort(words)
	err := c.repo.Mentions(ctx, c.found.Tree.Hash, words, func(file, word string) {
		if !changed[file] {
			delete(all, word)
		}
	})
	return all, err
}

// edit returns the change that gives the new tree the base's version of a file. A renamed
// file keeps its new name: it moved with the code.
func edit(f checks.FileChange, was []git.TreeEntry, text string, renames testnames.Renaming) checks.Edit {
	at := slices.IndexFunc(was, func(e git.TreeEntry) bool { return e.Path == f.Was() })
	if f.Status == 'A' || at < 0 {
		return checks.Edit{Path: f.Path}
	}
	e := checks.Edit{Path: f.Path, Mode: was[at].Mode, ID: was[at].ID}
	if adapted := renames.Apply(text); adapted != text && e.Mode != git.ModeLink && e.Mode != git.ModeSubmodule {
		e.Content = []byte(adapted)
	}
	return e
}

// renamed returns tests under their new names, where a run has these.
func renamed(all testnames.Set, renames testnames.Renaming, run testnames.Set) testnames.Set {
	if len(renames) == 0 {
		return all
	}
	to := testnames.Set{}
	for name, o := range all {
		if other := renames.ApplyName(name); run[other] != "" {
			name = other
		}
		to.Add(name, o)
	}
	return to
}
