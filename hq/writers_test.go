package hq_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// words returns the names and strings of a Go file.
func words(text []byte) []string {
	var all []string
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return all
		case token.IDENT, token.STRING:
			all = append(all, lit)
		}
	}
}

// writers are the files outside package store that may write to a disk, and what.
var writers = map[string]string{
	"checks/regular/regular.go":     "nothing: it opens a file to read it, without waiting for a pipe",
	"hq/config/edit.go":             "ferrus.toml",
	"hq/register/write.go":          "the clients' own configuration, as planned",
	"hq/cli/scaffold.go":            "files of the project, yours to edit",
	"hq/cli/demo.go":                "the demo's directory",
	"hq/clients/round.go":           "a temporary home and repository for a client that is tried",
	"hq/cli/doctor.go":              "the bundle that is named",
	"hq/pair/locate.go":             "the user's own index of runs",
	"hq/demo/scaffold.go":           "the demo's repository",
	"hq/host/place.go":              "the directory of a user's sockets",
	"hq/host/sweep.go":              "sockets of dead hosts there",
	"hq/host/door.go":               "the directory of a session's door there",
	"hq/tui/editor.go":              "a temporary file for the editor",
	"hq/demo/executor.go":           "the code that the demo's executor writes",
	"hq/land/recovermerge.go":       "what a merge that died halfway wrote",
	"hq/worktree/remove.go":         "what is left of a removed worktree",
	"hq/worktree/snapshot.go":       "a temporary copy of git's index",
	"checks/git/scratch.go":         "the temporary repository that a hook runs in",
	"hq/commit/sign.go":             "a temporary script that starts a signer inside",
	"hq/commit/commit.go":           "the temporary repository that a hook runs in",
	"hq/gc/gc.go":                   "the lock of ferrus gc, in your state directory",
	"hq/gc/directory.go":            "what is freed",
	"hq/gc/gone.go":                 "the same",
	"hq/human/code.go":              "a one-time code that is used, in your state directory",
	"hq/project/kept.go":            "what is kept of a project, in your state directory",
	"hq/project/verdicts.go":        "what gates found on trees, in your state directory",
	"hq/project/hosts.go":           "the lock of what you answered for hosts, in your state directory",
	"hq/project/sessionfiles.go":    "a copy of the conversation that a task continues, beside its sessions' homes",
	"hq/project/truststore.go":      "the trusted commands, in your configuration",
	"agent/usagefile.go":            "a temporary directory for the usage that a client reports",
	"checks/private.go":             "the private git directory that its caller names",
	"checks/union.go":               "three texts in the private git directory, until they are merged",
	"checks/stored.go":              "the objects of git LFS in the user's repository",
	"checks/submodule.go":           "the same, for a submodule",
	"hq/cli/sandbox.go":             "a home for a command, until it ends",
	"agent/sandbox/probe.go":        "a temporary directory, and attempts to write from inside",
	"agent/sandbox/probe_linux.go":  "an attempt to make a terminal",
	"agent/sandbox/probe_darwin.go": "the same",
	"agent/sandbox/proxied.go":      "the directory of a proxy's socket",
	"agent/sandbox/recent.go":       "what was found about programs and walls, in your state directory",

	"checks/lane/lane.go":           "the directory of a lane",
	"checks/lane/environment.go":    "a home for setup commands in it",
	"checks/lane/repository.go":     "a git directory for the commands of a gate",
	"checks/workspace/workspace.go": "the directory that equals a tree",
	"checks/workspace/output.go":    "a copy of what setup made in it",
	"checks/workspace/record.go":    "what is known of its files",

	"agent/turnend.go":            "that a turn has ended, where its session says",
	"hq/session/turnend.go":       "the plugin of a session, and it removes what the last one reported",
	"agent/acp/resume.go":         "which conversation of a session was interrupted",
	"agent/home/home.go":          "the private home of a session",
	"agent/home/seed.go":          "the caches of a task",
	"agent/home/login.go":         "logins that a session renewed, and which ones it has",
	"hq/ports/ports.go":           "which ports are given, outside of every project",
	"hq/host/detached.go":         "the log of a worker, in your state directory",
	"hq/remote/session.go":        "how a session on a worker ended, for HQ, and it removes how it starts, once read",
	"hq/remote/turns.go":          "that a turn on a worker has ended: without it, the session ends later",
	"hq/remote/sync.go":           "which tree a worker has, and its lock: without it the tree is sent again",
	"hq/worker/worker.go":         "the directory of a worker, in your state directory",
	"hq/worker/home.go":           "which attempts and sessions a worker has, beside no project of yours",
	"hq/session/taskdir.go":       "the caches and long texts of a task's sessions, and what former tasks left",
	"checks/git/shadow.go":        "a git directory for a session inside the sandbox",
	"checks/git/loose.go":         "an object in the git directory of a lane",
	"checks/git/writepack.go":     "objects in a temporary directory for one run of git",
	"checks/git/writeindex.go":    "the index of a lane",
	"checks/git/refresh.go":       "an index of ferrus's own and its untracked cache",
	"checks/git/verifyfiles.go":   "an index of ferrus's own that cannot be read",
	"checks/git/configuration.go": "a temporary directory for one run of git",
	"checks/git/killed.go":        "a lock that a killed git has left on a reference of ferrus's own",

	"agent/sandbox/stage/group_linux.go": "a control group of the kernel",

	"checks/clean.go": "links and locks in the private git directory",

	"checks/git/gittest/gittest.go":     "forged objects of tests",
	"checks/git/gittest/firstcommit.go": "the first commit of repositories of tests",
	"checks/git/gittest/poison.go":      "what a test has git run",
	"hq/host/hosttest/hosttest.go":      "a directory of tests for their sockets",
	"store/memtemp/memtemp.go":          "temporary directories of tests",
	"store/exectest/exectest.go":        "programs of tests",
	"hq/hqtest/hqtest.go":               "projects of tests",
}

