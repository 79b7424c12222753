package view

import "ferrus/ui/text"

// Spot is what a comment was written on: lines of one side of a file, and what the diff
// had of them. The zero Spot is the change as a whole.
type Spot struct {
	Path       string
	Old        bool // on the side that the task began with
	Line, Last int  // the first line, from 1, and the last; 0: the whole file
	// Empty in a draft that was written just now.
	Hunk                 string
	Quote, Before, After []string
}

// CommentState is what became of a comment.
type CommentState uint8

// The states of a comment.
const (
	CommentDraft CommentState = iota // not sent
	CommentOpen
	CommentDone
	CommentDeclined
)

// Comment is one of the human's comments on the diff.
type Comment struct {
	ID    string // c3; empty: a draft
	Round int    // 0: a draft
	Spot  Spot
	State CommentState
	Text  string
	From  string // the author, if not the human
	// The executor's answer, and the executor's id.
	Answer, By string
	Place
}

// Place is where the diff that is shown has a comment.
type Place struct {
	File       string // path in this diff; empty: above all files
	Line, Last int    // in the numbers of the comment's side; 0: below the heading of the file
	Why        string // why that is not where it was written; empty: it is
}

// Where names what the comment was written on: fetch.go:12-14.
func (s Spot) Where() string { return text.Position(s.Path, s.Line, s.Last, s.Old) }
