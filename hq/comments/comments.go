// Package comments keeps the human's comments on a task's diff, in rounds.
//
// A [Set] has all comments of one task. [Set.Send] adds a round of drafts, [Set.Resolve]
// takes the executor's answer to one, and [Place] finds where a comment belongs in a
// newer diff. [Set.Encode] and [Decode] convert a Set to and from a text of the task;
// [ParseMarkdown] and [ParsePullRequest] read drafts that were written elsewhere. The
// package is pure: its callers decide where the texts are kept, and who may send or
// answer.
package comments

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/ui/text"
)

// Side is a side of a diff.
type Side string

// The sides. A comment on a whole file, or on no file, has neither.
const (
	New Side = "new" // the tree that the executor made
	Old Side = "old" // the tree that the task began with
)

// Spot is what a comment is about. The zero Spot is the change as a whole.
type Spot struct {
	Path string `json:"path,omitempty"`
	Side Side   `json:"side,omitempty"`
	Line int    `json:"line,omitempty"` // the first line, from 1; 0: the whole file
	Last int    `json:"last,omitempty"` // the last line; 0: there is only one
	// What follows is copied from the diff that the comment was written on, so that the
	// comment can be read without it, and placed in another one.
	Hunk   string   `json:"hunk,omitempty"`   // the head of the hunk: @@ -1,2 +1,3 @@ func main
	Quote  []string `json:"quote,omitempty"`  // the lines
	Before []string `json:"before,omitempty"` // the lines above them on that side, three at most
	After  []string `json:"after,omitempty"`  // the lines below them on that side, three at most
}

// Draft is a comment that has not been sent.
type Draft struct {
	Spot
	Text string `json:"text"`           // Markdown
	From string `json:"from,omitempty"` // who wrote it, if it was not you: a login of a forge
}

// State is what became of a comment.
type State string

// The states of a comment.
const (
	Open     State = "open"
	Done     State = "done"     // the executor says that it did so
	Declined State = "declined" // the executor says why it did not
)

// Comment is a comment that was sent.
type Comment struct {
	ID    string `json:"id"` // c1, unique in the task
	Round int    `json:"round"`
	Draft
	State  State      `json:"state"`
	Answer string     `json:"answer,omitempty"` // the executor's words, which nothing proves
	By     string     `json:"by,omitempty"`     // who answered: an agent id
	At     *time.Time `json:"at,omitempty"`     // when it was answered
}

// How says what a round was sent as.
type How string

// The ways to send a round.
const (
	AsRejection How = "rejection" // of the submission under review
	AsMessage   How = "message"   // to the executor that works
	AsReturn    How = "return"    // of a task that was Complete
)

// Round is a batch of comments that was sent at once.
type Round struct {
	Number int       `json:"round"` // from 1
	At     time.Time `json:"at"`
	How    How       `json:"how"`
	// What changed since the round is what differs from Tree.
	Tree string `json:"tree,omitempty"` // that the comments are about; empty: it could not be read
	Base string `json:"base,omitempty"` // the tree that Tree was compared with
}

// Set is all comments of a task. The zero Set has none. Its methods leave it as it is and
// return another.
type Set struct {
	Rounds   []Round   `json:"rounds"`
	Comments []Comment `json:"comments"`
}

// Limits of a Set. What is longer belongs into the repository.
const (
	MaxComments = 1000     // of a task
	MaxText     = 16 << 10 // bytes of a comment or an answer
	maxQuote    = 40       // lines of a quote
	maxLine     = 400      // bytes of a quoted line
)

// Send adds a round of drafts. The caller fills in all of the round but its number.
func (s Set) Send(drafts []Draft, r Round) (Set, error) {
	if len(drafts) == 0 {
		return s, errors.New("there is no comment to send")
	}
	if len(s.Comments)+len(drafts) > MaxComments {
		return s, fmt.Errorf("a task has at most %d comments", MaxComments)
	}
	for i := range drafts {
		if err := drafts[i].validate(); err != nil {
			return s, err
		}
	}
	r.Number, r.At = len(s.Rounds)+1, r.At.UTC().Round(0)
	out := Set{append(slices.Clone(s.Rounds), r), slices.Clone(s.Comments)}
	for _, d := range drafts {
		d.Spot = d.Spot.bounded()
		d.Text = strings.TrimSpace(d.Text)
		out.Comments = append(out.Comments, Comment{ID: "c" + strconv.Itoa(len(out.Comments)+1), Round: r.Number,
			Draft: d, State: Open})
	}
	return out, nil
}

