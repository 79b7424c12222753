package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ferrus/checks"
	"ferrus/checks/testnames"
	"ferrus/ui/text/lazyregexp"
)

// lockFile is written by programs that install what it lists.
var lockFile = lazyregexp.New(`\.(?:sum|lock)$|(?:^|/)(?:package-lock|npm-shrinkwrap)\.json$|(?:^|/)pnpm-lock\.yaml$`)

// compareWrites records which files of the tree the commands of a gate that passed wrote, though
// they leave them alone on the tree that the task started from: what they proved is then no longer
// the tree that was hashed. The base is gated first if it was not.
func (r *runner) compareWrites(ctx context.Context, j job, found *checks.Record) error {
	wrote := slices.Concat(found.Moved, found.Restored)
	wrote = slices.DeleteFunc(wrote, lockFile.MatchString)
	if found.Verdict != checks.Pass || j.task == nil || j.task.Definition == nil || len(wrote) == 0 {
		return nil
	}
	if j.base.Tree != "" && j.base.Tree != found.Tree.Hash {
		base, done := readBase(r.project, "checks", j.definition, j.base)
		var err error
		if !done {
			if base, err = r.runBase(ctx, *j.task, marked{Ticket: j.record.Ticket}); err != nil {
				return err
			}
		}
		if wrote, err = r.withoutUsual(ctx, wrote, base, found); err != nil {
			return err
		}
	}
	slices.Sort(wrote)
	found.Rewritten = wrote
	return nil
}

// withoutUsual leaves out the files that the commands write on the base in the same way, unless they
// are a test's or the task changed them: such a file may have been written on the base for that
// purpose.
func (r *runner) withoutUsual(ctx context.Context, wrote []string, base BaseRecord, found *checks.Record) (
	[]string, error) {
	files, err := r.repo.Files(ctx, base.Tree.Hash, found.Tree.Hash)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(wrote, func(name string) bool {
		same := slices.Contains(found.Moved, name) && slices.Contains(base.Moved, name) ||
			slices.Contains(found.Restored, name) && slices.Contains(base.Restored, name)
		return same && !testnames.IsTestFile(name) &&
			!slices.ContainsFunc(files, func(f checks.FileChange) bool { return f.Path == name })
	}), nil
}

// doubt notes what a gate of all commands found on its tree. The verdict is FLAKY if another gate of the
// project found the opposite on the same tree, whether for a task, a base or a candidate, and you have
// not decided about it since.
func (r *runner) doubt(j job, found *Record) error {
	if j.quick || found.Verdict != checks.Pass && found.Verdict != checks.Fail {
		return nil
	}
	tree, raw := found.Tree.Hash, found.Verdict
	before := r.project.DoubtOf(tree, j.definition)
	if n := len(found.FailedBefore); n > 0 && before.Failed == "" && before.Passed == "" {
		before.Failed = fmt.Sprintf("gate %d", found.FailedBefore[n-1]) // a quick one, or of an older ferrus
	}
	switch {
	case raw == checks.Pass && before.Failed != "":
		found.Verdict = checks.Flaky
		found.Why = fmt.Sprintf("FLAKY: the checks failed on this very tree (%s) before they passed", before.Failed)
	case raw == checks.Fail && before.Passed != "":
		found.Verdict = checks.Flaky
		found.Why = fmt.Sprintf("FLAKY: the checks passed on this very tree (%s) before they failed: %s", before.Passed,
			found.Why)
	}
	return r.project.NoteVerdict(tree, j.definition, raw, nameOf(j))
}

// nameOf returns a gate's name for readers outside its task.
func nameOf(j job) string {
	name := "gate " + j.name
	if j.record.Task != "" {
		name += " of " + j.record.Task
	}
	return name
}

// lookedBack is how many gates are looked at for one that failed on the same tree.
const lookedBack = 500

// failedBefore reads in the background which of the last gates of a job's task failed. The function that it returns
// waits for that and returns the gates that failed on the tree of a gate that passed.
func (r *runner) failedBefore(j job) func(now Record) []uint64 {
	if j.record.Task == "" {
		return func(Record) []uint64 { return nil }
	}
	failed := map[string][]uint64{} // by the tree
	read := inBackground(func() error { r.readFailed(j.record, failed); return nil })
	return func(now Record) (all []uint64) {
		if _ = read(); now.Verdict != checks.Pass {
			return nil
		}
		for _, ticket := range slices.Backward(failed[now.Tree.Hash]) {
			if _, err := Read(r.project, ticket); err == nil {
				all = append(all, ticket)
			}
		}
		return all
	}
}

// readFailed adds the gates of the task that failed before this one, by their tree, the newest first.
func (r *runner) readFailed(now Record, failed map[string][]uint64) {
	for _, ticket := range slices.Backward(r.ticketsBefore(now.Ticket)) {
		was, err := r.peek(ticket)
		if err == nil && was.Task != "" && was.Task != now.Task {
			return // its gates are all older
		}
		if err == nil && was.Task == now.Task && was.Verdict == checks.Fail {
			failed[was.Tree.Hash] = append(failed[was.Tree.Hash], ticket)
		}
	}
}

// peek reads a record without comparing it with its hash, which takes many times longer. [store.Dir.Verify] has
// compared all of them before the gate.
func (r *runner) peek(ticket uint64) (was Record, err error) {
	file, err := r.project.Store.OpenFile(recordName(strconv.FormatUint(ticket, 10)))
	if err != nil {
		return was, err
	}
	defer file.Close()
	return was, json.NewDecoder(file).Decode(&was)
}

// ticketsBefore returns the tickets that have a record, in order, of the lookedBack numbers before one.
func (r *runner) ticketsBefore(now uint64) (all []uint64) {
	names, err := r.project.Store.List("checks")
	if err != nil {
		return nil
	}
	for _, name := range names {
		number, _ := strings.CutSuffix(name, ".json")
		ticket, err := strconv.ParseUint(number, 10, 64) // the record of a forced gate has a name
		if err == nil && ticket < now && now-ticket <= lookedBack {
			all = append(all, ticket)
		}
	}
	slices.Sort(all)
	return all
}
