package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ferrus/ui/text/lazyregexp"
)

// shared is what git has of the repository's common directory: what is read and written, but
// neither configures nor runs anything. No attributes, grafts or hooks are among it.
var shared = []string{"HEAD", "refs", "packed-refs", "objects", "logs", "worktrees", "shallow", "reftable",
	"info/exclude"}

// allowed matches the keys that are copied from every configuration: who you are, how
// files are written, where remotes are. Git runs none of their values.
var allowed = lazyregexp.New(`^(?:(?:user|author|committer)\.(?:name|email|useconfigonly)` +
	`|core\.(?:autocrlf|eol|safecrlf|symlinks|ignorecase|filemode|precomposeunicode|excludesfile|quotepath|longpaths` +
	`|protecthfs|protectntfs|sharedrepository)` +
	`|i18n\.commitencoding|extensions\.(?:objectformat|refstorage)|remote\.[^\n]+\.(?:url|pushurl|fetch))$`)

// allowedYours matches the keys that are taken over from your own configuration only, for
// pushes: a repository could run programs by them.
var allowedYours = lazyregexp.New(`^(?:credential\.|core\.sshcommand$|ssh\.variant$|http\.|url\.)`)

// fixed is what holds in every repository.
const fixed = `[core]
	repositoryformatversion = 1
	bare = false
	protectHFS = true
	protectNTFS = true
[gc]
	auto = 0
[maintenance]
	auto = false
`

// lfs is the filter of Git LFS, the only one, where you have set it up yourself.
const lfs = `[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
	required = true
`

// configTimeout bounds the reading of git's configuration.
const configTimeout = 30 * time.Second

// configurations are the texts that were made in this process, by what they were made from.
// One that is older than the files it came from does no harm: nothing in it is run.
var configurations sync.Map

// ownCommon makes a directory that git takes for the common one of the repository: its
// configuration is ferrus's own, everything else is the repository's. It is made for one run
// of git, so that no other process knows it before; the caller removes it.
func (r Repository) ownCommon() (dir string, err error) {
	text, err := r.configuration()
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "ferrus-git-"); err != nil {
		return "", err
	}
	err = errors.Join(os.Mkdir(filepath.Join(dir, "info"), 0o700),
		os.WriteFile(filepath.Join(dir, "config"), []byte(text), 0o600))
	for _, name := range shared {
		err = errors.Join(err, os.Symlink(filepath.Join(r.Common, name), filepath.Join(dir, name)))
	}
	return dir, err
}

// made returns g with a git directory of its own, for one run, and what removes that.
func (g Git) made() (Git, func(), error) {
	dir, err := os.MkdirTemp("", "ferrus-git-")
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Join(dir, "refs", "heads"), 0o700),
			os.Mkdir(filepath.Join(dir, "info"), 0o700))
	}
	for name, text := range g.Files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600)
		}
	}
	if err != nil {
		removeOwn(dir)
		return g, nil, fmt.Errorf("prepare git: %w", err)
	}
	g.Files = nil
	return g.With("GIT_DIR=" + dir), func() { removeOwn(dir) }, nil
}

// removeOwn removes what [Repository.ownCommon] or [Git.made] made; it follows no link.
func removeOwn(dir string) {
	if dir != "" {
		os.RemoveAll(dir) //nolint:errcheck // it is temporary
	}
}

// configuration returns the configuration that git is given.
func (r Repository) configuration() (string, error) {
	key := r.Common + "\n" + stamps(filepath.Join(r.Common, "config"), userFiles())
	if text, ok := configurations.Load(key); ok {
		return text.(string), nil
	}
	values, err := r.values()
	if err != nil {
		return "", err
	}
	text := configure(values)
	configurations.Store(key, text)
	return text, nil
}

// values returns what git is configured to, here and everywhere: a scope, and then a key and its
// value.
func (r Repository) values() ([]string, error) {
	g := Git{Dir: r.Common, Env: append(Environment(), "GIT_DIR="+r.Common)}
	ctx, stop := context.WithTimeout(context.Background(), configTimeout) // It may include what never ends.
	defer stop()
	values, err := g.List(ctx, "config", "--list", "--show-scope", "-z")
	if err != nil {
		return nil, fmt.Errorf("read the configuration of git: %w", err)
	}
	return values, nil
}

// configure returns a configuration with what is allowed of some values, as [configured] takes them.
func configure(values []string) string {
	var b strings.Builder
	b.WriteString(fixed)
	for v := range configured(values) {
		switch {
		case allowed.MatchString(v.key), v.yours() && allowedYours.MatchString(v.key):
			writeValue(&b, v.key, v.value, v.set)
		case v.yours() && v.key == "filter.lfs.clean":
			b.WriteString(lfs)
		}
	}
	return b.String()
}

// configuredValue is one value of git's configuration, with the scope that it is from. A key without a
// value means true.
type configuredValue struct {
	scope, key, value string
	set               bool
}

// yours reports whether the value is from outside the repository.
func (v configuredValue) yours() bool { return v.scope == "global" || v.scope == "system" }

// configured returns values as git config lists them: a scope, and then a key and its value.
func configured(values []string) iter.Seq[configuredValue] {
	return func(yield func(configuredValue) bool) {
		for part := range slices.Chunk(values, 2) {
			if len(part) < 2 {
				return
			}
			key, value, set := strings.Cut(part[1], "\n")
			if !yield(configuredValue{part[0], key, value, set}) {
				return
			}
		}
	}
}

// writeValue writes one value; a key without a value means true.
func writeValue(b *strings.Builder, key, value string, set bool) {
	section, name := key[:strings.Index(key, ".")], key[strings.LastIndex(key, ".")+1:]
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
	if below := strings.TrimSuffix(strings.TrimPrefix(key, section), name); below != "." {
		below = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(below[1 : len(below)-1])
		fmt.Fprintf(b, "[%s \"%s\"]\n", section, below)
	} else {
		fmt.Fprintf(b, "[%s]\n", section)
	}
	if !set {
		value = "true"
	}
	fmt.Fprintf(b, "\t%s = \"%s\"\n", name, quote.Replace(value))
}

// userFiles returns where git looks for your own configuration.
func userFiles() []string {
	return []string{filepath.Join(os.Getenv("HOME"), ".gitconfig"), filepath.Join(configHome(), "git", "config"),
		"/etc/gitconfig"}
}

// configHome returns the directory of your configuration.
func configHome() string {
	if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		return xdg
	}
	return filepath.Join(os.Getenv("HOME"), ".config")
}

// stamps identifies the present state of files.
func stamps(first string, more []string) string {
	h := sha256.New()
	for _, name := range append([]string{first}, more...) {
		info, err := os.Stat(name)
		if err != nil {
			fmt.Fprintf(h, "%s\n", name)
			continue
		}
		fmt.Fprintf(h, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil))
}
