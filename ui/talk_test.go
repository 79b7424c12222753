package ui

import (
	"reflect"
	"slices"
	"testing"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// sends checks what was sent since the last call, except for history and completions.
func (b *fixture) sends(want ...intent.Intent) {
	b.Helper()
	var got []intent.Intent
	for _, i := range b.wants {
		switch i.(type) {
		case intent.SaveHistory, intent.LoadFiles:
		default:
			got = append(got, i)
		}
	}
	b.wants = nil
	if !reflect.DeepEqual(got, want) {
		b.Errorf("it wants %#v, not %#v", got, want)
	}
}

// TestTalk checks that plain text while agents work goes to one of them, named in front of the
// prompt, with a second Enter; Tab and a name with @ choose another.
func TestTalk(t *testing.T) {
	v := work()
	v.Panes = append(v.Panes, view.Pane{Slot: "reviewer", Living: true, Left: true, Born: -1,
		Title: view.Title{Number: 4, Name: "reviewer"}})
	b := openAt(t, v, 120, 40)
	b.shows("> executor", "Tab chooses another agent")
	b.press("use the table", "enter")
	b.shows("Press Enter again to send this to the executor")
	b.press("enter")
	b.sends(ran{"tell", "executor use the table"})
	b.press("tab")
	b.shows("> reviewer")
	b.press("look", "enter", "!", "enter")
	b.sends() // it was changed: one Enter does not send it
	b.press("enter")
	b.sends(ran{"tell", "reviewer look!"})
	v.Talk = true
	b.send(ViewMsg{v})
	b.press("@executor continue", "enter")
	b.sends(ran{"tell", "executor continue"})
	b.press("@main.go is wrong", "enter")
	b.sends(ran{"tell", "executor @main.go is wrong"})
	v.Ask = &view.Ask{Ticket: 3, Who: "executor", Text: "which?"}
	v.Inbox = []view.InboxItem{{ID: "question:3", Ask: true}}
	b.send(ViewMsg{v})
	b.press("the first", "enter")
	b.sends(intent.Answer{Ask: *v.Ask, Text: "the first"})
}

// TestTalkToTheNext checks that text goes to the next session while a task is open and no agent
// works; if there is none either, nothing suggests /reset.
func TestTalkToTheNext(t *testing.T) {
	v := work()
	v.Talk = true
	for i := range v.Panes {
		v.Panes[i].Living = false
	}
	v.Disabled = map[string]string{"task": "the task is Executing; /reset archives it"}
	b := openAt(t, v, 120, 40)
	b.press("@executor mind the table", "enter")
	b.sends(ran{"tell", "executor mind the table"})
	v.Panes = nil
	b.send(ViewMsg{v})
	b.press("hello", "enter")
	b.shows("no agent is working that could read this")
}

// TestNoAgentIsChosenForAnAnswer checks that while plain text answers a consultation, Tab chooses
// no other agent, and the key line does not offer it.
func TestNoAgentIsChosenForAnAnswer(t *testing.T) {
	v := work()
	v.Panes[0].Living = true
	b := openAt(t, v, 120, 40)
	b.shows("Tab other agent")
	v.Ask = &view.Ask{Kind: view.Consultation, Ticket: 3, Who: "executor", Text: "which?"}
	v.Inbox = []view.InboxItem{{ID: "consultation:3", Ask: true, Delegated: true}}
	b.send(ViewMsg{v})
	b.hides("Tab other agent")
}

// TestATextStaysWithItsAgent checks that text goes to the agent that was shown when it was begun,
// whichever agent starts meanwhile; if that one has ended, the text goes to another only after you
// are asked.
func TestATextStaysWithItsAgent(t *testing.T) {
	v := work()
	v.Talk = true
	b := openAt(t, v, 120, 40)
	b.press("use the")
	consultant := view.Pane{Slot: "consultant", Living: true, Left: true, Born: 3,
		Title: view.Title{Number: 3, Name: "consultant"}}
	with := v
	with.Panes = append(slices.Clone(v.Panes), consultant)
	b.send(ViewMsg{with})
	b.shows("> executor  use the")
	b.press(" table", "enter")
	b.sends(ran{"tell", "executor use the table"})
	b.shows("> consultant") // the newest

	b.send(ViewMsg{v})
	b.press("and the list")
	gone := with
	gone.Panes = slices.Clone(with.Panes)
	gone.Panes[1].Living = false
	b.send(ViewMsg{gone})
	b.press("enter")
	b.sends()
	b.shows("The executor has ended. Press Enter again to send this to the consultant")
	b.press("enter")
	b.sends(ran{"tell", "consultant and the list"})
}

// TestTabWithOneAgent checks that with only one agent to talk to, Tab on an empty prompt says so
// and types nothing.
func TestTabWithOneAgent(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("tab")
	b.shows("Only the executor gets plain text now")
	b.press("@executor hello")
	b.shows("> executor  @executor hello")
	v := work()
	v.Panes = nil
	b = openAt(t, v, 120, 40)
	b.press("tab")
	b.shows("> /")
}
