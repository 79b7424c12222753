package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/ui/text"
)

// reviewFlags are the flags of ferrus review.
type reviewFlags struct {
	from, pull, note string
	drafts, yes      bool
}

func reviewCommand(std *streams) *cobra.Command {
	var f reviewFlags
	c := &cobra.Command{
		Use:   "review",
		Short: "Send comments on the change as one round, or show those of all rounds",
		Long: `Shows your comments on the change of the open task by round, with the executor's
answers. With --from, --drafts or --pull-request it sends a round. During review the round
rejects the submission; while the executor works, it is a message; after the approval it
returns the task, which counts against no limit. The executor answers each comment (done, or
why not) before it can submit; ferrus diff and F4 in HQ show comments and answers.

--from reads a Markdown file, or standard input with -. A second-level heading starts a
comment and says what it is about; the text below it is the comment:

  ## fetch.go:12
  Use the context.

  ## fetch.go:40-45 (old)
  Why is this gone?

  ## README.md
  Say so here.

(old) means the lines before the task. Text above the first heading is about the whole
change.

--pull-request reads the review comments of a pull request with gh, shows them with their
authors, and asks before it sends them: you did not write them.`,
		Example: "  ferrus review\n  ferrus review --from review.md\n  ferrus review --pull-request 42\n" +
			"  ferrus review --drafts --note \"Good, except for these.\"",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from == "" && f.pull == "" && !f.drafts {
				return printReview(std)
			}
			return sendReview(cmd.Context(), std, f)
		},
	}
	c.Flags().StringVar(&f.from, "from", "", "send the comments of this Markdown file")
	c.Flags().StringVar(&f.pull, "pull-request", "", "send the review comments of this pull request")
	c.Flags().BoolVar(&f.drafts, "drafts", false, "send the comments you drafted in HQ")
	c.Flags().StringVar(&f.note, "note", "", "a sentence above the comments")
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask for confirmation")
	c.MarkFlagsMutuallyExclusive("from", "pull-request", "drafts")
	return taskFlag(std, c)
}

// printReview prints all rounds, and what was not sent.
func printReview(std *streams) error {
	pr, err := std.chosen(openProject())
	if err != nil {
		return err
	}
	state, err := pr.World()
	if err != nil {
		return err
	}
	set, err := pr.Comments(state)
	if err != nil {
		return err
	}
	drafts, err := pr.Drafts()
	if err != nil {
		return err
	}
	if len(set.Comments)+len(drafts) == 0 {
		std.sayNone("there are no comments on the change")
		return nil
	}
	fmt.Fprint(std.out, text.SanitizeLines(set.Markdown()))
	if len(drafts) > 0 {
		fmt.Fprintf(std.out, "## %s not sent\n", text.Count(len(drafts), "comment"))
		printDrafts(std.out, drafts)
	}
	return nil
}

func printDrafts(out io.Writer, drafts []comments.Draft) {
	for _, d := range drafts {
		by := ""
		if d.From != "" {
			by = " by " + d.From
		}
		fmt.Fprintf(out, "\n### %s%s\n\n%s\n", text.Sanitize(d.Where()), text.Sanitize(by),
			strings.TrimSpace(text.SanitizeLines(d.Text)))
	}
}

// sendReview sends a round.
func sendReview(ctx context.Context, std *streams, f reviewFlags) error {
	pr, err := std.chosenAsHuman("review")
	if err != nil {
		return err
	}
	drafts, err := readDrafts(ctx, std, pr, f)
	if err != nil {
		return err
	}
	if f.pull != "" && !f.yes {
		printDrafts(std.out, drafts)
		if !std.canAsk {
			return misuse("you did not write these comments, and there is no terminal to confirm them",
				"run: ferrus review --pull-request "+f.pull+" --yes")
		}
		if !std.confirm(fmt.Sprintf("\nsend %s to the executor?", text.Count(len(drafts), "comment")), false) {
			return failure("not sent: nothing changed")
		}
	}
	how, result, err := pr.SendComments(ctx, drafts, f.note)
	if err != nil {
		return err
	}
	if f.drafts {
		err = pr.SaveDrafts(nil)
	}
	fmt.Fprintf(std.out, "%s sent as a %s; the task is %s\n", text.Count(len(drafts), "comment"), how, result.State)
	return errors.Join(err, printContinue(std, pr, result.State))
}

// maxReview bounds a file of comments.
const maxReview = 1 << 20

// readDrafts reads the comments that a round is made of, with what the diff has of their
// lines.
func readDrafts(ctx context.Context, std *streams, pr *project.Task, f reviewFlags) ([]comments.Draft, error) {
	if f.drafts {
		all, err := pr.Drafts()
		if err == nil && len(all) == 0 {
			err = failure("there are no comments to send", "in HQ: F4, then c on a line")
		}
		return all, err
	}
	var all []comments.Draft
	var err error
	if f.pull != "" {
		var data string
		if data, err = workflow.NewForge(pr).ReviewComments(ctx, f.pull); err == nil {
			all, err = comments.ParsePullRequest(data)
		}
	} else {
		var source string
		if source, err = readText(std, f.from, maxReview); err != nil {
			return nil, err
		}
		if all, err = comments.ParseMarkdown(source); err != nil {
			err = fmt.Errorf("read %s: %w", f.from, err)
		}
	}
	if err != nil {
		return nil, err
	}
	now, err := pr.CommentedDiff(ctx, 0, diffRoom)
	if err != nil {
		return nil, err
	}
	diff := comments.NewDiff(project.CommentFiles(now.Files))
	for i := range all {
		all[i].Spot = diff.Quoted(all[i].Spot)
	}
	return all, nil
}

// diffRoom is how much of a change is printed.
var diffRoom = checks.PatchLimits{File: 1 << 20, All: 16 << 20, Files: 5000}
