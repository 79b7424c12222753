package land

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/hq/worktree"
)

// poison makes a repository run a program of an agent wherever git can be made to: by its
// configuration, a worktree's configuration, attributes, hooks, helpers and an include.
func poison(t *testing.T, l *fixture, ran string) {
	t.Helper()
	run := filepath.Join(t.TempDir(), "evil")
	l.ok(os.WriteFile(run, []byte("#!/bin/sh\necho \"$0 $*\" >> "+ran+"\ncat\n"), 0o755))
	var b strings.Builder
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
		"core.alternateRefsCommand", "sequence.editor", "credential.helper", "diff.external", "gpg.program",
		"gpg.ssh.program", "gpg.x509.program", "interactive.diffFilter", "pager.status", "pager.diff", "pager.log",
		"alias.status", "alias.reset", "alias.diff", "alias.add", "alias.rebase", "uploadpack.packObjectsHook",
		"filter.x.clean", "filter.x.smudge", "filter.x.process", "filter.lfs.clean", "filter.lfs.smudge",
		"filter.lfs.process", "diff.x.textconv", "diff.x.command", "merge.x.driver", "merge.default.driver",
		"trailer.x.command", "tar.x.command", "submodule.x.update",
	} {
		section, name := key[:strings.Index(key, ".")], key[strings.LastIndex(key, ".")+1:]
		if below := strings.Trim(key[len(section):len(key)-len(name)], "."); below != "" {
			section = fmt.Sprintf("%s %q", section, below)
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", section, name, run)
	}
	for _, value := range []string{
		"core.hooksPath = " + filepath.Dir(run), "core.attributesFile = " + run + ".attributes",
		"core.excludesFile = " + run + ".exclude", "commit.gpgSign = true", "tag.gpgSign = true",
		"log.showSignature = true", "rebase.autoStash = true", "merge.default = x", "extensions.worktreeConfig = true",
		"include.path = " + run + ".config", "core.untrackedCache = true", "core.trustctime = false",
	} {
		section, name, _ := strings.Cut(value, ".")
		fmt.Fprintf(&b, "[%s]\n\t%s\n", section, name)
	}
	common := filepath.Join(l.Dir, ".git")
	l.ok(os.WriteFile(run+".config", []byte("[filter \"y\"]\n\tclean = "+run+"\n\tsmudge = "+run+"\n"), 0o600))
	attributes := "* filter=x diff=x merge=x\n*.go filter=y -text eol=crlf ident\n"
	l.ok(os.WriteFile(run+".attributes", []byte(attributes), 0o600))
	l.ok(os.MkdirAll(filepath.Join(common, "info"), 0o700))
	l.ok(os.WriteFile(filepath.Join(common, "info", "attributes"), []byte(attributes), 0o600))
	l.ok(os.WriteFile(filepath.Join(common, "info", "grafts"), nil, 0o600))
	dirs, _ := filepath.Glob(filepath.Join(common, "worktrees", "*"))
	for _, dir := range append(dirs, common) {
		l.ok(os.WriteFile(filepath.Join(dir, "config.worktree"), []byte(b.String()), 0o600))
	}
	for _, hook := range []string{"pre-commit", "post-commit", "post-checkout", "post-merge", "pre-rebase",
		"post-rewrite", "reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-auto-gc"} {
		l.ok(os.WriteFile(filepath.Join(filepath.Dir(run), hook), []byte("#!/bin/sh\necho hook >> "+ran+"\n"), 0o755))
	}
	config, err := os.OpenFile(filepath.Join(common, "config"), os.O_APPEND|os.O_WRONLY, 0o600)
	l.ok(err)
	_, err = config.WriteString(b.String())
	l.ok(err)
	l.ok(config.Close())
	l.safely("update-index", "--skip-worktree", "a.txt")
}

// safely has ferrus's own git work on the poisoned repository.
func (l *fixture) safely(args ...string) {
	l.Helper()
	l.ok(git.Around(l.Dir).Do(l.Context(), args...))
}

// TestNothingOfARepositoryRuns lands work from a repository in which git could be made to run
// a program in every way we know, at each step.
func TestNothingOfARepositoryRuns(t *testing.T) {
	t.Parallel()
	for _, workspace := range []string{"here", "worktree"} {
		t.Run(workspace, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, workspace)
			ran := filepath.Join(t.TempDir(), "ran")
			if workspace == "worktree" {
				poison(t, l, ran) // the worktree is made from it
			}
			l.startTask()
			put(t, l.in(), ".gitattributes", "* filter=x diff=x merge=x\n")
			put(t, l.in(), "new.go", "package new\n")
			put(t, l.in(), "a.txt", "changed\n")
			if workspace == "here" {
				poison(t, l, ran)
			}
			l.approve()
			if workspace == "worktree" {
				put(t, l.Dir, "other.go", "package other\n")
				l.safely("add", "other.go")
				l.safely("commit", "-q", "-m", "main moves on")
			}
			if _, err := l.land(Options{}); err != nil {
				t.Fatal(err)
			}
			if _, err := worktree.List(t.Context(), l.Dir); err != nil {
				t.Error(err)
			}
			if output, err := os.ReadFile(ran); err == nil {
				t.Errorf("a program of the repository ran:\n%s", output)
			}
			for name, want := range map[string]string{"HEAD:new.go": "package new\n", "HEAD:a.txt": "changed\n"} {
				if got, _, err := git.Around(l.Dir).Run(t.Context(), nil, "cat-file", "blob", name); got != want {
					t.Errorf("landed %s as %q, %v", name, got, err)
				}
			}
		})
	}
}
