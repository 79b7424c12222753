package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"ferrus/agent/program"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/forge"
	"ferrus/hq/project"
)

// Forge publishes work, and knows of it what no agent is asked: git, and the
// command line tool of the forge where there is one.
type Forge struct {
	project *project.Task
	tool    string // gh
	doing   string // what it is asked for, for errors
}

// NewForge returns the forge of a project.
func NewForge(p *project.Task) Forge { return Forge{project: p, tool: "gh", doing: "publish"} }

// The states of a pull request, as gh spells them.
const (
	prOpen   = "OPEN"
	prMerged = "MERGED"
)

func (f Forge) git() git.Git { return git.Around(f.project.Dir) }

// Publish puts the working tree as it is on a branch of its own, without touching
// the human's HEAD, index or files, and publishes it: with the configured command,
// as a pull request where there is a GitHub remote, else as the branch with a
// summary beside it.
func (f Forge) Publish(ctx context.Context, d *Document) (Synthesis, error) {
	s := Synthesis{Branch: "ferrus/" + d.ID}
	commit, err := f.commit(ctx, d, s.Branch)
	if err != nil {
		return s, err
	}
	s.Commit = commit
	summary := d.Summary()
	file := path.Join(Dir, d.ID, "SUMMARY.md")
	if err := f.project.Store.WriteFile(file, []byte(summary)); err != nil {
		return s, err
	}
	cfg, err := f.project.Config()
	if err != nil {
		return s, err
	}
	switch remote := f.remote(ctx); {
	case len(cfg.Workflow.Publish) > 0:
		if err := f.project.RequireTrust(project.GateDefinition(cfg)); err != nil {
			return s, fmt.Errorf("publish: %w", err)
		}
		s.PRURL, err = f.command(ctx, cfg.Workflow.Publish, d, s, f.project.Store.Path(file))
	case remote != "" && f.installed():
		s.PRURL, err = f.pullRequest(ctx, remote, d, s, f.project.Store.Path(file))
	default:
		s.PRURL = ".ferrus/" + file
	}
	return s, err
}

