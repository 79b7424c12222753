package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ferrus/checks/regular"
)

// PipeError reports a file that git would read and that is no file. Git would wait for a pipe
// forever.
type PipeError struct{ Path string }

func (e *PipeError) Error() string {
	return e.Path + " is not a regular file, and git would wait for it; remove it"
}

// HolesError reports a file that consists of holes, as a program makes it in a moment, and that git would read for
// hours.
type HolesError struct {
	Path string
	Size int64 // that it claims, in bytes
}

func (e *HolesError) Error() string {
	return fmt.Sprintf("%s claims %d GiB and has almost none on the disk, and git would read it all; remove it, or "+
		"have .gitignore name it", e.Path, e.Size>>30)
}

// Stuck reports whether git was ended, because of a file that it would wait for or never read to its end.
func Stuck(err error) bool {
	return errors.As(err, new(*PipeError)) || errors.As(err, new(*HolesError))
}

// files are the names in a git directory whose files git reads as a whole.
var files = []string{"HEAD", "config", "config.worktree", "commondir", "gitdir", "index", "packed-refs", "shallow",
	"info/exclude", "info/sparse-checkout", "objects/info/alternates"}

// readFile returns the content of a regular file of at most 2 GiB.
func readFile(path string) ([]byte, error) {
	data, err := regular.Read(path, math.MaxInt32)
	if errors.Is(err, regular.ErrKind) && isSpecial(path) {
		err = &PipeError{path}
	}
	return data, err
}

// isSpecial reports whether there is something at a path that is neither a file nor a directory.
func isSpecial(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// refusePipes returns a [*PipeError] if git would wait for a file of the repository.
func (r Repository) refusePipes() error {
	dirs := []string{r.Common}
	if r.Linked() {
		dirs = append(dirs, r.Dir)
	}
	for _, dir := range dirs {
		for _, name := range files {
			if path := filepath.Join(dir, name); isSpecial(path) {
				return &PipeError{path}
			}
		}
	}
	return nil
}

// patience is how long git may take before its files are looked at. A variable for tests.
var patience = 10 * time.Second

// watch ends the returned context, with a [*PipeError] or a [*HolesError] as its cause, if git takes long and there
// is a file of its own in the worktree, the git directory or a directory of objects that it would wait for, or one
// that it would not read to the end. It looks again as long as git runs, less and less often.
func (g Git) watch(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	pause := patience
	go func() {
		for ; ; pause *= 2 {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			if found := g.pipe(ctx); found != "" {
				cancel(&PipeError{found})
			} else if found := g.holes(ctx); found != nil {
				cancel(found)
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// pipe returns a file that git waits for; empty: none was found.
func (g Git) pipe(ctx context.Context) (found string) {
	names := []string{".git", ".gitignore", ".gitattributes", ".gitmodules"}
	inside := string(filepath.Separator) + ".git" + string(filepath.Separator)
	look := func(all bool) fs.WalkDirFunc {
		return func(path string, e fs.DirEntry, err error) error {
			if err != nil || !all && !slices.Contains(names, e.Name()) && !strings.Contains(path, inside) {
				return ctx.Err() // What cannot be read is not what git waits for.
			}
			info, err := os.Stat(path)
			if err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
				found = path
				return fs.SkipAll
			}
			return ctx.Err()
		}
	}
	_ = filepath.WalkDir(g.Dir, look(false))
	for _, dir := range g.gitDirs() {
		if found == "" {
			_ = filepath.WalkDir(dir, look(true))
		}
	}
	return found
}

// gitDirs returns the git directories and the directories of objects that the environment names, and the alternates
// of both.
func (g Git) gitDirs() (all []string) {
	var objects []string
	if g.own != nil {
		all = append(all, g.own.Common)
	}
	for _, entry := range g.Env {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case "GIT_DIR", "GIT_COMMON_DIR":
			all = append(all, value)
		case "GIT_OBJECT_DIRECTORY":
			objects = append(objects, value)
		case "GIT_ALTERNATE_OBJECT_DIRECTORIES":
			objects = append(objects, splitQuoted(value)...)
		}
	}
	named := slices.Clone(objects)
	for _, dir := range all {
		objects = append(objects, filepath.Join(dir, "objects"))
	}
	for _, dir := range objects {
		named = append(named, Alternates(dir)...)
	}
	all = append(all, named...)
	slices.Sort(all)
	return slices.Compact(all)
}

// splitQuoted returns the paths in a list with colons between them, in which a path may be quoted.
func splitQuoted(list string) (paths []string) {
	for list != "" {
		path, rest := list, ""
		if quoted, err := strconv.QuotedPrefix(list); err == nil {
			path, _ = strconv.Unquote(quoted) // It is one.
			rest = strings.TrimPrefix(list[len(quoted):], ":")
		} else {
			path, rest, _ = strings.Cut(list, ":")
		}
		paths, list = append(paths, path), rest
	}
	return paths
}

// holey is the size from which a file of holes takes git longer than its [patience].
const holey = 1 << 30

// holes returns a file of the worktree that git reads and that has hardly a block on the disk; nil: none was found.
func (g Git) holes(ctx context.Context) (found *HolesError) {
	g, remove, err := g.configured()
	if err != nil {
		return nil
	}
	defer remove()
	_ = filepath.WalkDir(g.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return ctx.Err()
		}
		info, err := e.Info()
		if err != nil || info.Size() < holey {
			return ctx.Err()
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		const sector = 512
		if ok && stat.Blocks*sector < info.Size()/8 && g.Command(ctx, "check-ignore", "-q", "--", path).Run() != nil {
			found = &HolesError{path, info.Size()}
			return fs.SkipAll
		}
		return ctx.Err()
	})
	return found
}

// cause returns why git was ended, if that was a file.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); Stuck(err) {
		return err
	}
	return nil
}
