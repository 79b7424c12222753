package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ferrus/agent"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/ui/text/lazyregexp"
	"ferrus/ui/view"
)

// hqFiles is what HQ's prompt knows of files: of those of the selected task.
type hqFiles struct{ task func() *project.Task }

// The most files that are listed, and that are looked for without git.
const (
	maxListed = 300_000
	maxWalked = 20_000
)

// workspace returns the selected task, with its state and the directory that its agents work in now.
func (h hqFiles) workspace() (of *project.Task, w core.World, dir string, err error) {
	of = h.task()
	state, err := of.World()
	return of, state.World, of.Workspace(state.World), err
}

// List returns the files that git knows or would add.
func (h hqFiles) List(ctx context.Context) (*view.Files, error) {
	of, world, dir, err := h.workspace()
	if err != nil {
		return nil, err
	}
	found := &view.Files{}
	add := func(path string) {
		control := strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path)
		if !control && len(found.Paths) < maxListed && !strings.HasPrefix(path, ".ferrus/") {
			found.Paths = append(found.Paths, path)
		}
	}
	repository, err := git.Locate(of.Dir)
	if errors.Is(err, git.ErrNoRepository) {
		return found, walk(dir, add)
	}
	if err == nil && dir != of.Dir {
		repository, err = repository.Worktree(of.Worktree(world.Task.ID).Top())
	}
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(repository.Top, dir)
	if err != nil {
		return nil, err
	}
	prefix := prefixOf(below)
	strip := func(path string) { add(strings.TrimPrefix(path, prefix)) }
	err = repository.Git().Each(ctx, strip, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", below)
	slices.Sort(found.Paths)
	found.Paths = slices.Compact(found.Paths) // one of a conflict is listed more than once
	return found, err
}

// walk calls add for the files below a directory, but not for hidden ones.
func walk(dir string, add func(string)) error {
	n := 0
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		n++
		switch {
		case n > maxWalked:
			return fs.SkipAll
		case err != nil:
			return nil // what cannot be read is not listed
		case path != dir && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if below, err := filepath.Rel(dir, path); err == nil && e.Type().IsRegular() {
			add(filepath.ToSlash(below))
		}
		return nil
	})
}

// Attach returns a file below the workspace by its path there, and a copy of any other file.
func (h hqFiles) Attach(path string) (f view.File, err error) {
	if below, home := strings.CutPrefix(path, "~/"); home {
		dir, err := os.UserHomeDir()
		if err != nil {
			return f, err
		}
		path = filepath.Join(dir, below)
	}
	info, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	if !info.Mode().IsRegular() {
		return f, fmt.Errorf("%s: %w", path, fs.ErrNotExist) // the path stays as text
	}
	f = view.File{Name: filepath.Base(path), Path: path, Image: isImage(path)}
	of, _, dir, err := h.workspace()
	if err != nil {
		return f, err
	}
	below, err := filepath.Rel(dir, path)
	first, _, _ := strings.Cut(below, "/")
	if err == nil && filepath.IsLocal(below) && first != ".ferrus" && first != ".git" {
		f.Path, f.Below = filepath.ToSlash(below), true
		return f, nil
	}
	f.Path, err = session.CopyFile(of, path)
	return f, err
}

