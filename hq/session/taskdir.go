package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ferrus/agent/home"
	"ferrus/agent/sandbox"
	"ferrus/hq/project"
)

// TaskDir returns the directory of the private homes, git directories and caches of a task's
// sessions. Sessions without a task share one.
func TaskDir(p *project.Task, task string) string {
	if task == "" || strings.ContainsAny(task, "/\\") || strings.HasPrefix(task, ".") {
		task = noTask
	}
	return filepath.Join(p.SessionsDir(), task)
}

// TextsDir returns the directory of long texts of yours for the sessions of a task, which they
// can read.
func TextsDir(p *project.Task, task string) string {
	return filepath.Join(TaskDir(p, task), textsName)
}

const textsName = "texts"

// stagedFor is how long a staged conversation stays that no task has taken.
const stagedFor = time.Hour

// noTask is in the place of the id where there is none.
const noTask = "none"

// WriteText writes a text for the sessions of a task, and returns the path of its file.
func WriteText(p *project.Task, task, name, text string) (file string, err error) {
	return WriteFile(p, task, name+".md", []byte(text+"\n"))
}

// WriteFile writes a file for the sessions of a task, and returns its path.
func WriteFile(p *project.Task, task, name string, data []byte) (file string, err error) {
	dir := TextsDir(p, task)
	file = filepath.Join(dir, name)
	if err = os.MkdirAll(dir, 0o700); err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("hand a long text to the session: %w", err)
	}
	return file, nil
}

// TextDirs returns the directories of texts that the sessions of a task can read.
func TextDirs(p *project.Task, task string) []string {
	return []string{TextsDir(p, task), TextsDir(p, "")}
}

// maxCopied bounds a file that is copied for sessions, in bytes; and copiedFor is how long it is
// kept.
const (
	maxCopied = 20 << 20
	copiedFor = 7 * 24 * time.Hour
)

// CopyFile copies your file to where every session of the project can read it, and returns
// the path there. It removes old ones.
func CopyFile(p *project.Task, path string) (string, error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer from.Close()
	data, err := io.ReadAll(io.LimitReader(from, maxCopied+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxCopied {
		return "", fmt.Errorf("%s is larger than %d MB: put it in the repository, or make it smaller",
			filepath.Base(path), maxCopied>>20)
	}
	dir := TextsDir(p, "")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	removeOld(dir)
	sum := sha256.Sum256(data)
	file := filepath.Join(dir, copiedName+hex.EncodeToString(sum[:6])+"-"+plainName(filepath.Base(path)))
	return file, os.WriteFile(file, data, 0o600)
}

// copiedName begins the name of every copy.
const copiedName = "file-"

// removeOld removes the copies that are old.
func removeOld(dir string) {
	names, _ := os.ReadDir(dir) // without it, nothing is removed
	for _, n := range names {
		info, err := n.Info()
		if err == nil && strings.HasPrefix(n.Name(), copiedName) && time.Since(info.ModTime()) > copiedFor {
			_ = os.Remove(filepath.Join(dir, n.Name())) // the next one tries again
		}
	}
}

// plainName returns a name that needs no quotes.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, name)
}

// RemoveText removes what [WriteText] wrote, if it did.
func RemoveText(p *project.Task, task, name string) error {
	err := os.Remove(filepath.Join(TextsDir(p, task), name+".md"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// FreeTasks removes what the sessions of former tasks kept: all but the present one until it has landed, tasks
// that still have a worktree, what sessions that live are for, and the waiting, which are named. It returns how many
// tasks and bytes that were.
func FreeTasks(p *project.Task, waiting ...string) (tasks int, size int64, err error) {
	names, err := os.ReadDir(p.SessionsDir())
	if err != nil {
		return 0, 0, nil // there are none
	}
	state, err := p.Main().World()
	if err != nil {
		return 0, 0, err
	}
	used, err := p.Main().Registry()
	if err != nil {
		return 0, 0, err
	}
	kept := append([]string{noTask}, waiting...)
	if t := state.World.Task; t != nil && t.Landed == nil {
		kept = append(kept, t.ID)
	}
	for _, e := range used.Agents {
		if e.PID > 0 {
			kept = append(kept, e.Task)
		}
	}
	for _, n := range names {
		_, failed := os.Lstat(p.Worktree(n.Name()).Top())
		if staged, err := os.Stat(p.Conversation(n.Name())); err == nil && time.Since(staged.ModTime()) < stagedFor {
			continue // another process may be about to queue its task
		}
		if failed == nil || slices.Contains(kept, n.Name()) {
			continue
		}
		size += sizeOf(context.Background(), filepath.Join(p.SessionsDir(), n.Name()))
		if err = p.FreeSessions(n.Name()); err != nil {
			return tasks, size, err
		}
		tasks++
	}
	return tasks, size, nil
}

// TaskSize returns how many bytes the sessions of a task keep, or kept until ctx was done.
func TaskSize(ctx context.Context, p *project.Task, task string) int64 {
	return sizeOf(ctx, TaskDir(p, task))
}

func sizeOf(ctx context.Context, dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // what cannot be read has none
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// cacheDir returns the directory of a session's caches, which the task's sessions share. Sessions that only read have
// one of their own: an executor could leave programs in its caches that a client starts by itself, such as a server
// that npx or uvx runs, and they would have the tools of a reviewer.
func (in *inside) cacheDir(s Launch) string {
	if edits(s) {
		return filepath.Join(in.dir, "cache")
	}
	return filepath.Join(in.dir, "cache-reading")
}

// goCache returns your cache of Go's builds, the directory of the session's caches, and the part of it that is for
// builds.
func (in *inside) goCache() [3]string {
	return [3]string{sandbox.GoCache(os.Environ()), in.cache, sandbox.GoCacheIn("")}
}

// texts returns the directories of your texts: the task's, and the one for all sessions.
func (in *inside) texts() []string {
	of := func(task string) string { return filepath.Join(filepath.Dir(in.dir), task, textsName) }
	return slices.Compact([]string{of(filepath.Base(in.dir)), of(noTask)})
}

// caches makes the caches of the task and the directory of its texts, and returns the variables
// that lead to the caches. Modules that you have downloaded already are read from your own.
func (in *inside) caches() (env []string, err error) {
	dir := in.cache
	for _, made := range append(in.texts(), dir) { // texts may come while it runs
		if err := os.MkdirAll(made, 0o700); err != nil {
			return nil, err
		}
	}
	if err := home.MakeDir(in.home.Dir, "tmp"); err != nil {
		return nil, err
	}
	env = sandbox.Caches(dir, os.Environ())
	for _, name := range []string{"GOFLAGS", "MAVEN_OPTS"} { // What you set counts, too.
		if own := os.Getenv(name); own != "" {
			i := slices.IndexFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
			env[i] = name + "=" + own + " " + strings.TrimPrefix(env[i], name+"=")
		}
	}
	return env, nil
}
