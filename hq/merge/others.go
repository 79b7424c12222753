package merge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/queue"
	"ferrus/ui/text"
)

// maxOthers is how many commits of others a report has.
const maxOthers = 10

// otherBytes bounds what a report has of one other task.
const otherBytes = 4 << 10

// since lists what changed some files of the branch after the work of an item began, the newest first: the tasks
// that landed, with what their executors wrote of them, and other commits.
func (b *branch) since(ctx context.Context, i queue.Item, files []string) (string, error) {
	home, err := git.Locate(b.project.Dir)
	if err != nil {
		return "", err
	}
	args := []string{"--literal-pathspecs", "log", "-z", "--no-color", "--no-show-signature",
		fmt.Sprintf("--max-count=%d", maxOthers), "--format=%H %s", i.Staged.Commit + "^..refs/heads/" + b.merge.Target,
		"--"}
	commits, err := home.Git().List(ctx, append(args, files...)...)
	if err != nil {
		return "", fmt.Errorf("find what %s conflicts with: %w", i.Name(), err)
	}
	var all strings.Builder
	for _, line := range commits {
		commit, subject, _ := strings.Cut(line, " ")
		at := slices.IndexFunc(b.doc.Items, func(i queue.Item) bool { return i.Landed == commit })
		if at < 0 {
			fmt.Fprintf(&all, "- commit %.12s of `%s`: %s\n", commit, b.merge.Target, text.Sanitize(subject))
			continue
		}
		all.WriteString(b.describeOther(b.doc.Items[at]))
	}
	if all.Len() == 0 {
		return "", nil
	}
	return "What changed these files since the task started. Preserve its purpose:\n\n" + all.String(), nil
}

// describeOther returns the number, title and submission of another task, for an executor whose work has to fit.
func (b *branch) describeOther(i queue.Item) string {
	line := fmt.Sprintf("- %s (%s)", i.Name(), text.Sanitize(i.Title))
	summary := ""
	if of, err := b.queue.Task(i); err == nil {
		if s, err := of.World(); err == nil {
			summary, _ = of.Store.ReadText(s, core.SubmissionText) // the line says the most of it
		}
	}
	if summary = strings.TrimSpace(text.CutBytes(summary, otherBytes)); summary == "" {
		return line + "\n"
	}
	return line + ", whose executor wrote:\n\n" + indent(land.Bounded(summary)) + "\n\n"
}

// indent puts a text into a quotation.
func indent(s string) string {
	return "  > " + strings.ReplaceAll(s, "\n", "\n  > ")
}
