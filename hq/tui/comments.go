package tui

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/comments"
	"ferrus/hq/tui/projection"
	"ferrus/hq/tui/slash"
	"ferrus/ui"
	"ferrus/ui/view"
)

// unsavedDrafts are comments that the human has written and that are not on the disk yet.
type unsavedDrafts struct {
	mu     sync.Mutex
	newest []comments.Draft // guarded by mu
	number int              // of the newest, guarded by mu
	saved  int              // the number that is on the disk, guarded by mu
}

// put takes newer drafts, and returns their number.
func (u *unsavedDrafts) put(all []comments.Draft) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.newest, u.number = all, u.number+1
	return u.number
}

// written notes that the drafts of a number are on the disk.
func (u *unsavedDrafts) written(number int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.saved = max(u.saved, number)
}

// waiting returns the drafts, if they are not on the disk yet.
func (u *unsavedDrafts) waiting() ([]comments.Draft, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.newest, u.saved < u.number
}

// keepComments keeps the comments that were not sent, in the order in which they were
// written.
func (a *app) keepComments(drafts []view.Comment) tea.Cmd {
	if a.Commands.Comments == nil {
		return nil
	}
	all := projection.Drafts(drafts)
	number := a.drafts.put(all)
	return a.ordered.add(func() {
		if err := a.Commands.Comments.SaveDrafts(all); err != nil {
			a.program.Send(ui.DoneMsg{Text: "keep the comments: " + err.Error(), Error: true})
			return // They are on the screen, and the next change tries again.
		}
		a.drafts.written(number)
	})
}

// sendComments sends the comments as one round, and then keeps none. It loads the diff
// again: it shows them as sent.
func (a *app) sendComments(drafts []view.Comment) tea.Msg {
	done, _ := a.run(slash.SendComments{Drafts: projection.Drafts(drafts)}).(ui.DoneMsg)
	if !done.Error {
		a.drafts.written(a.drafts.put(nil))
	}
	return a.diff(0, done)
}
