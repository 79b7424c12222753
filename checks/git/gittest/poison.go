package gittest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
)

// programs are the keys of git's configuration whose values are programs.
var programs = []string{
	"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
	"core.alternateRefsCommand", "sequence.editor", "credential.helper", "diff.external", "gpg.program",
	"gpg.ssh.program", "gpg.x509.program", "interactive.diffFilter", "pager.status", "pager.diff", "pager.log",
	"alias.status", "alias.reset", "alias.diff", "alias.add", "alias.rebase", "alias.rev-parse",
	"uploadpack.packObjectsHook", "filter.x.clean", "filter.x.smudge", "filter.x.process", "filter.lfs.clean",
	"filter.lfs.smudge", "filter.lfs.process", "diff.x.textconv", "diff.x.command", "merge.x.driver",
	"merge.default.driver", "trailer.x.command", "tar.x.command", "submodule.x.update", "remote.origin.uploadpack",
	"remote.origin.vcs", "init.templateDir", "web.browser", "browser.x.cmd", "difftool.x.cmd", "mergetool.x.cmd",
}

// settings make git run these programs, or look elsewhere. RUN is replaced by the
// program.
var settings = []string{
	"core.hooksPath = RUN.hooks", "core.attributesFile = RUN.attributes", "core.excludesFile = RUN.exclude",
	"commit.gpgSign = true", "tag.gpgSign = true", "log.showSignature = true", "rebase.autoStash = true",
	"merge.default = x", "extensions.worktreeConfig = true", "include.path = RUN.config", "core.untrackedCache = true",
	"core.trustctime = false", "extensions.partialClone = origin", "remote.origin.url = ext::RUN",
	"remote.origin.promisor = true", "protocol.ext.allow = always",
}

// hooks are the names of hooks.
var hooks = []string{"pre-commit", "post-commit", "post-checkout", "post-merge", "pre-rebase", "post-rewrite",
	"reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-auto-gc", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "pre-push", "applypatch-msg", "sendemail-validate", "update"}

// Poison makes a repository run a program wherever git can be made to: by its configuration, a
// worktree's configuration, an include, attributes, hooks, helpers, grafts, replaced objects
// and what an index says. The program, whose path is returned, writes the file ran.
func Poison(t testing.TB, dir, ran string) (run string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "evil")
	common := filepath.Join(dir, ".git")
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if err == nil {
			err = os.WriteFile(name, []byte(text), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	do := func(args ...string) string {
		t.Helper()
		out, err := git.Around(dir).Output(t.Context(), args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write(run, "#!/bin/sh\necho \"$0 $*\" >> "+ran+"\ncat\n", 0o755)
	do("update-index", "--skip-worktree", strings.Split(do("ls-files"), "\n")[0])
	do("update-ref", "refs/replace/"+do("rev-parse", "HEAD^{tree}"), do("mktree"))
	write(filepath.Join(common, "info", "grafts"), do("rev-parse", "HEAD")+"\n", 0o600)
	attributes := "* filter=x diff=x merge=x\n*.go filter=y -text eol=crlf ident\n"
	write(run+".attributes", attributes, 0o600)
	write(filepath.Join(common, "info", "attributes"), attributes, 0o600)
	write(run+".config", "[filter \"y\"]\n\tclean = "+run+"\n\tsmudge = "+run+"\n", 0o600)
	write(filepath.Join(common, "sharedindex."+strings.Repeat("0", 40)), "", 0o600)
	for _, hook := range hooks {
		for _, dir := range []string{run + ".hooks", filepath.Join(common, "hooks")} {
			write(filepath.Join(dir, hook), "#!/bin/sh\necho hook >> "+ran+"\n", 0o755)
		}
	}
	text := configuration(run)
	dirs, _ := filepath.Glob(filepath.Join(common, "worktrees", "*"))
	for _, dir := range append(dirs, common) {
		write(filepath.Join(dir, "config.worktree"), text, 0o600)
	}
	before, err := os.ReadFile(filepath.Join(common, "config"))
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(common, "config"), string(before)+text, 0o600)
	return run
}

// configuration has everything that makes git run a program.
func configuration(run string) string {
	var b strings.Builder
	for _, key := range programs {
		section, name := key[:strings.Index(key, ".")], key[strings.LastIndex(key, ".")+1:]
		if below := strings.Trim(key[len(section):len(key)-len(name)], "."); below != "" {
			section = fmt.Sprintf("%s %q", section, below)
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", section, name, run)
	}
	for _, value := range settings {
		value = strings.ReplaceAll(value, "RUN", run)
		key, _, _ := strings.Cut(value, " ")
		section, name, _ := strings.Cut(value, ".")
		if last := strings.LastIndex(key, "."); last > len(section) {
			section, name = fmt.Sprintf("%s %q", section, key[len(section)+1:last]), value[last+1:]
		}
		fmt.Fprintf(&b, "[%s]\n\t%s\n", section, name)
	}
	return b.String()
}
