package project

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine/task"
	"ferrus/store"
)

// draftsFile holds the comments on the open task that you have not sent.
const draftsFile = "drafts.json"

// drafts is the content of draftsFile.
type drafts struct {
	Task   string           `json:"task"` // drafts of another task mean nothing
	Drafts []comments.Draft `json:"drafts"`
}

// Comments returns the comments of the task in a state.
func (t *Task) Comments(s store.State[core.World]) (comments.Set, error) {
	content, err := t.Store.ReadText(s, core.CommentsText)
	if err != nil {
		return comments.Set{}, err
	}
	return comments.Decode(content)
}

// gatherComments reads the comments that a command adds to or answers, and for a round
// the tree that it is about.
func (t *Task) gatherComments(ctx context.Context, cfg config.Config, w core.World, c *core.Command) error {
	state, err := t.World() // A newer one is found out under the lock: c.Seq is the older.
	if err != nil {
		return err
	}
	set, err := t.Comments(state)
	if err != nil {
		return err
	}
	c.Facts.Comments = &set
	if c.Kind == core.KindComment {
		return t.gatherTree(ctx, cfg, w, c)
	}
	return nil
}

// hasDrafts reports whether a command brings a round of comments.
func hasDrafts(_ core.World, c core.Command) bool { return len(c.Drafts) > 0 }

// SendComments sends a round of comments of yours, with a note above them if there is one:
// as the rejection of a submission under review, as a message to the executor that works,
// or as the return of approved work that has not landed. It returns what the round was
// sent as. Nothing is sent if one of the comments cannot be.
func (t *Task) SendComments(ctx context.Context, all []comments.Draft, note string) (comments.How, core.Result, error) {
	state, err := t.World()
	if err != nil {
		return "", core.Result{}, err
	}
	c := core.Command{By: HumanOf(ctx), Drafts: all, Text: note}
	how := comments.AsMessage
	switch state.World.State {
	case task.Reviewing:
		c.Kind, how = core.KindReject, comments.AsRejection
	case task.Complete:
		c.Kind, how = core.KindReturned, comments.AsReturn
		lock, err := t.Files.TryLock(LandLock)
		if err != nil {
			return "", core.Result{}, fmt.Errorf("return the task: its landing is in progress: %w", err)
		}
		defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	default:
		c.Kind = core.KindComment
	}
	result, err := t.Do(ctx, store.Call{}, c)
	if err != nil {
		return "", result, err
	}
	if how == comments.AsMessage {
		if err := t.PostMessage(core.SlotExecutor, result.Message); err != nil {
			return how, result, fmt.Errorf("the comments are recorded, and submit waits for their answers, but "+
				"the executor's session was not interrupted: %w", err)
		}
		result.Message = ""
	}
	return how, result, nil
}

// Drafts returns the comments on the open task that you have not sent.
func (t *Task) Drafts() ([]comments.Draft, error) {
	state, err := t.World()
	if err != nil || state.World.Task == nil {
		return nil, err
	}
	var kept drafts
	if _, err := t.readJSON(draftsFile, &kept); err != nil {
		return nil, err
	}
	if kept.Task != state.World.Task.ID {
		return nil, nil
	}
	return kept.Drafts, nil
}

// SaveDrafts keeps the comments that you have not sent, in place of the ones before.
func (t *Task) SaveDrafts(all []comments.Draft) error {
	state, err := t.World()
	switch {
	case err != nil:
		return err
	case state.World.Task == nil:
		return errors.New("save the comments: there is no task")
	case len(all) == 0:
		return t.Store.Remove(draftsFile)
	}
	return t.writeJSON(draftsFile, drafts{state.World.Task.ID, all})
}

// CommentedDiff is the change of the task with the comments on it.
type CommentedDiff struct {
	Base   core.Base
	Files  []checks.FilePatch
	Set    comments.Set
	Drafts []comments.Draft
	Round  int // what it shows the changes since; 0: since the task began
}

