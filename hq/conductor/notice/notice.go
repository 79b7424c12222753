// Package notice has the sentences that a conductor has for the human: what it did, and what went wrong.
//
// Notices of several lists are merged by their numbers, which ascend over all lists of a process. They are kept in
// memory alone; what must not be lost is in the journal.
package notice

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
)

// A Notice is a sentence for the human.
type Notice struct {
	Number int64 // a later notice of this process has a higher one, though the clock was set
	At     time.Time
	Text   string
	Error  bool
	By     string // the terminal of the human who did what it tells, and need not be told; empty: none
}

// kept is the number of notices that are kept for the screen.
const kept = 100

// List has the newest hundred notices, oldest first. The zero value is ready to use, by one goroutine.
type List struct {
	All []Notice
	Log *slog.Logger // nil: no debug log
}

// Add adds a sentence; isError says that something went wrong.
func (n *List) Add(isError bool, format string, args ...any) {
	n.put(Notice{At: time.Now(), Text: fmt.Sprintf(format, args...), Error: isError})
}

// AddBy adds what a human did at the terminal by, for the humans at other terminals.
func (n *List) AddBy(by, text string) { n.put(Notice{At: time.Now(), Text: text, By: by}) }

// number is the number of the newest notice.
var number atomic.Int64

func (n *List) put(newest Notice) {
	newest.Number = number.Add(1)
	n.All = append(n.All, newest)
	if n.Log != nil {
		n.Log.Info("notice", "error", newest.Error, "text", newest.Text)
	}
	if extra := len(n.All) - kept; extra > 0 {
		n.All = append([]Notice(nil), n.All[extra:]...)
	}
}

// OneLine returns a text of several lines, such as joined errors, as one sentence.
func OneLine(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
}

// AddOnce adds a problem, unless it is the newest notice already.
func (n *List) AddOnce(text string) {
	text = OneLine(text)
	if last := len(n.All) - 1; last >= 0 && n.All[last].Text == text {
		return
	}
	n.Add(true, "%s", text)
}

// AddErrorOnce adds an error, unless it is nil or the newest notice already.
func (n *List) AddErrorOnce(err error) {
	if err != nil {
		n.AddOnce(err.Error())
	}
}
