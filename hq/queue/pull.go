package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/store"
)

// ViaPull means that staged work lands by a pull request.
const ViaPull = "pr"

// PullStep is the next step of a pull request that ferrus takes.
type PullStep string

// The steps. Each is recorded before it is taken, and may be taken again after a kill.
const (
	PullMake   PullStep = "make"   // the commit has to be made, which failed before
	PullPush   PullStep = "push"   // the commit has to be on the branch of the remote
	PullOpen   PullStep = "open"   // the branch has to have a pull request
	PullWait   PullStep = "wait"   // the forge is asked what became of it
	PullReturn PullStep = "return" // the task has to take what the forge said
	PullIdle   PullStep = ""       // its task continues, or the item has ended
)

// Pull is the pull request of an item. It stays while its task continues, and the next submission updates it.
type Pull struct {
	PullPlace
	Commit string    `json:"commit"` // that is, or has to be, on the branch
	At     time.Time `json:"at"`     // of the submission that it was made of
	Former string    `json:"former"` // that the branch may be at before; empty: there is none
	ID     string    `json:"id,omitzero"`
	URL    string    `json:"url,omitzero"`
	Step   PullStep  `json:"step,omitzero"`
	Why    string    `json:"why,omitzero"`  // what it waits for, in words
	Held   PullHold  `json:"held,omitzero"` // why that is you
	Other  string    `json:"other,omitzero"`
	Skip   string    `json:"skip,omitzero"` // a closed pull request, which is not mistaken for this one
	Seen   []string  `json:"seen,omitempty"`
}

// PullPlace is where a pull request is.
type PullPlace struct {
	Remote string `json:"remote"`
	Base   string `json:"base"`   // branch of the remote that it is merged into
	Branch string `json:"branch"` // of the remote, that is pushed
	From   string `json:"from"`   // commit of the base when it was pushed
	// It has landed, and your own branch does not have it yet: what depends on it waits.
	Away bool `json:"away,omitzero"`
}

// PullHold says why a pull request needs you. Other is a commit that it is about.
type PullHold string

// The holds.
const (
	PullNotHeld PullHold = ""
	PullStuck   PullHold = "stuck" // the forge, git or the signer fails
	// It continues only when you say so: a signer may ask you for something each time.
	PullUnsigned PullHold = "unsigned"
	PullForced   PullHold = "force-pushed" // the branch is at a commit that ferrus did not push
	PullClosed   PullHold = "closed"
	PullMoved    PullHold = "moved"      // it goes into another branch, or is gone
	PullLies     PullHold = "not in git" // it is reported as merged, and git does not have it
	PullDiffers  PullHold = "differs"
)

// ErrMovedOn says that an item is no longer what a step was for.
var ErrMovedOn = errors.New("it has moved on")

// NotePull changes what is recorded of the pull request of an item, without a row of the table.
func (q *Queue) NotePull(ctx context.Context, by core.Actor, n int, event string, texts map[string]string,
	change func(*Item) (why string, err error)) error {
	_, err := q.update(ctx, by, machine.Kind(event), func(tx *store.Tx[Document]) (string, error) {
		return changePull(tx, n, texts, change)
	})
	return err
}

// StepPull takes a row of the table for an item with a pull request. A refusal is a *machine.Refusal.
func (q *Queue) StepPull(ctx context.Context, by core.Actor, n int, e machine.Event, event string,
	texts map[string]string, change func(*Item) (why string, err error)) error {
	_, err := q.update(ctx, by, machine.Kind(event), func(tx *store.Tx[Document]) (string, error) {
		return changePull(tx, n, texts, func(i *Item) (string, error) {
			why, err := change(i)
			if err == nil {
				err = i.step(by.Role, e)
			}
			return why, err
		})
	})
	return err
}