// isImage reports a file that agents look at.
func isImage(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

func isBlind(name string) bool { return !agent.TakesImages(name) }

// named finds what a text names with an @.
var named = lazyregexp.New(`(?:^|\s)@("(?:[^"\\\n]|\\.)*"|\S+)`)

// maxNamed limits the names that are looked up, and maxMissing the ones that a note lists.
const (
	maxNamed   = 500
	maxMissing = 3
)

// Check looks at the files that a text names for an agent of the selected task.
func (h hqFiles) Check(slot core.Slot, text string) (note string, err error) {
	of, world, dir, err := h.workspace()
	if err != nil {
		return "", nil // the command itself reports that
	}
	_, gone, err := lookUpNamed(dir, text, slot, agentOf(of, world, slot))
	return noteOf(notFound, gone), err
}

// CheckNew looks at the files that a text names for a session in your checkout, or for a task that starts from it.
func (h hqFiles) CheckNew(ctx context.Context, slot core.Slot, text string, starts bool) (note string, err error) {
	of := h.task().Main()
	found, gone, err := lookUpNamed(of.Dir, text, slot, agentOf(of, core.World{}, slot))
	note = noteOf(notFound, gone)
	cfg, _ := of.Config() // the conductor reports a broken file
	if err != nil || !starts || len(found) == 0 || !cfg.HQ.Worktree() || cfg.HQ.CarryChanges {
		return note, err
	}
	changed, ignored, err := uncommittedOf(ctx, of.Dir, found)
	if err != nil {
		return note, nil // such as in a project without a repository
	}
	all := []string{note, noteOf("in the task's worktree only --with-changes", changed),
		noteOf("ignored by git, so not in the task's worktree", ignored)}
	return strings.Join(slices.DeleteFunc(all, func(n string) bool { return n == "" }), "; "), nil
}

const notFound = "not found, and sent as text"

// noteOf returns what is true of paths; empty if there are none.
func noteOf(words string, paths []string) string {
	switch more := len(paths) - maxMissing; {
	case len(paths) == 0:
		return ""
	case more > 0:
		paths = append(paths[:maxMissing:maxMissing], fmt.Sprintf("and %d more", more))
	}
	return words + ": " + strings.Join(paths, ", ")
}

// uncommittedOf returns which of the paths below a directory differ from its commit, and which git ignores.
func uncommittedOf(ctx context.Context, dir string, paths []string) (changed, ignored []string, err error) {
	repository, err := git.Locate(dir)
	if err != nil {
		return nil, nil, err
	}
	below, err := filepath.Rel(repository.Top, dir)
	if err != nil {
		return nil, nil, err
	}
	prefix := prefixOf(below)
	ask := []string{"status", "--porcelain", "-z", "--no-renames", "--ignored", "--"}
	for _, path := range paths {
		ask = append(ask, ":(top,literal)"+prefix+filepath.ToSlash(filepath.Clean(path)))
	}
	err = repository.Git().Each(ctx, func(line string) {
		status, path := line[:min(len("?? "), len(line))], line[min(len("?? "), len(line)):]
		if path = strings.TrimPrefix(path, prefix); status == "!! " {
			ignored = append(ignored, path)
		} else {
			changed = append(changed, path)
		}
	}, ask...)
	return changed, ignored, err
}

// prefixOf returns what paths of a directory below the top of a repository start with.
func prefixOf(below string) string { return strings.TrimPrefix(filepath.ToSlash(below)+"/", "./") }

// lookUpNamed returns the files below a directory that a text names, and the names of missing ones. The error is that
// an agent cannot take one.
func lookUpNamed(dir, text string, slot core.Slot, name string) (found, gone []string, err error) {
	for _, match := range named.FindAllStringSubmatch(text, maxNamed) {
		path, is := lookUp(dir, match[1])
		switch {
		case is && isImage(path) && !agent.TakesImages(name):
			const words = "%s is not known to look at images: describe %s in words, or /switch %s to one of: %s"
			return nil, nil, fmt.Errorf(words, cmp.Or(name, "this agent"), filepath.Base(path), slot.Role(),
				strings.Join(slices.DeleteFunc(agent.Names(), isBlind), ", "))
		case is && filepath.IsLocal(path):
			found = append(found, path)
		case !is && (strings.Contains(path, "/") || isImage(path) || match[1][0] == '"'):
			gone = append(gone, path)
		}
	}
	return found, gone, nil
}

// lookUp returns the path that a word names, and whether something is there. A mark at the end
// of a sentence is not part of it.
func lookUp(dir, word string) (path string, is bool) {
	path = word
	if whole, err := strconv.Unquote(word); err == nil {
		path = whole
	}
	for _, path := range []string{path, strings.TrimRight(path, ".,;:!?)'\"")} {
		at := path
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		if _, err := os.Stat(at); err == nil {
			return path, true
		}
	}
	return path, false
}

// agentOf returns the agent of a slot of a task.
func agentOf(of *project.Task, w core.World, slot core.Slot) string {
	if pin := w.Pinned(); pin != nil {
		return pin.Of(slot.Role()).Agent
	}
	c, _ := of.Config() // the conductor reports a broken file
	if slot == core.SlotExecutor {
		return c.HQ.Executor.Agent
	}
	return c.HQ.Supervisor.Agent
}
