package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ferrus/ui/text"
)

// Signer is how you have git sign commits. The zero Signer does not sign.
type Signer struct {
	// Program is one that the repository's own configuration names: a session may have named it, so it must not run
	// as you. Empty: your own configuration names the signer, or it is gpg or ssh-keygen.
	Program string

	wanted   bool
	settings []string // key=value
}

// Signs reports whether you want commits signed: commit.gpgSign.
func (s Signer) Signs() bool { return s.wanted }

// Run returns the signer that runs a program as gpg.
func (s Signer) Run(program string) Signer {
	s.settings = append(slices.Clone(s.settings), "gpg.program="+program, "gpg.openpgp.program="+program,
		"gpg.x509.program="+program)
	return s
}

// signing are the keys of a signature that run nothing; any configuration may set them.
var signing = []string{"gpg.format", "user.signingkey"}

// signers are the keys that name a program, by the format.
var signers = map[string][]string{"openpgp": {"gpg.program", "gpg.openpgp.program"}, "x509": {"gpg.x509.program"},
	"ssh": {"gpg.ssh.program"}}

// Signer returns how git's configuration, everywhere and here, has commits signed. It fails where the
// repository's own names a program that must not run.
func (r Repository) Signer() (s Signer, err error) {
	values, err := r.values()
	if err != nil {
		return s, err
	}
	format, here := "openpgp", map[string]string{}
	for v := range configured(values) {
		key, value, yours := v.key, v.value, v.yours()
		switch {
		case key == "commit.gpgsign":
			s.wanted = !v.set || isTrue(value)
		case key == "gpg.format":
			format = value
			fallthrough
		case slices.Contains(signing, key), yours && key == "gpg.ssh.defaultkeycommand":
			s.settings = append(s.settings, key+"="+value)
		case strings.HasPrefix(key, "gpg.") && strings.HasSuffix(key, "program"):
			if delete(here, key); yours || isSystem(value) {
				s.settings = append(s.settings, key+"="+value)
			} else {
				here[key] = value
			}
		}
	}
	for _, key := range signers[format] {
		if value := here[key]; value != "" {
			s.Program, err = value, r.checkSigner(key, value)
		}
	}
	if !s.wanted {
		return Signer{}, nil
	}
	return s, err
}

// checkSigner returns an error if a program of the repository's own configuration must not run at all.
func (r Repository) checkSigner(key, path string) error {
	switch {
	case !filepath.IsAbs(path) || r.Holds(path):
		return &SignError{fmt.Sprintf("%s of the repository is %s, which is not outside its worktree", key, path)}
	case key == "gpg.ssh.program":
		return &SignError{fmt.Sprintf("%s is set in the repository; set it with git config --global", key)}
	}
	return nil
}

// isSystem reports whether a configuration names gpg or ssh-keygen as the system has it.
func isSystem(program string) bool {
	switch filepath.Dir(program) {
	case ".", "/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin":
	default:
		return false
	}
	name := filepath.Base(program)
	return !strings.HasPrefix(program, "./") && (strings.HasPrefix(name, "gpg") || name == "ssh-keygen")
}

// isTrue reads a boolean as git does.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// Holds reports whether a path, without its links, is in this worktree or in the one beside the common git
// directory, but not in a git directory.
func (r Repository) Holds(path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if isBelow(path, r.Common) {
		return false
	}
	return isBelow(path, r.Top) || filepath.Base(r.Common) == ".git" && isBelow(path, filepath.Dir(r.Common))
}

// isBelow reports whether a path is a directory, or below it.
func isBelow(path, dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// SignError says why a commit was not signed.
type SignError struct{ Words string }

func (e *SignError) Error() string { return "sign the commit: " + e.Words }

// SignLimit is how long a signer may take: you may have to unlock a key in a window.
const SignLimit = time.Minute

// Sign returns a commit that is signed and has the tree, the message, the author and the dates of
// another one, on the given parents. No branch has it. The error is a [*SignError] where the signer
// fails, or takes longer than limit. The signer gets no terminal: it could be the one that HQ draws on.
func (r Repository) Sign(ctx context.Context, s Signer, commit string, parents []string,
	limit time.Duration) (string, error) {
	data, err := r.Git().Object(ctx, "commit", commit)
	if err != nil {
		return "", err
	}
	was := parseCommit(data)
	var args []string
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	args = append(args, "commit-tree", "-S", was.tree)
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	g := r.Git().With(append(was.author.env("AUTHOR"), was.committer.env("COMMITTER")...)...)
	signed, err := g.detached(ctx, limit, was.message, append(args, "-F", "-")...)
	if err != nil {
		return "", err
	}
	if data, err = r.Git().Object(ctx, "commit", signed); err != nil {
		return "", err
	}
	if now := parseCommit(data); !now.signed || now.tree != was.tree || !slices.Equal(now.parents, parents) ||
		now.message != was.message {
		return "", &SignError{"git did not create the same commit with a signature"}
	}
	return signed, nil
}

// detached runs git with a signer, without a terminal, and ends both at the time limit.
func (g Git) detached(ctx context.Context, limit time.Duration, input string, args ...string) (string, error) {
	g, remove, err := g.configured()
	if err != nil {
		return "", err
	}
	defer remove()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	g.Env = slices.DeleteFunc(slices.Clone(g.Env), func(entry string) bool {
		return strings.HasPrefix(entry, "GPG_TTY=")
	})
	cmd := g.Command(limited, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, words bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &words
	switch err = cmd.Run(); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", &SignError{fmt.Sprintf("the signer has not answered within %s; it has no terminal to ask on", limit)}
	case errors.Is(err, exec.ErrNotFound):
		return "", err
	case err != nil:
		return "", &SignError{signerWords(words.String())}
	}
	return strings.TrimSpace(out.String()), nil
}

// signerWords returns what a signer said, without what git adds.
func signerWords(output string) string {
	var all []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(text.Sanitize(line))
		if line != "" && !strings.HasPrefix(line, "[GNUPG:]") && line != "fatal: failed to write commit object" {
			all = append(all, strings.TrimPrefix(line, "error: "))
		}
	}
	return text.CutBytes(strings.Join(all, "; "), wordBytes)
}

// parsedCommit is a commit as git stores it.
type parsedCommit struct {
	tree              string
	parents           []string
	author, committer ident
	signed            bool
	message           string
}

// ident is who did something to a commit, and when.
type ident struct{ name, email, date string }

// parseCommit reads a commit.
func parseCommit(data []byte) (c parsedCommit) {
	head, message, _ := strings.Cut(string(data), "\n\n")
	c.message = message
	for line := range strings.SplitSeq(head, "\n") {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		case "author":
			c.author = parseIdent(value)
		case "committer":
			c.committer = parseIdent(value)
		case "gpgsig", "gpgsig-sha256":
			c.signed = true
		}
	}
	return c
}

// parseIdent reads "Ada <ada@example.com> 1732406400 +0000".
func parseIdent(s string) (i ident) {
	name, rest, _ := strings.Cut(s, " <")
	email, date, _ := strings.Cut(rest, "> ")
	return ident{name, email, "@" + date}
}

// env returns the variables that git reads an identity from.
func (i ident) env(of string) []string {
	return []string{"GIT_" + of + "_NAME=" + i.name, "GIT_" + of + "_EMAIL=" + i.email, "GIT_" + of + "_DATE=" + i.date}
}
