package conductor

import (
	"fmt"
	"slices"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/session"
)

// Inbox returns everything that needs you, most urgent first.
func (v View) Inbox() []advice.InboxItem {
	all := append(pairItem(v.Pair), advice.Inbox(v.State.World, v.inboxFacts())...)
	if v.StateError != "" || v.Gate.Of == "landing" && v.Gate.Running {
		return all
	}
	return append(all, queue.LandingHere(v.State.World)...)
}

// checkoutKinds are the kinds of needs that sessions without a row in the queue can have.
var checkoutKinds = []advice.InboxKind{advice.ItemQuestion, advice.ItemPermission, advice.ItemSession,
	advice.ItemTrouble, advice.ItemSilent, advice.ItemPair}

// OfSessions returns what the sessions of the view, and a pair, need of you.
func (v View) OfSessions() []advice.InboxItem {
	others := func(i advice.InboxItem) bool { return !slices.Contains(checkoutKinds, i.Kind) }
	return slices.DeleteFunc(v.Inbox(), others)
}

// SessionsNeed returns what the sessions of a task need of you that its state does not say; empty: nothing.
func (v View) SessionsNeed() string {
	for _, item := range v.Inbox() {
		switch item.Kind {
		case advice.ItemHost, advice.ItemSession, advice.ItemTrouble, advice.ItemSilent:
			return item.Text
		}
	}
	return ""
}

// inbox returns the inbox as it can be seen now, with what the queue asks; its tasks have conductors of their
// own.
func (c *Conductor) inbox() []advice.InboxItem {
	v := c.View()
	return slices.Concat(v.Inbox(), queue.Asks(v.Tasks, v.Merges), queue.Landings(v.Tasks))
}

// inboxFacts returns what the inbox needs beside the World.
func (v View) inboxFacts() advice.InboxFacts {
	f := advice.InboxFacts{
		Problem: v.StateError, Config: v.ConfigError, Question: v.Texts.Question, Consult: v.Texts.Consult,
		Untrusted: v.Gate.Untrusted, Hosts: v.Hosts,
	}
	f.Silent = v.Silent
	for _, c := range project.Continued(v.Journal) {
		if c.Damaged {
			f.Continued = append(f.Continued, c.Why)
		}
	}
	f.Over = v.Over
	for _, a := range v.Accounts {
		f.Accounts = append(f.Accounts, advice.UsedUp{Agent: a.Agent, Since: a.Since, Words: a.Words(time.Now())})
	}
	for _, a := range v.Asking {
		f.Commands = append(f.Commands, advice.AskingCommand{
			Number: a.Number, Line: a.Text, From: a.From, Why: a.Why, Since: a.Since,
		})
	}
	if v.Workflow != nil {
		f.Workflow = v.Workflow.Need()
	}
	for _, p := range v.Panes {
		if p.Trouble != "" {
			f.Troubled = append(f.Troubled, advice.TroubledSession{
				Slot: p.Slot, Number: p.Session, Agent: p.Agent, Words: p.Trouble, Since: p.Started,
			})
		}
		if p.State == session.Stopped && p.Errors > 0 && !p.Stopping {
			f.Stopped = append(f.Stopped, advice.StoppedSession{
				Slot: p.Slot, Number: p.Session, Errors: p.TotalErrors, Exit: p.Exit, Since: p.Since,
			})
		}
	}
	return f
}

// pairItem returns what a pair waits for.
func pairItem(p *PairView) []advice.InboxItem {
	if p == nil || p.Running || p.Resume == "" {
		return nil
	}
	return []advice.InboxItem{{
		ID: fmt.Sprint("pair:", p.ID, p.Ended.UnixNano()), Kind: advice.ItemPair, Since: p.Ended,
		Text: p.Why, Do: p.Resume, Type: p.Resume,
	}}
}
