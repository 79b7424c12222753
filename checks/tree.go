package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/ui/text"
)

// problemCount and changedCount bound what is named, and readTries how often files are read that change meanwhile.
const (
	readTries    = 3
	problemCount = 20
	changedCount = 100
)

// Tree names the present content of the whole worktree, but for .ferrus: every
// file that is in HEAD or in the user's index, and every other one that no
// .gitignore and no pinned exclude leaves out, byte by byte; and what a sparse checkout left out
// when [Repo.Pin] was called, and is still not there, as the user's index has it. The user's files,
// index and HEAD are only read. A tree that did not change is cheap.
func (r Repo) Tree(ctx context.Context) (Tree, error) { return r.identify(ctx, (*private).readTree) }

// Reread is [Repo.Tree] for a decision: it reads every file, because one that a program changes through memory keeps
// its size and times.
func (r Repo) Reread(ctx context.Context) (Tree, error) {
	return r.identify(ctx, func(p *private, ctx context.Context) (Tree, error) {
		w, err := p.worktree()
		if err == nil {
			err = p.ownGit().VerifyFiles(ctx, w)
		}
		if err != nil {
			return Tree{}, err
		}
		return p.readTree(ctx)
	})
}

func (r Repo) identify(ctx context.Context, read func(*private, context.Context) (Tree, error)) (Tree, error) {
	p, err := r.open(ctx)
	if err != nil {
		return Tree{}, fmt.Errorf("identify the tree: %w", err)
	}
	defer p.close()
	t, err := read(p, ctx)
	if err != nil && ctx.Err() == nil && !git.Stuck(err) {
		t, err = p.readAnew(ctx)
	}
	if err != nil {
		return Tree{}, fmt.Errorf("identify the tree: %w", err)
	}
	return t, nil
}

// readTree brings the index up to date and names it. Files that change while they are read are read again.
func (p *private) readTree(ctx context.Context) (t Tree, err error) {
	var changing []string
	for range readTries {
		t, changing, err = p.readOnce(ctx)
		if isKilled(err) && ctx.Err() == nil { // as by a file that became shorter while git had it in its memory
			if failed := p.clean(); failed != nil {
				return t, failed
			}
			continue
		}
		if err != nil || len(changing) == 0 {
			break
		}
	}
	for _, name := range changing {
		t.Problems = append(t.Problems, "the file "+shorten(text.Output(name), whyBytes)+" changes while it is read")
	}
	if extra := len(t.Problems) - problemCount; extra > 0 {
		t.Problems = append(t.Problems[:problemCount], fmt.Sprintf("and %d more", extra))
	}
	return t, err
}

// isKilled reports whether a signal ended git, which leaves its locks.
func isKilled(err error) bool {
	failed := (*git.Failed)(nil)
	return errors.As(err, &failed) && failed.Killed
}

// readOnce also returns the files that are not what git has read.
func (p *private) readOnce(ctx context.Context) (t Tree, changing []string, err error) {
	w, err := p.worktree()
	if err != nil {
		return t, nil, err
	}
	var problems []string
	seen, refreshed := p.refresh(ctx, w)
	before := int64(0)
	if !refreshed {
		if before, err = w.Now(); err != nil {
			return t, nil, err
		}
		if seen, problems, err = p.readAll(ctx); err != nil {
			return t, nil, err
		}
	}
	more, changed, err := p.correct(ctx, seen)
	if err == nil && changed {
		seen.tree, err = p.ownGit().WriteTree(ctx)
	}
	if err == nil && (!refreshed || changed) {
		changing, err = p.changing(ctx, w, seen.tree)
	}
	if err == nil && !refreshed && !changed && len(problems)+len(more)+len(changing) == 0 {
		err = p.ownGit().Remember(ctx, w, before, slices.Collect(maps.Keys(seen.ignored)))
	}
	return Tree{Hash: seen.tree, Problems: append(problems, more...)}, changing, err
}

