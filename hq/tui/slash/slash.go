// Package slash is the table of HQ's slash commands: how each is typed, completed and
// explained, when it is not available, and what it does.
//
// [Table] is the only list of them. The prompt parses and completes lines with it, and
// F1 and the generated documents are made from it. A line parses into an intent about
// the screen or into a [Request], which runs on an [Env]. To add a command, add a row,
// and a type with the method Run if it needs one.
package slash

import (
	"context"

	"ferrus/hq/core"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
)

// Request is a command with its arguments, ready to run.
type Request interface {
	intent.Intent
	// Run does what the command is for. It may take long, and is called on a goroutine
	// of its own.
	Run(ctx context.Context, e *Env) (Result, error)
	// Line is the request as it would be typed, given back when it fails; empty: there
	// is nothing to type again.
	CommandLine() string
}

// once is embedded by requests that a human need not type again.
type once struct{}

// Intent implements [intent.Intent].
func (once) Intent() {}

// CommandLine is empty.
func (once) CommandLine() string { return "" }

// Result says how a request went: in a sentence, a page of Markdown, or a dialog.
type Result struct {
	Text  string
	Error bool // Text says what went wrong, though nothing has to be typed again
	Page  Page
	Slot  core.Slot // whose session was asked for: its pane gets the keys once it takes them
	// Dialog is opened. Later is what is said instead while the human does something
	// else; empty: it is opened all the same.
	Dialog dialog.Dialog
	Later  string
}

// Page is Markdown to read; without a title there is none.
type Page struct{ Title, Markdown string }

// report returns the result that is one sentence, or the error.
func report(text string, err error) (Result, error) { return Result{Text: text}, err }
