package checks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/checks/git"
	"ferrus/checks/regular"
)

// lockEvery is how often a lock that another process holds is tried again.
const lockEvery = 10 * time.Millisecond

// Indexes of worktrees that the directory is not in: what is in their names, and how many are kept.
const (
	worktreeMark = "-of-"
	indexCount   = 64
)

// pinnedBytes is how much of the user's own excludes is taken over at most.
const pinnedBytes = 1 << 20

// attributes switch every conversion and merge driver off: a tree is the bytes that commands
// read.
const attributes = "* -text -filter -ident -working-tree-encoding -eol merge\n"

// configuration of ferrus's own git directory. %s is the object format.
const configuration = `[core]
	repositoryformatversion = 1
	bare = false
	filemode = true
	symlinks = true
	ignorecase = false
	precomposeUnicode = true
	autocrlf = false
	compression = 1
	fsync = none
	logAllRefUpdates = false
	fsmonitor = false
	protectHFS = true
	protectNTFS = true
	hooksPath = /dev/null
	excludesFile = /dev/null
	attributesFile = /dev/null
[extensions]
	objectFormat = %s
[gc]
	auto = 0
[index]
	version = 4
[advice]
	addEmbeddedRepo = false
`

// private is ferrus's own git directory beside the user's repository: an index
// and objects of its own, the user's objects as alternate.
type private struct {
	Repo
	git.Repository
	hidden string // the folder .ferrus, relative to top, with slashes; empty: there is none
	format string // of the objects: sha1 or sha256
	head   string // tree of HEAD, the empty one before the first commit
	lock   *os.File
	kept   bool // until the release of Hold
}

// open locks the directory and makes or repairs it.
func (r Repo) open(ctx context.Context) (*private, error) {
	if r.held != nil {
		return r.held, nil
	}
	workspace, err := filepath.EvalSymlinks(r.Workspace)
	if err != nil {
		return nil, fmt.Errorf("find the worktree: %w", err)
	}
	r.Workspace = workspace
	l, err := r.locate()
	if err != nil {
		return nil, err
	}
	hidden, err := filepath.Rel(l.Top, filepath.Join(workspace, ".ferrus"))
	if err != nil {
		return nil, fmt.Errorf("find the worktree: %w", err)
	}
	p := &private{Repo: r, Repository: l, hidden: filepath.ToSlash(hidden)}
	format, _, tree, err := l.Present(ctx)
	if err != nil {
		return nil, err
	}
	p.format = format
	if p.head = tree; tree == "" {
		p.head = git.EmptyTree(format) // what a repository without a commit is compared with
	}
	if err := p.acquire(ctx); err != nil {
		return nil, err
	}
	if err := p.prepare(); err != nil {
		p.close()
		return nil, fmt.Errorf("prepare %s: %w", r.Private, err)
	}
	return p, nil
}

// close releases the lock, unless the directory is held.
func (p *private) close() {
	if !p.kept {
		p.lock.Close()
	}
}

// acquire waits until no other process uses the directory.
func (p *private) acquire(ctx context.Context) error {
	for _, dir := range []string{filepath.Dir(p.Private), p.Private} {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not one of ferrus's directories; remove it", dir)
		}
	}
	// A directory of ferrus's that was moved away is not made again: it could not be moved back.
	if err := makeDirs(filepath.Dir(p.Private), p.Private); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(p.Private, "lock"), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	for {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			p.lock = lock
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			lock.Close()
			return fmt.Errorf("lock %s: %w", p.Private, err)
		}
		select {
		case <-ctx.Done():
			lock.Close()
			return ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}

// prepare makes what is missing.
func (p *private) prepare() error {
	if err := p.clean(); err != nil {
		return err
	}
	if err := makeDirs(p.file("objects"), p.file("info")); err != nil {
		return err
	}
	if _, err := os.Stat(p.file("info/exclude")); errors.Is(err, fs.ErrNotExist) {
		return p.put("info/exclude", p.ownExclude())
	}
	return nil
}

func (p *private) file(name string) string { return filepath.Join(p.Private, filepath.FromSlash(name)) }

// ofWorktree returns the file that a worktree has of its own: tasks with worktrees of their own share the directory and
// its objects, and an index of other files would be of no use to git.
func (p *private) ofWorktree(name string) string {
	if below, err := filepath.Rel(p.Top, p.Private); err == nil && filepath.IsLocal(below) {
		return p.file(name)
	}
	sum := sha256.Sum256([]byte(p.Top))
	return p.file(name + worktreeMark + hex.EncodeToString(sum[:8]))
}

// scratch returns an empty file without a name, which is gone when it is closed.
func (p *private) scratch() (*os.File, error) {
	file, err := os.CreateTemp(p.Private, "scratch-")
	if err == nil {
		err = os.Remove(file.Name())
	}
	return file, err
}

func (p *private) put(name, content string) error {
	if old, err := os.ReadFile(p.file(name)); err == nil && string(old) == content {
		return nil
	}
	return os.WriteFile(p.file(name), []byte(content), 0o600)
}

// ownExclude leaves the folder .ferrus out.
func (p *private) ownExclude() string {
	if p.hidden == "" {
		return ""
	}
	return "/" + pattern(p.hidden) + "/\n"
}

