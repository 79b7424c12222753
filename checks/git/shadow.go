package git

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// Shadow is the git directory that a session inside the sandbox uses instead of the
// worktree's. It has its own HEAD, index, references and configuration. What it commits
// there reaches neither the branches nor the objects of the repository, which it reads as
// an alternate. It has no remotes, so there is nothing to push to and no password to read.
type Shadow struct {
	Dir    string   // the git directory, in a directory that the session may write
	Link   string   // a file that names it, to be shown as the .git of the worktree
	Stores []string // directories of objects that must be readable
	At     string   // where the first of them must be
}

// mainObjects is where the objects of a repository must be for a session that works in its
// main worktree, where the shadow is shown over the directory that has them.
const mainObjects = "/run/ferrus-objects"

// Shadow makes a shadow of this worktree in a directory. It keeps what is there as long as the
// branch that it was made from is where it was: then the session finds what it committed
// and staged before. With fresh it is always made anew.
func (r Repository) Shadow(ctx context.Context, dir string, fresh bool) (Shadow, error) {
	s := Shadow{Dir: filepath.Join(dir, "git"), Link: filepath.Join(dir, "link")}
	store := filepath.Join(r.Common, "objects")
	s.Stores, s.At = append([]string{store}, Alternates(store)...), store
	if !r.Linked() {
		s.At = mainObjects
	}
	head, refs, err := r.references(ctx)
	if err != nil {
		return s, fmt.Errorf("make a git directory for the sandbox: %w", err)
	}
	from := filepath.Join(dir, "from") // beside the directory: the session cannot write it
	if made, err := os.ReadFile(from); err == nil && !fresh && string(made) == head+refs {
		return s, nil
	}
	if err := errors.Join(removeShadow(s.Dir), r.fillShadow(s, head, refs)); err != nil {
		return s, fmt.Errorf("make a git directory for the sandbox: %w", err)
	}
	return s, os.WriteFile(from, []byte(head+refs), 0o600)
}

// removeShadow removes the last one. What a session made such that it cannot be removed is moved aside, and goes with
// the task.
func removeShadow(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	return os.Rename(dir, dir+".old-"+rand.Text())
}

// fillShadow writes a new shadow.
func (r Repository) fillShadow(s Shadow, head, refs string) error {
	for _, below := range []string{"objects/info", "objects/pack", "refs/heads", "info"} {
		if err := os.MkdirAll(filepath.Join(s.Dir, filepath.FromSlash(below)), 0o700); err != nil {
			return err
		}
	}
	text, ignored, err := r.insideConfiguration()
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		"HEAD": head, "packed-refs": refs, "config": text, "info/exclude": r.exclude(ignored),
		"objects/info/alternates": strings.Join(append([]string{s.At}, s.Stores[1:]...), "\n") + "\n",
		"../link":                 "gitdir: " + s.Dir + "\n",
	} {
		if err := os.WriteFile(filepath.Join(s.Dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			return err
		}
	}
	shared, _ := filepath.Glob(filepath.Join(r.Dir, "sharedindex.*")) // the pattern is right
	files := append(shared, filepath.Join(r.Dir, "index"), filepath.Join(r.Dir, "info", "sparse-checkout"),
		filepath.Join(r.Common, "shallow"))
	for _, file := range files {
		below, err := filepath.Rel(r.Dir, file)
		if err != nil || !filepath.IsLocal(below) {
			below = filepath.Base(file)
		}
		if err := copyInto(file, filepath.Join(s.Dir, below)); err != nil {
			return err
		}
	}
	return nil
}

// copyInto copies a file, if it is there.
func copyInto(file, to string) error {
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// references returns the texts of HEAD and of packed-refs.
func (r Repository) references(ctx context.Context) (head, refs string, err error) {
	out, err := r.Git().Output(ctx, "for-each-ref", "--format=%(HEAD)%(objectname) %(refname)", "refs/heads",
		"refs/tags", "refs/remotes", "refs/notes")
	if err != nil {
		return "", "", err
	}
	data, err := readFile(filepath.Join(r.Dir, "HEAD"))
	if err != nil {
		return "", "", err
	}
	head = string(data)
	var b strings.Builder
	b.WriteString("# pack-refs with: sorted \n")
	for line := range strings.Lines(out + "\n") {
		mark, rest := line[:min(1, len(line))], line[min(1, len(line)):]
		if _, name, ok := strings.Cut(strings.TrimSpace(rest), " "); ok {
			b.WriteString(rest)
			if mark == "*" { // a repository with another store of references has no HEAD that says it
				head = "ref: " + name + "\n"
			}
		}
	}
	return head, b.String(), nil
}

// insideAllowed matches the keys that are copied for a session inside the sandbox: who
// commits, and how files are written. Git runs none of their values, and none names a
// remote.
var insideAllowed = lazyregexp.New(`^(?:(?:user|author|committer)\.(?:name|email|useconfigonly)` +
	`|core\.(?:autocrlf|eol|safecrlf|symlinks|ignorecase|filemode|precomposeunicode|quotepath|longpaths` +
	`|protecthfs|protectntfs|sparsecheckout|sparsecheckoutcone)` +
	`|index\.sparse|i18n\.commitencoding|extensions\.objectformat)$`)

// insideConfiguration returns the configuration of a shadow, and the name of the file of what
// you have git ignore everywhere; empty: the usual one.
func (r Repository) insideConfiguration() (text, ignored string, err error) {
	values, err := r.values()
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	b.WriteString(fixed)
	for i := 1; i < len(values); i += 2 {
		key, value, set := strings.Cut(values[i], "\n")
		switch {
		case insideAllowed.MatchString(key):
			writeValue(&b, key, value, set)
		case key == "core.excludesfile":
			ignored = value
		}
	}
	return b.String(), ignored, nil
}

// exclude returns the patterns of the files that git ignores here though no file of the tree
// says so.
func (r Repository) exclude(file string) string {
	home := os.Getenv("HOME")
	if below, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(home, below)
	}
	if file == "" {
		file = filepath.Join(configHome(), "git", "ignore")
	}
	var all strings.Builder
	for _, name := range []string{file, filepath.Join(r.Common, "info", "exclude")} {
		data, _ := readFile(name) // one that is not there has none
		all.Write(data)
		all.WriteString("\n")
	}
	return all.String()
}
