package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

func TestAlertsComeOnce(t *testing.T) {
	b := open80(t, work())
	b.send(tea.FocusMsg{}, ViewMsg{asked(work())})
	b.wanted() // they see it
	b.send(ViewMsg{work()}, tea.BlurMsg{}, ViewMsg{asked(work())}, ViewMsg{asked(work())})
	b.wanted(intent.Notify{Text: "acme-api: executor asks: should retries apply to POST too?"})
	v := asked(work())
	v.Inbox = append(v.Inbox, view.InboxItem{ID: "a", Text: "held"}, view.InboxItem{ID: "b", Text: "failed"},
		view.InboxItem{ID: "c", Text: "the consultant answers", Delegated: true})
	b.send(ViewMsg{v})
	b.wanted(intent.Notify{Text: "acme-api: held, and 1 more"})
	if got := b.m.View().WindowTitle; got != "(3) ferrus acme-api: Executing" {
		t.Errorf("the title is %q", got)
	}
	v.Inbox = append(v.Inbox, view.InboxItem{ID: "d", Text: strings.Repeat("long ", 100)})
	b.send(ViewMsg{v})
	if n := b.wants[0].(intent.Notify); text.Width(n.Text) > 160 {
		t.Errorf("a notification of %d cells", text.Width(n.Text))
	}
}

func TestATerminalThatDoesNotTellOfFocus(t *testing.T) {
	b := open80(t, work())
	b.press("x")
	b.now = b.now.Add(absence / 2)
	b.send(ViewMsg{asked(work())})
	b.wanted()
	b.send(ViewMsg{work()})
	b.now = b.now.Add(absence + time.Second)
	b.send(ViewMsg{asked(work())})
	b.wanted(intent.Notify{Text: "acme-api: executor asks: should retries apply to POST too?"})
}

func TestWhatTheEditorLeavesAnswersWhatWasAskedThen(t *testing.T) {
	v := asked(work())
	b := open80(t, v)
	b.press("no", "ctrl+o", "e")
	b.wanted(intent.Edit{Text: "no"})
	later := asked(work())
	later.Ask = &view.Ask{Kind: view.Question, Ticket: 99, Who: "reviewer", Text: "is this still wanted?"}
	b.send(ViewMsg{later}, EditedMsg{Text: "no,\n\tonly for GET\n\n"})
	b.press("enter")
	b.wanted(intent.SaveHistory{Line: "no,\n    only for GET"},
		intent.Answer{Ask: *v.Ask, Text: "no,\n    only for GET"})
	b.press("ctrl+o", "e")
	b.wanted(intent.Edit{Text: ""})
	b.send(EditedMsg{Error: "the editor ended with 1"})
	b.shows("The editor ended with 1")
	b.send(EditedMsg{Text: strings.Repeat("x", prompt.MaxAttached+1)})
	b.shows("and a prompt takes 1,048,576")
	long := "/reject " + strings.Repeat("x", prompt.MaxText)
	b.send(EditedMsg{Text: long})
	b.shows("/reject [paste 1: 65,536 bytes]")
	b.press("enter")
	b.wanted(ran{"reject", long[len("/reject "):]})
	b.send(EditedMsg{Text: "/reject\n- no test\n- no docs\n"})
	b.press("enter")
	b.wanted(intent.SaveHistory{Line: "/reject\n- no test\n- no docs"}, ran{"reject", "- no test\n- no docs"})
}
