package comments

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"strconv"
	"strings"

	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// Brief returns a round as Markdown for the executor: each comment with its id, its
// place, its hunk and lines, and its text.
func (s Set) Brief(round int) string {
	all := s.Of(round)
	var b strings.Builder
	fmt.Fprintf(&b, "%s on the change, round %d. Act on each comment, then call resolve_comment with its id: "+
		"done, or declined with the reason. submit is refused while one is open.\n",
		text.Count(len(all), "comment"), round)
	for i := range all {
		b.WriteString("\n" + all[i].brief())
	}
	return b.String()
}

// brief returns one comment for the executor.
func (c *Comment) brief() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", c.ID, text.Sanitize(c.Where()))
	if c.Hunk != "" {
		fmt.Fprintf(&b, "Hunk: `%s`\n\n", strings.ReplaceAll(text.Sanitize(c.Hunk), "`", "'"))
	}
	if len(c.Quote) > 0 {
		b.WriteString(Fence("diff", c.quoted()) + "\n\n")
	}
	if c.From != "" {
		fmt.Fprintf(&b, "%s wrote:\n\n%s\n", text.Sanitize(c.From), Fence("", c.Text))
		return b.String()
	}
	b.WriteString(strings.TrimRight(c.Text, "\n") + "\n")
	return b.String()
}

// quoted returns the lines of a spot as lines of a diff.
func (s Spot) quoted() string {
	mark := "+"
	if s.Side == Old {
		mark = "-"
	}
	return mark + strings.Join(s.Quote, "\n"+mark)
}

// Markdown returns all rounds as Markdown, with the answers: for a report, and to read.
// Text that an agent or another person wrote is fenced.
func (s Set) Markdown() string {
	var b strings.Builder
	for _, r := range s.Rounds {
		all := s.Of(r.Number)
		fmt.Fprintf(&b, "## Round %d: %s, sent as a %s\n", r.Number, text.Count(len(all), "comment"), r.How)
		for i := range all {
			c := &all[i]
			fmt.Fprintf(&b, "\n%s", c.brief())
			switch {
			case c.State == Open:
				b.WriteString("\nOpen.\n")
			case c.Answer == "":
				fmt.Fprintf(&b, "\n%s: %s.\n", text.Sanitize(c.By), c.State)
			default:
				fmt.Fprintf(&b, "\n%s: %s.\n\n%s\n", text.Sanitize(c.By), c.State, Fence("", c.Answer))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Fence returns a text in a fence that nothing in it ends, with its hidden characters
// spelled out.
func Fence(language, body string) string {
	mark := "```"
	for strings.Contains(body, mark) {
		mark += "`"
	}
	return mark + language + "\n" + text.Escape(strings.TrimRight(body, "\n")) + "\n" + mark
}

// heading is the heading of a comment in a file: ## path, ## path:12, ## path:12-14 (old).
var heading = lazyregexp.New(`^## +(.+?)(?::([0-9]+)(?:-([0-9]+))?)?(?: +\((old|new)(?: side)?\))?$`)

// ParseMarkdown reads drafts from a file. A heading of the second level begins a comment
// and says what it is about; the text below it, up to the next one, is the comment.
// Text above the first heading is about the whole change; a title is left out.
func ParseMarkdown(source string) ([]Draft, error) {
	var all []Draft
	now, fenced := Draft{}, ""
	end := func() {
		if now.Text = strings.TrimSpace(now.Text); now.Text != "" || now.Path != "" {
			all = append(all, now)
		}
	}
	for number, line := range strings.Split(strings.ReplaceAll(source, "\r\n", "\n"), "\n") {
		bare := strings.TrimLeft(line, " ")
		switch {
		case fenced != "":
			if strings.HasPrefix(bare, fenced) && strings.Trim(bare, "`~ ") == "" {
				fenced = ""
			}
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			fenced = bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
		case strings.HasPrefix(line, "# ") && now.Path == "" && strings.TrimSpace(now.Text) == "":
			continue
		case strings.HasPrefix(line, "## "):
			end()
			var err error
			if now, err = headed(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", number+1, err)
			}
			continue
		}
		now.Text += line + "\n"
	}
	end()
	for i := range all {
		if err := all[i].validate(); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errors.New("it has no comments")
	}
	return all, nil
}

// headed returns the draft that a heading begins.
func headed(line string) (Draft, error) {
	found := heading.FindStringSubmatch(strings.TrimRight(line, " \t"))
	if found == nil {
		return Draft{}, fmt.Errorf("%.80q names no place: write ## path:line", line)
	}
	d := Draft{Spot: Spot{Path: strings.Trim(found[1], "`")}}
	for i, into := range []*int{&d.Line, &d.Last} {
		if found[i+2] == "" {
			continue
		}
		n, err := strconv.Atoi(found[i+2])
		if err != nil || n == 0 {
			return Draft{}, fmt.Errorf("%.80q names no line: lines count from 1", line)
		}
		*into = n
	}
	if d.Last == d.Line {
		d.Last = 0
	}
	if d.Last != 0 && d.Last < d.Line {
		return Draft{}, fmt.Errorf("%.80q ends before it starts", line)
	}
	if d.Line > 0 {
		if d.Side = New; found[4] == "old" {
			d.Side = Old
		}
	}
	return d, nil
}

// pullComment is a comment of a pull request as the API of GitHub has it.
type pullComment struct {
	ID        int64  `json:"id"`
	ReplyTo   int64  `json:"in_reply_to_id"`
	Path      string `json:"path"`
	Side      string `json:"side"`
	Line      int    `json:"line"`
	StartLine int    `json:"start_line"`
	Original  int    `json:"original_line"`
	Body      string `json:"body"`
	User      struct {
		Login string `json:"login"`
	} `json:"user"`
}

// ParsePullRequest reads drafts from the review comments of a pull request: what
// `gh api repos/{owner}/{repo}/pulls/{number}/comments` prints, one JSON array or several.
// A reply joins the comment that it answers.
func ParsePullRequest(data string) ([]Draft, error) {
	var all []Draft
	index := map[int64]int{}
	decoder := json.NewDecoder(strings.NewReader(data))
	for decoder.More() {
		var page []pullComment
		if err := decoder.Decode(&page); err != nil {
			return nil, fmt.Errorf("read the comments of the pull request: %w", err)
		}
		for _, c := range page {
			if i, ok := index[c.ReplyTo]; ok && c.ReplyTo != 0 {
				all[i].Text += "\n\n" + c.User.Login + ": " + c.Body
				index[c.ID] = i
				continue
			}
			index[c.ID] = len(all)
			all = append(all, c.draft())
		}
	}
	for i := range all {
		if err := all[i].validate(); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the pull request has no review comments")
	}
	return all, nil
}

func (c pullComment) draft() Draft {
	d := Draft{Spot: Spot{Path: c.Path, Line: c.Line}, Text: c.Body, From: c.User.Login}
	d.Line = cmp.Or(d.Line, c.Original)
	if c.StartLine > 0 && c.StartLine < d.Line {
		d.Line, d.Last = c.StartLine, d.Line
	}
	if d.Line > 0 {
		if d.Side = New; c.Side == "LEFT" {
			d.Side = Old
		}
	}
	return d
}