// writing are calls that change what is on a disk.
var writing = []string{
	"os.WriteFile(", "os.Create(", "os.CreateTemp(", "os.OpenFile(", "os.Rename(", "os.Remove(",
	"os.RemoveAll(", "os.Mkdir(", "os.MkdirAll(", "os.MkdirTemp(", "os.Symlink(", "os.Link(", "os.Truncate(",
	"os.Chmod(",
}

// A test that writes a script and runs it can fail because another test of its package starts a process just then.
func TestTestsWriteProgramsSafely(t *testing.T) {
	for _, s := range sources(t) {
		for n, line := range bytes.Split(s.text, []byte("\n")) {
			if s.test && bytes.Contains(line, []byte("os.WriteFile(")) && bytes.Contains(line, []byte(`"#!`+"/")) {
				t.Errorf("%s:%d: write a program with exectest.WriteFile", s.name, n+1)
			}
		}
	}
}

// TestOnlyTheStoreWritesState looks for calls that write, which is as much as a test can see.
func TestOnlyTheStoreWritesState(t *testing.T) {
	for _, s := range sources(t) {
		mayWrite := s.pkg == "store" || strings.HasPrefix(s.pkg, "hq/e2e") || writers[s.name] != ""
		if s.test || s.file.Name.Name == "main" || mayWrite {
			continue
		}
		for _, call := range writing {
			if bytes.Contains(s.text, []byte(call)) {
				t.Errorf("%s calls %s...): only package store writes; it hands out logs", s.name, call)
			}
		}
	}
}

// ownGit are the files that may run git other than by [git.Repository.Git], and why.
var ownGit = map[string]string{
	"checks/private.go":         "on a git directory of ferrus's own",
	"checks/lane/repository.go": "on a git directory that the gate's commands see",
	"hq/cli/init.go":            "asks whether there is a repository",
	"hq/cli/setup.go":           "asks whether there is a repository",
	"hq/demo/scaffold.go":       "makes the demo's repository",
	"hq/clients/round.go":       "makes the repository of a round",
	"hq/worker/repository.go":   "makes the repository of a home",
	"hq/workflow/forge.go":      "the environment of the program that publishes",
}

// TestGitIsRunInOnePlace finds programs that run git by themselves, with whatever
// configuration an agent wrote.
func TestGitIsRunInOnePlace(t *testing.T) {
	ways := []*regexp.Regexp{ // Each begins with a literal, for which the whole text is searched quickly.
		regexp.MustCompile(`exec\.Command(?:Context)?\((?:\w+, )?"git"`),
		regexp.MustCompile(`git\.(?:In\(|Git\{|Environment\(\))`),
	}
	for _, s := range sources(t) {
		tool := s.pkg == "checks/git" || s.pkg == "checks/git/gittest" || s.pkg == ".ci" ||
			strings.HasPrefix(s.pkg, "hq/hqtest") || strings.HasPrefix(s.pkg, "hq/e2e")
		if s.test || tool || ownGit[s.name] != "" {
			continue
		}
		for _, way := range ways {
			if found := way.Find(s.text); found != nil {
				t.Errorf("%s: %s: git is run by Repository.Git of package checks/git", s.name, found)
			}
		}
	}
}
