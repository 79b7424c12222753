package gate

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"

	"ferrus/checks"
	"ferrus/checks/testnames"
	"ferrus/ui/text/lazyregexp"
)

// compareTests compares the tests of a gate that passed with those of the tree that the
// task started from: by name where their runner names them, else by their command. The base is
// gated first if it was not.
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
	if len(before) == 0 && !slices.ContainsFunc(base.Commands, isSilent) {
		return nil
	}
	c := comparison{runner: r, marked: m, job: j, base: base, before: before, found: found, log: log}
	if err := c.compare(ctx); err != nil || len(before) == 0 {
		return err
	}
	return c.addCanaries(ctx)
}

// runnerWord is in a command that may run tests: one that is silent now may have named them on
// the base.
var runnerWord = lazyregexp.New(`\b(?:(?:go|cargo|npm|pnpm|yarn|bun|deno|dotnet|mix|swift|sbt|zig|flutter|dart) (?:run )?(?:test|nextest|t)` +
	`|pytest|py\.test|unittest|nose2?|jest|vitest|mocha|ava|tap|ctest|tox|nox|make|task|just|rake|rspec|gradlew?|mvnw?|phpunit|prove|bats` +
	`|gotestsum|ginkgo)\b`)

// testWord is a script or a directory of tests.
var testWord = lazyregexp.New(`(?:^|[/_.-])(?:tests?|specs?)[/_.-]|[/_-]tests?$|^tests$|[Tt]ests?\w*\.\w+$`)

func startsTests(command string) bool {
	return runnerWord.MatchString(command) || slices.ContainsFunc(checks.ShellWords(command), func(word string) bool {
		return !path.IsAbs(word) && testWord.MatchString(word)
	})
}

// isSilent reports whether a command that passed seems to have run tests whose names are not known.
func isSilent(r checks.Result) bool { return r.OK() && len(r.Names) == 0 && startsTests(r.Command) }

func startsRunner(commands []checks.Command) bool {
	return slices.ContainsFunc(commands, func(c checks.Command) bool { return startsTests(c.Run) })
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

	versions []testnames.Versions // the base's changed test files, with renamed identifiers
}

// compare sets the demands of the record. If test files changed, or files that only tests use,
// the base's versions run once more, on the new code.
func (c *comparison) compare(ctx context.Context) error {
	edits, renames, err := c.older(ctx)
	if err != nil {
		return fmt.Errorf("compare the tests with those of the base: %w", err)
	}
	before := renamed(c.before, renames, c.found.Names())
	c.found.Demands = &checks.Demands{Gone: checks.Gone(before, c.found.Names())}
	if err := c.rerun(ctx, edits, renames); err != nil {
		return err
	}
	helpers, err := c.helpers(ctx)
	if err != nil || len(helpers) == 0 {
		return err
	}
	first := *c.found.Demands
	if err := c.rerun(ctx, append(edits, helpers...), renames); err != nil {
		return err
	}
	// What cannot run without what else the task changed is judged by the files of tests alone.
	d := c.found.Demands
	d.NotRun, d.Lost, d.Gone = first.NotRun, first.Lost, first.Gone
	d.Fail, d.Commands = union(first.Fail, d.Fail), union(first.Commands, d.Commands)
	return nil
}

// union returns the names of two lists, in order.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// rerun runs the new code with other files of tests, and adds to the demands what comes of it.
func (c *comparison) rerun(ctx context.Context, edits []checks.Edit, renames testnames.Renaming) error {
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
	d, now := c.found.Demands, c.found.Names()
	unchanged, failing, err := c.run(ctx, tree)
	if err != nil {
		return err
	}
	fail, notRun := checks.Unchanged(renamed(c.before, renames, unchanged), unchanged)
	if len(fail) > 0 || len(failing) > 0 { // A second time, because some fail now and then.
		second, failingAgain, err := c.run(ctx, tree)
		if err != nil {
			return err
		}
		again, _ := checks.Unchanged(renamed(c.before, renames, second), second)
		fail = slices.DeleteFunc(fail, func(name string) bool { return !slices.Contains(again, name) })
		failing = slices.DeleteFunc(failing, func(name string) bool { return !slices.Contains(failingAgain, name) })
	}
	d.Fail, d.NotRun, d.Commands = fail, notRun, failing
	d.Gone = append(d.Gone, checks.GoneCases(renamed(c.before, renames, now), unchanged, now)...)
	if len(notRun) > 0 {
		for _, v := range c.versions {
			d.Lost = append(d.Lost, testnames.Lost(v)...)
		}
	}
	return nil
}

// run runs the test commands on a tree. It returns the outcomes of the named tests, and
// which commands without named tests failed.
func (c *comparison) run(ctx context.Context, tree string) (names testnames.Set, failing []string, err error) {
	j := c.job
	j.progress, j.setup, j.definition.Commands = nil, nil, nil
	silent := map[string]bool{}
	for _, command := range c.job.definition.Commands {
		at := slices.IndexFunc(c.base.Commands, func(r checks.Result) bool {
			return r.Command == command.Run && (len(r.Names) > 0 || isSilent(r))
		})
		if at >= 0 {
			j.definition.Commands = append(j.definition.Commands, command)
			silent[command.Run] = len(c.base.Commands[at].Names) == 0
		}
	}
	fmt.Fprintf(c.log, "\n=== the tests of the base, on the new code\n\n") //nolint:errcheck // the run notes it
	record, place := c.onTree(ctx, c.marked, j, checks.Tree{Hash: tree}, c.log)
	if place == nil {
		return nil, nil, fmt.Errorf("run the tests of the base on the new code: %s", record.Why)
	}
	for _, r := range record.Commands {
		if silent[r.Command] && !r.OK() {
			failing = append(failing, r.Title())
		}
	}
	return record.Names(), failing, ctx.Err()
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