// CommentedDiff reads what the open task has changed, or had changed when it was approved:
// since it began or, with a round above 0, since that round was sent. A round below 0 is
// the newest. Most bounds the patches.
func (t *Task) CommentedDiff(ctx context.Context, round int, most checks.PatchLimits) (CommentedDiff, error) {
	state, err := t.World()
	if err != nil {
		return CommentedDiff{}, err
	}
	w := state.World
	if w.Task == nil || w.Task.Base.Tree == "" {
		return CommentedDiff{}, errors.New("there is no task to show the change of")
	}
	out := CommentedDiff{Base: w.Task.Base}
	if out.Set, err = t.Comments(state); err != nil {
		return out, err
	}
	if out.Drafts, err = t.Drafts(); err != nil {
		return out, err
	}
	newest, err := t.newestTree(ctx, w)
	if err != nil {
		return out, err
	}
	repo := t.Work(w)
	if round == 0 {
		out.Files, err = repo.PatchLimited(ctx, w.Task.Base.Tree, newest, most)
		return out, err
	}
	r, err := roundOf(out.Set, round)
	if err != nil {
		return out, err
	}
	out.Round = r.Number
	if out.Files, err = repo.PatchLimited(ctx, r.Tree, newest, most); err != nil || r.Base == w.Task.Base.Tree {
		return out, err
	}
	return out, t.leaveOutBranch(ctx, repo, &out, r, newest, most)
}

// newestTree returns the tree that is shown: what comes after an approval is not the
// task's.
func (t *Task) newestTree(ctx context.Context, w core.World) (string, error) {
	if w.State == task.Complete && w.Submission != nil {
		return w.Submission.Tree, nil
	}
	tree, err := t.Work(w).Tree(ctx)
	if err != nil {
		return "", fmt.Errorf("read the present tree: %w", err)
	}
	return tree.Hash, nil
}

// roundOf returns a round by its number; below 0, the newest.
func roundOf(set comments.Set, number int) (comments.Round, error) {
	last, ok := set.Last()
	switch {
	case !ok:
		return last, errors.New("no round of comments has been sent")
	case number < 0:
		number = last.Number
	case number > last.Number:
		return last, fmt.Errorf("there are %d rounds of comments, and no round %d", last.Number, number)
	}
	r := set.Rounds[number-1]
	if r.Tree == "" {
		return r, fmt.Errorf("the tree of round %d could not be read when it was sent", number)
	}
	return r, nil
}

// leaveOutBranch removes files from the changes since a round that the branch changed and
// the task did not: the task was put onto a newer commit since, and the patches of those
// files are the same before and after.
func (t *Task) leaveOutBranch(
	ctx context.Context, repo checks.Repo, out *CommentedDiff, r comments.Round, newest string, most checks.PatchLimits,
) error {
	before, err := repo.PatchLimited(ctx, r.Base, r.Tree, most)
	if err != nil {
		return err
	}
	after, err := repo.PatchLimited(ctx, out.Base.Tree, newest, most)
	if err != nil {
		return err
	}
	was, is := bodies(before), bodies(after)
	kept := out.Files[:0]
	for _, f := range out.Files {
		if was[f.Path] != is[f.Path] {
			kept = append(kept, f)
		}
	}
	out.Files = kept
	return nil
}

// bodies returns patches by path without the numbers in them.
func bodies(files []checks.FilePatch) map[string]string {
	all := map[string]string{}
	for _, f := range files {
		var b strings.Builder
		for line := range strings.Lines(f.Patch) {
			if !strings.HasPrefix(line, "@@") {
				b.WriteString(line)
			}
		}
		all[f.Path] = b.String()
	}
	return all
}

// CommentFiles returns the files of a diff as comments are placed in them.
func CommentFiles(files []checks.FilePatch) (all []comments.File) {
	for _, f := range files {
		all = append(all, comments.File{Path: f.Path, Was: f.Was, Patch: f.Patch})
	}
	return all
}