// pattern returns a path that matches itself only.
func pattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `).Replace(path)
}

// rest names everything but .ferrus. The brackets keep git from complaining
// that a path is named which is ignored.
func (p *private) rest() []string {
	if p.hidden == "" {
		return []string{"--", ":(top)"}
	}
	dir, name := filepath.Split(p.hidden)
	return []string{"--", ":(top)", ":(top,exclude,glob)" + pattern(dir) + "[.]" + pattern(name[1:]) + "/**"}
}

// ownGit works on ferrus's own index. No configuration of the user is in force, and of the directory only the index,
// the objects and the pinned excludes: in every other file a program that can write there could name others.
func (p *private) ownGit() git.Git {
	excludes, err := regular.Read(p.file("info/exclude"), 3*pinnedBytes)
	if err != nil {
		excludes = []byte(p.ownExclude()) // The tree is then larger, never smaller.
	}
	env := append(git.Environment(), "GIT_WORK_TREE="+p.Top, "GIT_INDEX_FILE="+p.ofWorktree("index"),
		"GIT_OBJECT_DIRECTORY="+p.file("objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+strconv.Quote(filepath.Join(p.Common, "objects")),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"HOME=/dev/null", "XDG_CONFIG_HOME=/dev/null")
	// A git that outlives a killed process keeps the lock: others wait for its end.
	return git.Git{Dir: p.Top, Env: env, Keep: []*os.File{p.lock}, Index: p.ofWorktree("index"), Format: p.format,
		Files: map[string]string{"HEAD": "ref: refs/heads/none\n", "config": fmt.Sprintf(configuration, p.format),
			"info/attributes": attributes, "info/exclude": string(excludes)},
		Stores: []string{p.file("objects"), filepath.Join(p.Common, "objects")}}
}

// treesGit returns [private.ownGit] without a worktree, an index and any objects but those in which the given trees
// differ, each of which was compared with its name; and what cleans up after it. Git reads a file of a worktree instead
// of an object if an index has them as the same, which a program can feign by writing through memory. It believes any
// object to be what its name says, and a program may write into the repository.
func (p *private) treesGit(ctx context.Context, trees ...string) (g git.Git, remove func(), err error) {
	objects, err := os.MkdirTemp("", "ferrus-git-")
	if err != nil {
		return g, nil, err
	}
	remove = func() { os.RemoveAll(objects) } //nolint:errcheck // it is temporary
	g = p.ownGit()
	if err := g.CopyDifferences(ctx, objects, trees...); err != nil {
		remove()
		return g, nil, err
	}
	g = g.With("GIT_WORK_TREE="+objects, "GIT_INDEX_FILE="+filepath.Join(objects, "index"),
		"GIT_OBJECT_DIRECTORY="+objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=")
	g.Dir, g.Stores = objects, []string{objects}
	return g, remove, nil
}

// reset forgets index and objects: what git cannot read is made again.
func (p *private) reset() error {
	for _, name := range []string{p.ofWorktree("index"), p.file("objects")} {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return makeDirs(p.file("objects"))
}

// readAnew is readTree after an error: without the index, which was damaged or cut short, and then without the objects
// as well. They hold what other tasks have proven, so they only go where that helps.
func (p *private) readAnew(ctx context.Context) (Tree, error) {
	if err := os.RemoveAll(p.ofWorktree("index")); err != nil {
		return Tree{}, err
	}
	t, err := p.readTree(ctx)
	if err == nil || ctx.Err() != nil || git.Stuck(err) || isKilled(err) {
		return t, err
	}
	aside := p.file("objects.aside")
	if err := errors.Join(os.RemoveAll(aside), os.Rename(p.file("objects"), aside), p.reset()); err != nil {
		return Tree{}, err
	}
	if t, err = p.readTree(ctx); err != nil {
		return t, errors.Join(err, os.RemoveAll(p.file("objects")), os.Rename(aside, p.file("objects")))
	}
	return t, os.RemoveAll(aside)
}

// makeDirs makes directories, each in one that is there.
func makeDirs(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// Forget removes all trees that were hashed here. The next [Repo.Tree] makes what it needs again.
func (r Repo) Forget(ctx context.Context) error {
	p, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	return p.reset()
}

// Pin takes over the user's own excludes (.git/info/exclude and the file that
// core.excludesFile names) as they are now. Until the next Pin a change of them
// hides nothing from [Repo.Tree]; without one they are not honoured at all. It also records
// which files a sparse checkout leaves out.
func (r Repo) Pin(ctx context.Context) error {
	p, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	text := p.ownExclude()
	for _, file := range p.excludes(ctx) {
		if data, err := regular.Read(file, pinnedBytes-1); err == nil {
			text += string(data) + "\n"
		}
	}
	if err := p.put("info/exclude", text); err != nil {
		return fmt.Errorf("pin the excludes: %w", err)
	}
	if err := p.pinLeftOut(ctx); err != nil {
		return fmt.Errorf("pin what a sparse checkout leaves out: %w", err)
	}
	return nil
}

func (p *private) excludes(ctx context.Context) []string {
	files := []string{filepath.Join(p.Common, "info", "exclude")}
	named, _, err := p.Git().Run(ctx, nil, "config", "--path", "--get", "core.excludesFile")
	if named = strings.TrimSuffix(named, "\n"); err == nil && named != "" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(p.Top, named)
		}
		return append(files, named)
	}
	if dir, err := os.UserConfigDir(); err == nil && os.Getenv("XDG_CONFIG_HOME") != "" {
		return append(files, filepath.Join(dir, "git", "ignore"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".config", "git", "ignore"))
	}
	return files
}