// commit makes the commit, from an index of its own, and the branch. A branch that
// exists continues from its own last commit.
func (f Forge) commit(ctx context.Context, d *Document, branch string) (string, error) {
	name := "run/publish-" + d.ID + ".index"
	if err := f.project.Store.Remove(name + ".lock"); err != nil { // of a git that was killed
		return "", fmt.Errorf("publish: %w", err)
	}
	defer f.project.Store.Remove(name, name+".lock") //nolint:errcheck // the next one reads its parent into it
	index := f.project.Store.Path(name)
	dir := (&Store{Project: f.project}).Workspace(d)
	work := git.Around(dir)
	g := work.With("GIT_INDEX_FILE=" + index)
	parent, err := f.git().Output(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if err != nil {
		parent, err = work.Output(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	}
	var parents []string
	if err == nil {
		parents = []string{"-p", parent}
		if _, err := g.Output(ctx, "read-tree", parent); err != nil {
			return "", fmt.Errorf("publish: %w", err)
		}
	}
	if err := g.ForgetSubmodules(ctx, dir); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	for _, args := range [][]string{{"add", "--all"}, {"rm", "-r", "--cached", "--quiet", "--ignore-unmatch",
		"--", ".ferrus"}} {
		if _, err := g.Output(ctx, args...); err != nil {
			return "", fmt.Errorf("publish: %w", err)
		}
	}
	tree, err := g.Output(ctx, "write-tree")
	if err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if before, err := f.git().Output(ctx, "rev-parse", "--verify", "--quiet", parent+"^{tree}"); err == nil &&
		before == tree && parent != d.Base.Commit {
		return parent, f.refresh(ctx, d, work) // It was published before.
	}
	args := append([]string{"commit-tree", tree, "-m", d.Title}, parents...)
	commit, err := f.author(ctx).Output(ctx, args...)
	if err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if _, err = f.git().Output(ctx, "update-ref", "refs/heads/"+branch, commit); err != nil {
		return commit, err
	}
	return commit, f.refresh(ctx, d, work)
}

// refresh has the index of the workflow's own worktree follow its branch.
func (f Forge) refresh(ctx context.Context, d *Document, work git.Git) error {
	if !d.Apart() {
		return nil
	}
	return work.Do(ctx, "reset", "--quiet", "--mixed")
}

// author returns git with a name for a commit, where the human has given none.
func (f Forge) author(ctx context.Context) git.Git {
	g := f.git()
	if _, err := g.Output(ctx, "var", "GIT_AUTHOR_IDENT"); err == nil {
		return g
	}
	return g.With("GIT_AUTHOR_NAME=ferrus", "GIT_AUTHOR_EMAIL=ferrus@localhost", "GIT_COMMITTER_NAME=ferrus",
		"GIT_COMMITTER_EMAIL=ferrus@localhost")
}

// remote returns the first remote that is on GitHub.
func (f Forge) remote(ctx context.Context) string {
	lines, err := f.git().Output(ctx, "remote", "-v")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(lines) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.Contains(fields[1], "github.com") {
			return fields[0]
		}
	}
	return ""
}

func (f Forge) installed() bool {
	_, err := program.Find(f.tool)
	return err == nil
}

// pullRequest pushes the branch and opens a pull request, or finds the existing
// one.
func (f Forge) pullRequest(ctx context.Context, remote string, d *Document, s Synthesis,
	summary string) (string, error) {
	if _, err := f.git().Output(ctx, "push", "--quiet", remote, "refs/heads/"+s.Branch); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if url, err := f.ask(ctx, "pr", "view", s.Branch, "--json", "url", "--jq", ".url"); err == nil && url != "" {
		return url, nil
	}
	args := []string{"pr", "create", "--head", s.Branch, "--title", d.Title, "--body-file", summary}
	if d.Base.Branch != "" {
		args = append(args, "--base", d.Base.Branch)
	}
	out, err := f.ask(ctx, args...)
	if err != nil {
		return "", err
	}
	return forge.LastLine(out), nil
}

// command runs what the configuration names; its last line is what was published. The git that it
// runs gets ferrus's configuration: the repository's own could start programs outside.
func (f Forge) command(ctx context.Context, argv []string, d *Document, s Synthesis, summary string) (string, error) {
	replace := strings.NewReplacer("{branch}", s.Branch, "{commit}", s.Commit, "{title}", d.Title, "{summary}", summary,
		"{base}", d.Base.Branch, "{id}", d.ID)
	args := make([]string, len(argv))
	for i, a := range argv {
		args[i] = replace.Replace(a)
	}
	out, err := f.withGit(ctx, args)
	if err != nil {
		return "", err
	}
	return cmp.Or(forge.LastLine(out), "refs/heads/"+s.Branch), nil
}

// ask runs the tool of the forge.
func (f Forge) ask(ctx context.Context, args ...string) (string, error) {
	return f.withGit(ctx, append([]string{f.tool}, args...))
}

// withGit runs a program that runs git itself, with ferrus's configuration of it.
func (f Forge) withGit(ctx context.Context, argv []string) (string, error) {
	return forge.Runner{Git: f.git(), Dir: f.project.Dir, Doing: f.doing}.Run(ctx, nil, argv...)
}

// Published asks git, and the forge if it has a pull request, for what was
// published; the words say by what it is known, or why not.
func (f Forge) Published(ctx context.Context, d *Document) (bool, string) {
	s := d.Synthesis
	if s == nil || s.PRURL == "" {
		return false, "nothing is published"
	}
	if strings.HasPrefix(s.PRURL, "http") && f.remote(ctx) != "" && f.installed() {
		state, err := f.ask(ctx, "pr", "view", s.PRURL, "--json", "state", "--jq", ".state")
		if err != nil {
			return false, err.Error()
		}
		return state == prOpen || state == prMerged, "the forge says that " + s.PRURL + " is " + strings.ToLower(state)
	}
	if s.Branch != "" {
		commit, err := f.git().Output(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+s.Branch)
		if err != nil || commit != s.Commit {
			return false, "git has no branch " + s.Branch + " at " + s.Commit
		}
	}
	return true, "git has the branch " + s.Branch
}

// Merged asks git, and then the forge, whether the work is in its base.
func (f Forge) Merged(ctx context.Context, d *Document) (bool, string) {
	s := d.Synthesis
	if landed := f.landed(d); landed != nil {
		return f.branchMerged(ctx, d, landed.Commit)
	}
	if s == nil || s.Commit == "" {
		return f.branchMerged(ctx, d, "refs/heads/ferrus/"+d.ID)
	}
	if ok, why := f.branchMerged(ctx, d, s.Commit); ok {
		return ok, why
	}
	if !strings.HasPrefix(s.PRURL, "http") || !f.installed() {
		return false, fmt.Sprintf("git does not have %.12s in %s", s.Commit, cmp.Or(d.Base.Branch, "HEAD"))
	}
	out, err := f.ask(ctx, "pr", "view", s.PRURL, "--json", "state,mergeCommit")
	if err != nil {
		return false, err.Error()
	}
	var pr struct {
		State string `json:"state"`
	}
	if err := json.Unmarshal([]byte(out), &pr); err != nil {
		return false, "the forge's answer cannot be read: " + err.Error()
	}
	return pr.State == prMerged, "the forge says that " + s.PRURL + " is " + strings.ToLower(pr.State)
}

// landed returns how ferrus landed the result; nil: it did not.
func (f Forge) landed(d *Document) *core.Landed {
	var landed core.Landed
	data, err := f.project.Store.ReadFile(path.Join(Dir, d.ID, LandedFile))
	if err != nil || json.Unmarshal(data, &landed) != nil {
		return nil
	}
	return &landed
}

func (f Forge) branchMerged(ctx context.Context, d *Document, commit string) (bool, string) {
	base := "HEAD"
	if d.Base.Branch != "" {
		base = "refs/heads/" + d.Base.Branch
	}
	id, err := f.git().Output(ctx, "rev-parse", "--verify", "--quiet", commit+"^{commit}")
	if err != nil {
		return false, "this workflow has no commit to look for"
	}
	if id == d.Base.Commit {
		return false, "the workflow has no commit of its own"
	}
	if _, err := f.git().Output(ctx, "merge-base", "--is-ancestor", id, base); err != nil {
		return false, fmt.Sprintf("git does not have %.12s in %s", id, strings.TrimPrefix(base, "refs/heads/"))
	}
	return true, fmt.Sprintf("git has %.12s in %s", id, strings.TrimPrefix(base, "refs/heads/"))
}

// Close closes a pull request; one that is closed, or merged, is left.
func (f Forge) Close(ctx context.Context, url string) (skipped string, err error) {
	if !f.installed() {
		return "", errors.New(f.tool + " is not installed: install it, or close " + url + " and cancel again")
	}
	state, err := f.ask(ctx, "pr", "view", url, "--json", "state", "--jq", ".state")
	if err != nil {
		return "", err
	}
	if state != "OPEN" {
		return "it is " + strings.ToLower(state), nil
	}
	_, err = f.ask(ctx, "pr", "close", url, "--comment", "The workflow was cancelled.")
	return "", err
}

// DropRemote deletes the branch where it was pushed to.
func (f Forge) DropRemote(ctx context.Context, branch string) (skipped string, err error) {
	remote := f.remote(ctx)
	if remote == "" {
		return "there is no remote", nil
	}
	found, err := f.git().Output(ctx, "ls-remote", "--heads", remote, "refs/heads/"+branch)
	if err != nil {
		return "", err
	}
	if found == "" {
		return "it does not exist", nil
	}
	_, err = f.git().Output(ctx, "push", "--quiet", remote, "--delete", "refs/heads/"+branch)
	return "", err
}
