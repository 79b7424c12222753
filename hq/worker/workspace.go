package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"ferrus/checks/git"
	"ferrus/hq/wire"
	"ferrus/hq/worktree"
)

// author is the author of the commits that carry work between two machines. No branch
// ever has them.
var author = []string{"GIT_AUTHOR_NAME=ferrus", "GIT_AUTHOR_EMAIL=ferrus@localhost",
	"GIT_COMMITTER_NAME=ferrus", "GIT_COMMITTER_EMAIL=ferrus@localhost"}

// maxHashes is how many commits one question may name.
const maxHashes = 1000

func checkHashes(all ...string) error {
	if len(all) > maxHashes {
		return fmt.Errorf("%d commits are named; the maximum is %d", len(all), maxHashes)
	}
	for _, one := range all {
		if !git.IsHash(one) {
			return fmt.Errorf("%q is not the hash of an object", wire.Words(one, 80))
		}
	}
	return nil
}

// have returns those commits that are here, with all that they need.
func (h *home) have(ctx context.Context, q wire.Have) (found wire.Have, err error) {
	if err := checkHashes(q.Hashes...); err != nil {
		return found, err
	}
	for _, one := range q.Hashes {
		// Only what a reference keeps is complete for certain.
		if h.git().Do(ctx, "show-ref", "--verify", "--quiet", tipRef(one)) == nil {
			found.Hashes = append(found.Hashes, one)
		}
	}
	return found, nil
}

// workRefs begin the references that keep the work on a task.
const workRefs = "refs/ferrus/work/"

// tipRef returns the reference that keeps a commit that home has sent.
func tipRef(commit string) string { return "refs/ferrus/tips/" + commit }

// receivePack stores a pack.
func (h *home) receivePack(ctx context.Context, q wire.Pack, s wire.Stream) error {
	if err := checkHashes(q.Tips...); err != nil {
		return err
	}
	from, to := io.Pipe()
	go func() {
		for {
			m, err := s.Receive(ctx)
			if err == nil && len(m) == 0 { // the end of the pack
				err = io.EOF
			} else if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				to.CloseWithError(err)
				return
			}
			if _, err := to.Write(m); err != nil {
				return
			}
		}
	}()
	defer from.Close()
	g := h.git()
	if _, _, err := g.Run(ctx, from, "index-pack", "--stdin", "--fix-thin", "--strict"); err != nil {
		return fmt.Errorf("store what home sent: %w", err)
	}
	for _, tip := range q.Tips {
		if err := g.Do(ctx, "update-ref", tipRef(tip), tip); err != nil {
			return err
		}
	}
	return s.Send(ctx, nil)
}

// sendPack sends a commit of a workspace with all that home lacks.
func (h *home) sendPack(ctx context.Context, q wire.Fetch, s wire.Stream) error {
	if err := checkHashes(append(slices.Clone(q.Have), q.Want)...); err != nil {
		return err
	}
	if _, err := h.claim(q.Task, nil); err != nil {
		return err
	}
	known, err := h.have(ctx, wire.Have{Hashes: q.Have})
	if err != nil {
		return err
	}
	asked := q.Want + "\n"
	for _, one := range known.Hashes {
		asked += "^" + one + "\n"
	}
	return h.git().Pack(ctx, asked, func(pack io.Reader) error { return wire.Copy(ctx, s, pack) })
}

func (h *home) placeOf(task string) worktree.Place {
	return worktree.Place{Project: h.project.Dir, ID: task}
}

// repository returns the repository of a task's workspace.
func (h *home) repository(task string) (git.Repository, error) {
	r, err := git.Locate(h.project.Dir)
	if err != nil {
		return r, err
	}
	return r.Worktree(h.placeOf(task).Top())
}

// place makes a workspace, or brings it to another tree.
func (h *home) place(ctx context.Context, q wire.Place) (w wire.Workspace, err error) {
	if err := checkHashes(q.Commit, q.Tree); err != nil {
		return w, err
	}
	if q.Below != "" && !filepath.IsLocal(q.Below) {
		return w, fmt.Errorf("%q leads out of the workspace", wire.Words(q.Below, 200))
	}
	h.placing.Lock()
	defer h.placing.Unlock()
	if _, err := h.claim(q.Task, func(a *attempt) { a.Commit, a.Below = q.Commit, q.Below }); err != nil {
		return w, err
	}
	r, err := worktree.MakeAt(ctx, h.placeOf(q.Task.Task), q.Commit)
	if err == nil {
		_, err = worktree.Update(ctx, r, q.Tree)
	}
	if err != nil {
		return w, fmt.Errorf("make the workspace of %s: %w", q.Task.Task, err)
	}
	return wire.Workspace{Commit: q.Commit, Tree: q.Tree, Dir: h.placeOf(q.Task.Task).Top()}, nil
}

// tree records the tree of a workspace, in a commit that a reference keeps.
func (h *home) tree(ctx context.Context, t wire.Task) (w wire.Workspace, err error) {
	h.placing.Lock()
	defer h.placing.Unlock()
	known, err := h.claim(t, nil)
	if err != nil {
		return w, err
	}
	if known.Commit == "" {
		return w, fmt.Errorf("%s has no workspace", t.Task)
	}
	r, err := h.repository(t.Task)
	if err == nil {
		w.Tree, err = worktree.Tree(ctx, r)
	}
	if err != nil {
		return w, fmt.Errorf("record the work on %s: %w", t.Task, err)
	}
	g := h.git().With(author...)
	ref := workRefs + t.Task
	if old, err := g.Output(ctx, "rev-parse", "--verify", "--quiet", ref+"^{tree}"); err == nil && old == w.Tree {
		w.Commit, err = g.Output(ctx, "rev-parse", "--verify", "--quiet", ref)
		return w, err
	}
	w.Commit, err = g.Output(ctx, "commit-tree", "--no-gpg-sign", w.Tree, "-p", known.Commit, "-m", "work on "+t.Task)
	if err == nil {
		err = g.Do(ctx, "update-ref", ref, w.Commit)
	}
	return w, err
}

// workspace returns the directory in which sessions of a task work.
func (h *home) workspace(t wire.Task) (string, error) {
	known, err := h.claim(t, nil)
	if err == nil && known.Commit == "" {
		err = fmt.Errorf("%s has no workspace", t.Task)
	}
	return filepath.Join(h.placeOf(t.Task).Top(), known.Below), err
}

// forget removes what is kept of a task, or of a session that has ended.
func (h *home) forget(ctx context.Context, q wire.Forget) error {
	ctx = context.WithoutCancel(ctx) // what is begun is completed, also if home does not wait for it
	h.mu.Lock()
	for id, s := range h.sessions {
		if s.Task.Task == q.Task.Task && (q.Session == "" || q.Session == id) && s.isOver() {
			delete(h.sessions, id)
		}
	}
	h.mu.Unlock()
	if q.Session != "" {
		return nil
	}
	if _, err := h.claim(q.Task, func(a *attempt) { a.Commit, a.Setup = "", "" }); err != nil {
		return err
	}
	for _, s := range h.of(q.Task.Task) {
		s.end(0, "its task is over")
	}
	h.placing.Lock()
	defer h.placing.Unlock()
	place := h.placeOf(q.Task.Task)
	return errors.Join(worktree.Discard(ctx, place), h.project.FreeSessions(q.Task.Task), h.collect(ctx))
}