// validate returns an error if a draft cannot be sent.
func (d Draft) validate() error {
	switch at := d.Spot.Where(); {
	case strings.TrimSpace(d.Text) == "":
		return fmt.Errorf("the comment on %s has no text", at)
	case len(d.Text) > MaxText:
		return fmt.Errorf("the comment on %s is longer than %d bytes", at, MaxText)
	case strings.ContainsAny(d.Path, "\x00\n"):
		return fmt.Errorf("%.80q is not a path", d.Path)
	case d.Line < 0 || d.Last != 0 && d.Last < d.Line || d.Path == "" && d.Line != 0:
		return fmt.Errorf("the comment on %s names impossible lines", at)
	}
	if err := text.CheckEncoding(d.Text); err != nil {
		return fmt.Errorf("the comment on %s cannot be sent: %w", d.Spot.Where(), err)
	}
	return nil
}

// bounded returns the spot with its quoted lines cut to what is kept.
func (s Spot) bounded() Spot {
	if s.Line > 0 && s.Side == "" {
		s.Side = New
	}
	s.Hunk, s.Quote = shorten(s.Hunk), shortenAll(s.Quote, maxQuote)
	s.Before, s.After = shortenAll(s.Before, around), shortenAll(s.After, around)
	return s
}

// shorten cuts a line in the middle of nothing: between characters.
func shorten(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "")
}

func shortenAll(lines []string, most int) []string {
	var out []string
	for _, l := range lines[:min(len(lines), most)] {
		out = append(out, shorten(l))
	}
	return out
}

// Answer is what the executor says to some comments.
type Answer struct {
	IDs  []string // c1
	Done bool     // false: declined
	Text string   // Markdown; needed where it is declined
	By   string   // an agent id
	At   time.Time
}

// Resolve takes an answer. A comment that was answered already gets the newer answer. It
// fails, and changes nothing, if one of the comments does not exist or a reason is missing.
func (s Set) Resolve(a Answer) (Set, error) {
	a.Text = strings.TrimSpace(a.Text)
	switch {
	case len(a.IDs) == 0:
		return s, errors.New("the answer names no comment")
	case !a.Done && a.Text == "":
		return s, errors.New("declining a comment needs a reason")
	case len(a.Text) > MaxText:
		return s, fmt.Errorf("the answer is longer than %d bytes", MaxText)
	}
	out, at := Set{s.Rounds, slices.Clone(s.Comments)}, a.At.UTC().Round(0)
	for _, id := range a.IDs {
		i := slices.IndexFunc(out.Comments, func(c Comment) bool { return c.ID == id })
		if i < 0 {
			return s, fmt.Errorf("there is no comment %.20q", id)
		}
		c := &out.Comments[i]
		c.State, c.Answer, c.By, c.At = Declined, a.Text, a.By, &at
		if a.Done {
			c.State = Done
		}
	}
	return out, nil
}

// SplitIDs reads ids of comments as they are written: c1, c2.
func SplitIDs(ids string) []string {
	return strings.FieldsFunc(ids, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}

// Unresolved returns the comments that are open, oldest first.
func (s Set) Unresolved() []Comment {
	return slices.DeleteFunc(slices.Clone(s.Comments), func(c Comment) bool { return c.State != Open })
}

// Of returns the comments of a round.
func (s Set) Of(round int) []Comment {
	return slices.DeleteFunc(slices.Clone(s.Comments), func(c Comment) bool { return c.Round != round })
}

// Last returns the newest round; false if there is none.
func (s Set) Last() (Round, bool) {
	if len(s.Rounds) == 0 {
		return Round{}, false
	}
	return s.Rounds[len(s.Rounds)-1], true
}

// Where names the spot in a few words: fetch.go:12-14 (old side).
func (s Spot) Where() string { return text.Position(s.Path, s.Line, s.Last, s.Side == Old) }