func changePull(tx *store.Tx[Document], n int, texts map[string]string,
	change func(*Item) (string, error)) (string, error) {
	at := tx.World.Index(n)
	if at < 0 {
		return "", unknown(n)
	}
	i := &tx.World.Items[at]
	if i.Pull != nil {
		copied := *i.Pull
		copied.Seen = slices.Clone(copied.Seen)
		i.Pull = &copied
	}
	why, err := change(i)
	for name, text := range texts {
		tx.SetText(name, text)
	}
	return joinWords(i.Name(), why), err
}

// ByPull reports whether the item waits for its pull request.
func (i Item) ByPull() bool {
	return i.State == queue.StateStaged && i.Staged != nil && i.Staged.Via == ViaPull
}

// IsHeldPull reports whether the item waits for its pull request, which waits for you. Once you have
// decided, the reason is gone.
func (i Item) IsHeldPull() bool {
	return i.ByPull() && i.Pull.IsFor(i.Staged) && i.Pull.Held != PullNotHeld && i.Pull.Why != ""
}

// PullContinues reports whether the next step of the pull request has no need to wait for the forge, such as after your
// decision.
func (i Item) PullContinues() bool {
	return i.ByPull() && i.Pull.IsFor(i.Staged) && i.Pull.Why == "" &&
		(i.Pull.Step == PullPush || i.Pull.Step == PullOpen)
}

// IsAway reports whether the item landed by a pull request and your own branch does not have it yet.
func (i Item) IsAway() bool { return i.State == queue.StateLanded && i.Pull != nil && i.Pull.Away }

// ClosesPull reports whether the item ended without landing, and its pull request is still open.
func (i Item) ClosesPull() bool {
	return i.State == queue.StateCancelled && i.Pull != nil && i.Pull.ID != "" && i.Pull.Step != PullIdle
}

// IsFor reports whether the pull request has the work that is staged.
func (p *Pull) IsFor(s *Staged) bool { return p != nil && s != nil && p.At.Equal(s.At) }

// describePull says what a staged item waits for, and whether that is you.
func (i Item) describePull() (words string, needs bool) {
	p := i.Pull
	switch {
	case !p.IsFor(i.Staged):
		return "its pull request is prepared", false
	case i.IsHeldPull():
		return "needs you: " + p.Why, true
	case p.ID == "" || i.PullContinues():
		return orWords(p.Why, "its branch is pushed"), false
	}
	return fmt.Sprintf("pull request %s: %s", p.ID, orWords(p.Why, "waits for the forge")), false
}

func orWords(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// FinishPull ends a pull request whose item has ended.
func (q *Queue) FinishPull(ctx context.Context, n int, words string) error {
	return q.NotePull(ctx, project.FerrusActor(), n, "pull_closed", nil, func(i *Item) (string, error) {
		if i.Pull != nil {
			i.Pull.Step, i.Pull.Why = PullIdle, words
		}
		return words, nil
	})
}

// pullCar returns where a pull request is, as the strip shows it.
func (i Item) pullCar() MergeCar {
	car := MergeCar{N: i.N, State: CarPull}
	if i.IsHeldPull() {
		car.Why = string(i.Pull.Held)
	}
	return car
}

// PullLine says in one line where the work lands, and what its pull request waits for.
func (i Item) PullLine() string {
	words, _ := i.describePull()
	line := i.Staged.Target + " < " + i.Name() + ": " + words
	if i.Pull != nil && i.Pull.URL != "" {
		line += " (" + i.Pull.URL + ")"
	}
	return line
}

// Again has the work pushed, and a pull request found or opened, once more.
func (p *Pull) Again() {
	switch p.Held {
	case PullForced:
		p.Former = p.Other
	case PullMoved, PullDiffers, PullLies:
		p.Skip, p.ID, p.URL = p.ID, "", ""
	}
	if p.Why, p.Other = "", ""; p.Step != PullMake {
		p.Step = PullPush
	}
	if p.Held != PullClosed { // which is reopened
		p.Held = PullNotHeld
	}
}

// Address returns its URL, or its id if the forge has none.
func (p *Pull) Address() string { return orWords(p.URL, p.ID) }
