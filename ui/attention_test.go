package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/text"
	"ferrus/ui/view"
)

func TestWhoIsAwayIsToldOnce(t *testing.T) {
	b := open80(t, work())
	b.send(tea.FocusMsg{}, ViewMsg{asked(work())})
	b.wanted() // they see it
	b.send(ViewMsg{work()}, tea.BlurMsg{}, ViewMsg{asked(work())}, ViewMsg{asked(work())})
	b.wanted(Notify{"acme-api: executor asks: should retries apply to POST too?"})
	v := asked(work())
	v.Inbox = append(v.Inbox, view.InboxItem{ID: "a", Text: "held"}, view.InboxItem{ID: "b", Text: "failed"}, view.InboxItem{ID: "c", Text: "the consultant answers", Delegated: true})
	b.send(ViewMsg{v})
	b.wanted(Notify{"acme-api: held, and 1 more"})
	if got := b.m.View().WindowTitle; got != "(3) ferrus acme-api: Executing" {
		t.Errorf("the title is %q", got)
	}
	v.Inbox = append(v.Inbox, view.InboxItem{ID: "d", Text: strings.Repeat("long ", 100)})
	b.send(ViewMsg{v})
	if n := b.wants[0].(Notify); text.Width(n.Text) > 160 {
		t.Errorf("%d cells", text.Width(n.Text))
	}
}

func TestATerminalThatDoesNotTellOfFocus(t *testing.T) {
	b := open80(t, work())
	b.press("x")
	b.now = b.now.Add(absent / 2)
	b.send(ViewMsg{asked(work())})
	b.wanted()
	b.send(ViewMsg{work()})
	b.now = b.now.Add(absent + time.Second)
	b.send(ViewMsg{asked(work())})
	b.wanted(Notify{"acme-api: executor asks: should retries apply to POST too?"})
}

func TestWhatTheEditorLeavesAnswersWhatWasAskedThen(t *testing.T) {
	v := asked(work())
	b := open80(t, v)
	b.press("no", "ctrl+o", "e")
	b.wanted(OpenEditor{"no"})
	later := asked(work())
	later.Ask = &view.Ask{Kind: view.Question, Ticket: 99, Who: "reviewer", Text: "is this still wanted?"}
	b.send(ViewMsg{later}, WrittenMsg{Text: "no,\n\tonly for GET\n\n"})
	b.press("enter")
	b.wanted(SaveHistory{"no,\n    only for GET"}, Answer{*v.Ask, "no,\n    only for GET"})
	b.press("ctrl+o", "e")
	b.wanted(OpenEditor{""})
	b.send(WrittenMsg{Error: "the editor ended with 1"})
	b.shows("the editor ended with 1")
	b.send(WrittenMsg{Text: strings.Repeat("x", maxPrompt+1)})
	b.shows("more than the prompt takes")
	b.send(WrittenMsg{Text: "/reject\n- no test\n- no docs\n"})
	b.press("enter")
	b.wanted(SaveHistory{"/reject\n- no test\n- no docs"}, Reject{"- no test\n- no docs"})
}