// changing returns the files that differ from HEAD and no longer have the content that a tree has of them.
func (p *private) changing(ctx context.Context, w git.Worktree, tree string) ([]string, error) {
	names, out := map[string]bool{}, p.leftOut()
	err := p.ownGit().DiffTrees(ctx, p.head, tree, func(_, after git.TreeEntry) {
		if after.Mode != 0 && !(out[after.Path] && p.isAbsent(after.Path)) {
			names[after.Path] = true
		}
	})
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return p.ownGit().Differing(ctx, w, names)
}

// worktree is the worktree of ferrus's index.
func (p *private) worktree() (git.Worktree, error) {
	excludes, err := regular.Read(p.file("info/exclude"), 3*pinnedBytes)
	return git.Worktree{Top: p.Top, Hidden: p.hidden, Cache: p.ofWorktree("untracked"), Clock: p.lock,
		Excludes: excludes}, err
}

// refresh reads the files that have changed. It reports false where that is not enough.
func (p *private) refresh(ctx context.Context, w git.Worktree) (observed, bool) {
	now, ok := p.ownGit().Refresh(ctx, w)
	seen := observed{tree: now.Tree, ignored: map[string]bool{}}
	for _, name := range now.Ignored {
		seen.ignored[name] = true
	}
	return seen, ok
}

// readAll has git look at the whole worktree.
func (p *private) readAll(ctx context.Context) (seen observed, problems []string, err error) {
	var unknown error
	var wait sync.WaitGroup
	wait.Go(func() { seen.ignored, unknown = p.ignored(ctx) })
	problems, err = p.add(ctx)
	if err == nil && len(problems) > 0 {
		problems, err = p.add(ctx) // A file may have gone while it was looked for.
	}
	if err == nil {
		seen.tree, err = p.ownGit().WriteTree(ctx)
	}
	wait.Wait()
	return seen, problems, cmp.Or(err, unknown)
}

// observed is what ferrus's index has.
type observed struct {
	tree    string          // that it makes
	ignored map[string]bool // what of it .gitignore and the pinned excludes leave out, and names that it has no more
}

// ignored asks git, while it adds files, for what is in the index and is ignored: it adds nothing else that is ignored.
func (p *private) ignored(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	err := p.ownGit().Each(ctx, func(name string) {
		names[name] = true
	}, "ls-files", "--cached", "--ignored", "--exclude-standard", "-z")
	return names, err
}

// add takes every file that is not ignored into the index. What cannot be read
// is a problem with a name; the rest is taken all the same.
func (p *private) add(ctx context.Context) (problems []string, err error) {
	if err := p.ownGit().ForgetSubmodules(ctx, p.Top); err != nil {
		return nil, err
	}
	_, words, err := p.ownGit().Run(ctx, nil, append([]string{"add", "--all", "--ignore-errors"}, p.rest()...)...)
	if git.Stuck(err) || isKilled(err) {
		return nil, err // It did not get to the end, whatever else it complained of.
	}
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal:") {
			return nil, err
		}
		if what, ok := problem(line); ok && !slices.Contains(problems, what) {
			problems = append(problems, what)
		}
	}
	if len(problems) > 0 {
		return problems, ctx.Err()
	}
	return nil, err
}

// problem words a complaint of git.
func problem(line string) (string, bool) {
	what, failed := strings.CutPrefix(line, "error: ")
	if !failed {
		warning, ok := strings.CutPrefix(line, "warning: ")
		if !ok || !strings.Contains(warning, "could not open directory") {
			return "", false
		}
		what = warning
	}
	if name, ok := strings.CutSuffix(what, " does not have a commit checked out"); ok {
		what = "the nested repository " + name + " is not part of the tree"
	}
	return shorten(text.Output(what), whyBytes), true
}

