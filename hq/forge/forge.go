// Package forge opens the pull requests of tasks and asks a forge about them, with gh or with a command
// of yours.
//
// [New] returns the forge that a project uses. [Forge.Find] and [Forge.Open] make sure that a branch has
// exactly one pull request: ask Find before you call Open, also after a kill. They return what the forge
// reports, bounded and without control characters. It is only a claim: the caller asks git whether a commit
// is on a branch.
//
// [Runner] runs the programs. Their git uses ferrus's own configuration, so it runs nothing
// that the repository configures.
package forge

import (
	"context"
	"errors"
	"strings"

	"ferrus/ui/text"
)

// Forge is where pull requests are.
type Forge interface {
	// Find returns the pull request of a branch: the one with the request's ID, if it has one. Its State is empty
	// if there is none.
	Find(ctx context.Context, r Request) (Pull, error)
	// Open opens a pull request for a branch that was pushed, or reopens the one with the request's ID.
	Open(ctx context.Context, r Request) (Pull, error)
	// Close closes it. One that is closed or merged stays so.
	Close(ctx context.Context, r Request) error
}

// Request names a pull request. As JSON, with an action, it is what a command of [merge] publish reads.
type Request struct {
	Task   string `json:"task"`
	Branch string `json:"branch"` // of the remote, without refs/heads/
	Commit string `json:"commit"` // that it is at, once it was pushed
	Base   string `json:"base"`   // branch that it is to be merged into
	Remote string `json:"remote"` // name in the repository
	Title  string `json:"title"`
	Body   string `json:"body"`         // Markdown
	ID     string `json:"id,omitempty"` // of the pull request; empty: none is known
}

// State is a state of a pull request.
type State string

// The states.
const (
	None   State = ""
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed" // and not merged
)

// Pull is what the forge reports of a pull request. As JSON it is what a command of [merge] publish answers.
type Pull struct {
	ID        string    `json:"id"`
	URL       string    `json:"url,omitempty"`
	State     State     `json:"state"`
	Head      string    `json:"head,omitempty"`         // commit that it is at
	Base      string    `json:"base,omitempty"`         // branch that it is to be merged into
	Commit    string    `json:"merge_commit,omitempty"` // merged: the commit of the base that has it
	Conflicts bool      `json:"conflicts,omitempty"`    // it does not merge
	Waits     string    `json:"waits,omitempty"`        // what it waits for, in words
	Checks    []Check   `json:"checks,omitempty"`
	Comments  []Comment `json:"comments,omitempty"`
}

// Result is what became of a check.
type Result string

// The results. A check that has neither failed nor is pending has passed.
const (
	Pending Result = "pending"
	Passed  Result = "passed"
	Failed  Result = "failed"
)

// Check is a check of the forge.
type Check struct {
	Name  string `json:"name"`
	State Result `json:"state"`
	URL   string `json:"url,omitempty"`
	Text  string `json:"text,omitempty"` // the end of its log
}

// Comment is a comment of a review.
type Comment struct {
	ID       string `json:"id"`
	Author   string `json:"author"`
	Path     string `json:"path,omitempty"` // empty: it is about the whole change
	Line     int    `json:"line,omitempty"`
	Text     string `json:"text"`
	Demands  bool   `json:"demands"`            // it asks for a change; another one is only shown beside
	Stranger bool   `json:"stranger,omitempty"` // its author may not write to the repository, and asks for nothing
}

// Limits of what is taken from a forge.
const (
	maxChecks   = 200
	maxComments = 200
	maxLine     = 400      // bytes of a name, a path or an address
	maxText     = 4 << 10  // bytes of a comment, or of the log of a check
	maxAnswer   = 16 << 20 // bytes of what a program prints
)

// Errors that you can do something about.
var (
	ErrNotInstalled = errors.New("it is not installed")
	ErrLoggedOut    = errors.New("it is not logged in")
)

// Error is a forge that could not be asked.
type Error struct {
	Doing string // open the pull request
	Fix   string // the way out; empty: try again
	Err   error
}

func (e *Error) Error() string { return e.Doing + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// bounded returns a pull request without control characters, cut to the lengths that are
// kept.
func (p Pull) bounded() Pull {
	p.ID, p.URL, p.Base, p.Waits = cleanLine(p.ID), cleanLine(p.URL), cleanLine(p.Base), cleanLine(p.Waits)
	p.Head, p.Commit = cleanLine(p.Head), cleanLine(p.Commit)
	p.Checks, p.Comments = p.Checks[:min(len(p.Checks), maxChecks)], p.Comments[:min(len(p.Comments), maxComments)]
	for i, c := range p.Checks {
		p.Checks[i] = Check{cleanLine(c.Name), c.State, cleanLine(c.URL), lastBytes(text.SanitizeLines(c.Text))}
	}
	for i, c := range p.Comments {
		c.ID, c.Author, c.Path, c.Line = cleanLine(c.ID), cleanLine(c.Author), cleanLine(c.Path), max(c.Line, 0)
		c.Text = text.CutBytes(strings.TrimSpace(text.SanitizeLines(c.Text)), maxText)
		p.Comments[i] = c
	}
	return p
}

// cleanLine returns a text as one line that is bounded.
func cleanLine(s string) string { return text.CutBytes(strings.TrimSpace(text.Sanitize(s)), maxLine) }

// lastBytes returns the end of a log, from the beginning of a line.
func lastBytes(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= maxText {
		return s
	}
	s = s[len(s)-maxText:]
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		s = rest
	}
	return strings.ToValidUTF8(s, "")
}
