package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/comments"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

func diffCommand(std *streams) *cobra.Command {
	round := 0
	c := &cobra.Command{
		Use:   "diff",
		Short: "Show what the task changed, with your comments on it",
		Long: `Prints what the open task changed since it started, file by file, with your comments below
their lines: open comments, answered ones on one line each, and drafts from HQ. A comment
whose lines are no longer in the diff is below the name of its file. Of binary files only
the names are printed.

With --round it prints what changed since that round of comments was sent; --round -1 is
the newest. Files that only the branch changed in the meantime are left out.`,
		Example: "  ferrus diff | less\n  ferrus diff --round -1",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pr, err := std.chosen(openProject())
			if err != nil {
				return err
			}
			d, err := pr.CommentedDiff(cmd.Context(), round, diffRoom)
			if err != nil {
				return err
			}
			printCommentedDiff(std.out, d)
			return nil
		},
	}
	c.Flags().IntVar(&round, "round", 0, "show what changed since this round of comments; -1: the newest")
	return taskFlag(std, c)
}

// noted is a comment as it is printed, and where.
type noted struct {
	comments.Placed
	old   bool
	lines []string
}

// printCommentedDiff prints a change with the comments on it.
func printCommentedDiff(out io.Writer, d project.CommentedDiff) {
	files := project.CommentFiles(d.Files)
	notes := notesOf(comments.NewDiff(files), d)
	print := func(here func(noted) bool) {
		for _, n := range notes {
			if here(n) {
				for _, l := range n.lines {
					fmt.Fprintln(out, l)
				}
			}
		}
	}
	print(func(n noted) bool { return n.File < 0 })
	for i, f := range d.Files {
		fmt.Fprintf(out, "=== %s  +%d -%d\n", f.Title(text.Sanitize), f.Added, f.Removed)
		print(func(n noted) bool { return n.File == i && n.Line == 0 })
		if f.Binary {
			fmt.Fprintln(out, "binary: press o in the diff of HQ (F4) to show it as text")
		}
		comments.EachLine(f.Patch, func(line string, old, new int) {
			if !f.Binary {
				fmt.Fprintln(out, text.Output(line))
			}
			print(func(n noted) bool {
				last := max(n.Line, n.Last)
				return n.File == i && n.Line > 0 && (n.old && last == old || !n.old && last == new)
			})
		})
		if f.Cut && !f.Binary {
			fmt.Fprintln(out, "the rest is too long to show")
		}
	}
	if len(d.Files) == 0 {
		fmt.Fprintln(out, "no changes")
	}
}

// notesOf returns the comments of a task as they are printed.
func notesOf(diff *comments.Diff, d project.CommentedDiff) (all []noted) {
	add := func(head string, s comments.Spot, texts ...string) {
		n := noted{Placed: diff.Place(s), old: s.Side == comments.Old}
		if n.Fit != comments.Same && s.Path != "" && s.Line > 0 {
			head += " (" + text.Sanitize(s.Where()) + ")"
		}
		n.lines = append(n.lines, "  # "+head)
		for _, words := range texts {
			for line := range strings.SplitSeq(strings.TrimSpace(text.SanitizeLines(words)), "\n") {
				n.lines = append(n.lines, "  # | "+line)
			}
		}
		all = append(all, n)
	}
	for _, c := range d.Set.Comments {
		head := fmt.Sprintf("%s, round %d: %s", c.ID, c.Round, c.State)
		if c.State != comments.Open {
			add(head+": "+text.Sanitize(text.FirstLine(c.Text)), c.Spot,
				cmp.Or(c.Answer, string(c.State)))
			continue
		}
		add(head, c.Spot, c.Text)
	}
	for _, c := range d.Drafts {
		add("draft", c.Spot, c.Text)
	}
	return all
}