// correct makes the index independent of what was in it before: ignored files
// belong to it exactly when HEAD or the user's index has them. It says whether it changed the index, and names the
// repositories inside that the tree does not describe.
func (p *private) correct(ctx context.Context, seen observed) (problems []string, changed bool, err error) {
	d, err := p.compare(ctx, seen)
	if err != nil {
		return nil, false, err
	}
	var missing []string
	for _, name := range d.missing {
		if !p.isHidden(name) && p.isFile(name) {
			missing = append(missing, name)
		}
	}
	if problems, err = p.update(ctx, missing, d.superfluous); err != nil {
		return nil, false, err
	}
	if len(d.leftOut) > 0 {
		if err := setIndex(ctx, p.ownGit(), d.leftOut); err != nil {
			return nil, false, err
		}
	}
	nested, err := p.indexLinks(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, link := range nested {
		if !isThere(filepath.Join(p.Top, filepath.FromSlash(link.Path), ".git")) {
			continue // It is not checked out, so the user's index says what it is.
		}
		if what := p.nested(ctx, link.Path, link.ID, !d.unlisted[link.Path]); what != "" {
			problems = append(problems, what)
		}
	}
	added, err := p.addLinks(ctx, d.links)
	return problems, added || len(missing)+len(d.superfluous)+len(d.leftOut) > 0, err
}

// indexLinks returns the submodules in the index.
func (p *private) indexLinks(ctx context.Context) (links []git.TreeEntry, err error) {
	err = p.ownGit().EachEntry(ctx, func(e git.TreeEntry) {
		if e.Mode == git.ModeSubmodule {
			links = append(links, e)
		}
	})
	return links, err
}

// addLinks takes submodules into the index that are not checked out: a checkout of them has an
// empty directory. It reports whether there was one.
func (p *private) addLinks(ctx context.Context, links []git.TreeEntry) (bool, error) {
	links = slices.DeleteFunc(links, func(e git.TreeEntry) bool {
		entries, err := os.ReadDir(filepath.Join(p.Top, filepath.FromSlash(e.Path)))
		return err != nil || len(entries) > 0
	})
	if len(links) == 0 {
		return false, nil
	}
	return true, setIndex(ctx, p.ownGit(), links)
}

// update adds and removes single paths of the index.
func (p *private) update(ctx context.Context, add, remove []string) (problems []string, err error) {
	if len(add) > 0 {
		_, _, err := p.ownGit().Run(ctx, list(add), "update-index", "--add", "-z", "--stdin")
		if err != nil && ctx.Err() == nil {
			problems = append(problems, err.Error())
		}
	}
	if len(remove) > 0 {
		if _, _, err = p.ownGit().Run(ctx, list(remove), "update-index", "--force-remove", "-z",
			"--stdin"); err != nil {
			return nil, err
		}
	}
	return problems, ctx.Err()
}

func list(names []string) io.Reader { return strings.NewReader(strings.Join(names, "\x00") + "\x00") }

// isHidden reports whether a path is inside .ferrus.
func (p *private) isHidden(name string) bool {
	return name == p.hidden || strings.HasPrefix(name, p.hidden+"/")
}

// isFile reports whether a path is a file or a link, reached through directories.
func (p *private) isFile(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(p.Top, dir)); err != nil || !info.IsDir() {
			return false
		}
	}
	info, err := os.Lstat(filepath.Join(p.Top, name))
	return err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0)
}

// Ignored lists what git leaves out of the worktree, but for .ferrus: files, and whole
// directories with a slash at the end, the first hundred.
func (r Repo) Ignored(ctx context.Context) (names []string, err error) {
	p, err := r.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("list ignored files: %w", err)
	}
	defer p.close()
	err = p.ownGit().Each(ctx, func(name string) {
		if !p.isHidden(strings.TrimSuffix(name, "/")) && len(names) < changedCount {
			names = append(names, name)
		}
	}, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	return names, err
}

// Changed lists the paths that differ between two trees, the first hundred of
// them; when there are more, the last entry says how many.
func (r Repo) Changed(ctx context.Context, a, b string) ([]string, error) {
	if a == b || !git.IsHash(a) || !git.IsHash(b) {
		return nil, nil
	}
	p, err := r.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	defer p.close()
	files, err := p.files(ctx, a, b)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	var paths []string
	for _, f := range files[:min(len(files), changedCount)] {
		paths = append(paths, f.Path)
	}
	if more := len(files) - len(paths); more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return paths, nil
}
