package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/checks/git"
	"ferrus/hq/wire"
	"ferrus/hq/worktree"
)

// maxPack bounds what a worker may send at once, in bytes.
const maxPack = "4294967296"

// work is a task's worktree at home, which is what home knows of the work.
type work struct {
	wire.Task
	repository git.Repository // of the worktree
	below      string         // directory of the project in it
	file       string         // records what the worker was sent, or sent, last
}

// openWork opens the worktree of a task.
func openWork(project, dir, file string, t wire.Task) (w work, err error) {
	home, err := git.Locate(project)
	if err != nil {
		return w, err
	}
	folder := filepath.Join(project, ".ferrus", worktree.Folder)
	inside, err := filepath.Rel(folder, dir)
	if err != nil || !filepath.IsLocal(inside) {
		return w, fmt.Errorf("%s is no worktree of the project", dir)
	}
	id, below, _ := strings.Cut(inside, string(filepath.Separator))
	w = work{Task: t, below: below, file: file}
	w.repository, err = home.Worktree(filepath.Join(folder, id))
	return w, err
}

// lock keeps other sessions of the task from the worktree until it is called again.
func (w work) lock() (unlock func(), err error) {
	f, err := os.OpenFile(w.file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}

// synced is the tree that both ends had last.
type synced struct {
	Attempt int    `json:"attempt"`
	Tree    string `json:"tree"`
}

func (w work) last() (s synced) {
	if data, err := os.ReadFile(w.file); err == nil {
		_ = json.Unmarshal(data, &s) // one that cannot be read is sent again
	}
	return s
}

func (w work) record(tree string) error {
	data, err := json.Marshal(synced{Attempt: w.Attempt, Tree: tree})
	if err == nil {
		err = os.WriteFile(w.file+".new", data, 0o600)
	}
	if err == nil {
		err = os.Rename(w.file+".new", w.file)
	}
	return err
}

// receive brings the worktree to a tree that the worker has, and keeps the worker's commit as
// refs/ferrus/<task>/<attempt>. Nothing that the worker says of the tree is believed: its objects
// are checked as they are stored, and the commit must have the tree that was named.
func (w work) receive(ctx context.Context, l wire.Link, there wire.Workspace) error {
	if !git.IsHash(there.Tree) || !git.IsHash(there.Commit) {
		return &wire.Violation{What: "named a tree without a hash"}
	}
	g := w.repository.Git()
	head, err := g.Output(ctx, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return err
	}
	if g.Do(ctx, "cat-file", "-e", there.Commit+"^{tree}") != nil {
		if err := w.fetch(ctx, l, wire.Fetch{Task: w.Task, Want: there.Commit, Have: []string{head}}); err != nil {
			return err
		}
	}
	tree, err := g.Output(ctx, "rev-parse", "--verify", there.Commit+"^{tree}")
	if err != nil || tree != there.Tree {
		return &wire.Violation{What: fmt.Sprintf("sent the tree %.12s and called it %.12s", tree, there.Tree)}
	}
	if err := maxGrowth.check(ctx, g, head, tree); err != nil {
		return err
	}
	ref := fmt.Sprintf("refs/ferrus/%s/%d", w.Task.Task, w.Attempt)
	if err := g.Do(ctx, "update-ref", ref, there.Commit); err != nil {
		return err
	}
	unlock, err := w.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := worktree.Update(ctx, w.repository, tree); err != nil {
		return err
	}
	return w.record(tree)
}

// fetch stores a pack of the worker's. Git checks each object.
func (w work) fetch(ctx context.Context, l wire.Link, q wire.Fetch) error {
	s, err := wire.Open(ctx, l, wire.MethodFetch, q)
	if err != nil {
		return err
	}
	defer s.Close(nil)
	from, to := io.Pipe()
	defer from.Close()
	lost := make(chan error, 1)
	go func() {
		err := receiveAll(ctx, s, to)
		lost <- err
		to.CloseWithError(err)
	}()
	_, _, err = w.repository.Git().With(maxAlloc).Run(ctx, from, "-c", maxInMemory, "index-pack", "--stdin",
		"--fix-thin", "--strict", "--max-input-size="+maxPack)
	from.Close()
	if failed := <-lost; failed != nil && IsLost(failed) {
		return failed
	}
	if err != nil {
		return &wire.Violation{What: "sent a pack that git refuses: " + wire.Words(err.Error(), 300)}
	}
	return nil
}

func receiveAll(ctx context.Context, s wire.Stream, to io.Writer) error {
	for {
		m, err := s.Receive(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = to.Write(m)
		}
		if err != nil {
			return err
		}
	}
}

// send brings the worker's workspace to the state of the worktree, and returns its path on the
// worker. Work that only the worker has is fetched first.
func (w work) send(ctx context.Context, l wire.Link) (dir string, err error) {
	if err := w.fetchUnsent(ctx, l); err != nil {
		return "", err
	}
	unlock, err := w.lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	g := w.repository.Git()
	head, err := g.Output(ctx, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return "", err
	}
	tree, err := worktree.Tree(ctx, w.repository)
	if err != nil {
		return "", err
	}
	tip, err := g.With(author...).Output(ctx, "commit-tree", "--no-gpg-sign", tree, "-p", head, "-m", "for a worker")
	if err == nil {
		err = push(ctx, g, l, head, tip)
	}
	if err != nil {
		return "", err
	}
	var there wire.Workspace
	err = wire.Ask(ctx, l, wire.MethodPlace,
		wire.Place{Task: w.Task, Commit: head, Tree: tree, Below: filepath.ToSlash(w.below)}, &there)
	if err == nil && (!filepath.IsAbs(there.Dir) || wire.Words(there.Dir, len(there.Dir)) != there.Dir) {
		err = &wire.Violation{What: "named a workspace without a path"}
	}
	if err != nil {
		return "", err
	}
	return there.Dir, w.record(tree)
}

// fetchUnsent fetches the work of a session whose end home did not see.
func (w work) fetchUnsent(ctx context.Context, l wire.Link) error {
	var there wire.Workspace
	switch err := wire.Ask(ctx, l, wire.MethodTree, w.Task, &there); {
	case err != nil && IsLost(err):
		return err
	case err != nil:
		return nil //nolint:nilerr // it has no workspace of the task yet
	}
	if last := w.last(); last.Attempt != w.Attempt || last.Tree == there.Tree {
		return nil
	}
	return w.receive(ctx, l, there)
}

// author is the author of the commits that carry work between two machines. No branch ever has
// them. The time is fixed, so that the same work is the same commit.
var author = []string{"GIT_AUTHOR_NAME=ferrus", "GIT_AUTHOR_EMAIL=ferrus@localhost",
	"GIT_COMMITTER_NAME=ferrus", "GIT_COMMITTER_EMAIL=ferrus@localhost",
	"GIT_AUTHOR_DATE=2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z"}

// pushTimeout bounds how long a pack may take.
const pushTimeout = 30 * time.Minute

// push sends two commits with what the worker lacks.
func push(ctx context.Context, g git.Git, l wire.Link, head, tip string) error {
	var known wire.Have
	if err := wire.Ask(ctx, l, wire.MethodHave, wire.Have{Hashes: []string{tip, head}}, &known); err != nil {
		return err
	}
	asked := head + "\n" + tip + "\n"
	for _, one := range known.Hashes {
		if one == tip {
			return nil
		}
		if one == head {
			asked += "^" + head + "\n"
		}
	}
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	s, err := wire.Open(ctx, l, wire.MethodPack, wire.Pack{Tips: []string{head, tip}})
	if err != nil {
		return err
	}
	defer s.Close(nil)
	err = g.Pack(ctx, asked, func(pack io.Reader) error { return wire.Copy(ctx, s, pack) })
	if err != nil {
		return err
	}
	if err := s.Send(ctx, nil); err != nil {
		return err
	}
	_, err = s.Receive(ctx) // it is stored
	return err
}
