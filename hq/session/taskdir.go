package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ferrus/agent/sandbox"
	"ferrus/hq/project"
)

// tasksDir returns the directory of what the sessions of a project keep outside of it, by
// task: beside the lanes of its gate.
func tasksDir(p *project.Project) string {
	if p.Lanes == "" {
		return p.Store.Path("run", "tasks")
	}
	sum := sha256.Sum256([]byte(p.Dir))
	return filepath.Join(filepath.Dir(p.Lanes), "tasks", hex.EncodeToString(sum[:8]))
}

// TaskDir returns the directory of the private homes, git directories and caches of a task's
// sessions; those of no task share one.
func TaskDir(p *project.Project, task string) string {
	if task == "" || strings.ContainsAny(task, "/\\") || strings.HasPrefix(task, ".") {
		task = "none"
	}
	return filepath.Join(tasksDir(p), task)
}

// FreeTasks removes what the sessions of former tasks kept: all but the present one, and tasks
// that still have a worktree. It returns how many tasks and bytes that were.
func FreeTasks(p *project.Project) (tasks int, size int64, err error) {
	names, err := os.ReadDir(tasksDir(p))
	if err != nil {
		return 0, 0, nil // there are none
	}
	state, err := p.World()
	if err != nil {
		return 0, 0, err
	}
	current := "none"
	if state.World.Task != nil {
		current = state.World.Task.ID
	}
	for _, n := range names {
		dir := filepath.Join(tasksDir(p), n.Name())
		_, failed := os.Lstat(p.Worktree(n.Name()).Top())
		if failed == nil || n.Name() == current || n.Name() == "none" {
			continue
		}
		size += sizeOf(dir)
		if err = os.RemoveAll(dir); err != nil {
			return tasks, size, fmt.Errorf("free the files of task %s: %w", n.Name(), err)
		}
		tasks++
	}
	return tasks, size, nil
}

// TaskSize returns how many bytes the sessions of a task keep.
func TaskSize(p *project.Project, task string) int64 { return sizeOf(TaskDir(p, task)) }

func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // what cannot be read has none
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

// cacheVariables say where tools keep what they downloaded or built, below a directory ~ that
// the sessions of a task share.
var cacheVariables = []string{
	"GOCACHE=~/go-build", "GOMODCACHE=~/go-mod", "npm_config_cache=~/npm", "YARN_CACHE_FOLDER=~/yarn",
	"CARGO_HOME=~/cargo", "PIP_CACHE_DIR=~/pip", "UV_CACHE_DIR=~/uv", "MAVEN_ARGS=-Dmaven.repo.local=~/maven",
	"GRADLE_USER_HOME=~/gradle",
}

// goCache returns your cache of Go's builds, and the task's.
func (in *inside) goCache() [2]string {
	return [2]string{sandbox.GoCache(os.Environ()), filepath.Join(in.dir, "cache", "go-build")}
}

// caches makes the caches of the task, and returns the variables that lead to them. Modules
// that you have downloaded already are read from your own.
func (in *inside) caches() (env []string, err error) {
	dir := filepath.Join(in.dir, "cache")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, entry := range cacheVariables {
		env = append(env, strings.ReplaceAll(entry, "~", dir))
	}
	proxies := sandbox.GoProxy(in.home.Real, os.Environ())
	return append(env, "GOPROXY="+proxies, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -modcacherw")), nil
}
