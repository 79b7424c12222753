package adopt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/checks/git"
	"ferrus/ui/text"
)

// readSession finds the conversation that continues. Nothing of a client may run there: it would continue to
// write its conversation and the files while they are copied, and afterwards nothing of it would reach the
// task.
func (f *Found) readSession(ctx context.Context, r git.Repository, o Options) error {
	if err := checkAgent(o.Agent); err != nil {
		return err
	}
	others, err := otherWorktrees(ctx, r)
	if err != nil {
		return err
	}
	held := func(dir string) bool {
		if at, err := filepath.EvalSymlinks(dir); err == nil {
			dir = at
		}
		return within(r.Top, dir) && !slices.ContainsFunc(others, func(top string) bool { return within(top, dir) })
	}
	running, err := agent.RunningIn(r.Top, others)
	if err != nil {
		return err
	}
	if len(running) > 0 {
		return refuse("end it there (/exit, or Ctrl+C twice), then adopt again; its conversation continues in the task",
			"%s still runs in %s", strings.Join(running, " and "), r.Top)
	}
	if o.Agent == NoAgent {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	for _, c := range agent.Conversations(home, held) {
		if o.Agent == "" || c.Agent == o.Agent {
			f.Conversation = &c
			return nil
		}
	}
	if o.Agent != "" {
		return refuse("without --agent, the newest session of any agent continues; --agent none takes only the files",
			"%s has had no session in %s", o.Agent, r.Top)
	}
	return nil
}

// Agents returns the names of the agents whose conversations can be continued.
func Agents() (all []string) {
	for _, n := range agent.Names() {
		if a, err := agent.Lookup(n, nil); err == nil && agent.Continues(a) {
			all = append(all, n)
		}
	}
	return all
}

// checkAgent refuses an agent whose conversations cannot be continued.
func checkAgent(name string) error {
	if name == "" || name == NoAgent {
		return nil
	}
	able := Agents()
	if slices.Contains(able, name) {
		return nil
	}
	fix := "use one of: " + strings.Join(able, ", ") + "; or none, to take only the files"
	if _, err := agent.Lookup(name, nil); err != nil {
		return refuse(fix, "unknown agent %q", name)
	}
	return refuse(fix, "ferrus cannot continue a session of %s", name)
}

// otherWorktrees returns the worktrees of the repository that are below this one.
func otherWorktrees(ctx context.Context, r git.Repository) (all []string, err error) {
	err = r.Places().Each(ctx, func(line string) {
		top, ok := strings.CutPrefix(line, "worktree ")
		if at, err := filepath.EvalSymlinks(top); err == nil {
			top = at
		}
		if ok && top != r.Top && within(r.Top, top) {
			all = append(all, top)
		}
	}, "worktree", "list", "--porcelain", "-z")
	return all, err
}

func within(top, path string) bool {
	below, err := filepath.Rel(top, path)
	return err == nil && filepath.IsLocal(below)
}

// maxProposed bounds a text that is proposed, in bytes.
const maxProposed = 64 << 10

// propose returns the text of the task: your first message of the conversation, else the words of the branch, else
// the newest commit's.
func (f *Found) propose(ctx context.Context, r git.Repository) string {
	if c := f.Conversation; c != nil {
		if first := strings.TrimSpace(text.SanitizeLines(c.First)); first != "" {
			return text.CutBytes(first, maxProposed)
		}
	}
	name := f.Branch[strings.LastIndex(f.Branch, "/")+1:]
	words := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("-_.", c) })
	title := text.Sanitize(strings.Join(words, " "))
	if title == "" || f.Branch == f.Target {
		subject, err := r.Git().Output(ctx, "log", "-1", "--format=%s")
		if title = text.Sanitize(subject); err != nil || title == "" {
			title = filepath.Base(f.Dir)
		}
		title = "continue: " + title
	}
	return strings.ToUpper(title[:1]) + title[1:]
}
