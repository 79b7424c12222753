package ui

import (
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/view"
	"strings"
	"testing"
)

func several() view.View {
	v := asked(work())
	v.Inbox = append(v.Inbox,
		view.InboxItem{ID: "hold:stop", Kind: "hold", Text: "held by /stop", Hint: "/resume continues",
			Tone: style.Warn, Type: "/resume"},
		view.InboxItem{ID: "session:executor:1", Kind: "session", Text: "the executor stopped after 7 errors",
			Hint: "/resume executor", Tone: style.Bad, Pane: 2, Type: "/resume executor"},
		view.InboxItem{ID: "config", Kind: "config", Text: "ferrus.toml:3: no", Tone: style.Bad})
	return v
}

func TestTheInboxAnswersAndJumps(t *testing.T) {
	b := openAt(t, several(), 120, 40)
	b.shows("inbox 4")
	b.press("/inbox", "enter")
	b.shows("▸ question", "executor asks: should retries", "hold          held by /stop", "Enter answer")
	b.press("enter", "no", "enter")
	b.wanted(intent.SaveHistory{Line: "/inbox"}, intent.SaveHistory{Line: "no"},
		intent.Answer{Ask: *asked(work()).Ask, Text: "no"})
	b.press("/inbox", "enter", "down", "enter")
	b.shows("> /resume")
	b.press("enter")
	b.wanted(intent.SaveHistory{Line: "/inbox"}, intent.SaveHistory{Line: "/resume"}, ran{"resume", ""})
	b.press("/inbox", "enter", "up", "up", "g")
	b.shows("Keys go to 2 executor")
	b.press("ctrl+]", "/inbox", "enter", "up", "enter")
	b.shows("status")
	b.press("esc", "half", "ctrl+o", "n")
	b.shows("╭ question")
	b.press("esc", "ctrl+o", "n", "enter")
	b.shows("The prompt is not empty", "? half")
}

// An item with more lines than fit says so, and can be read on a page that scrolls.
func TestALongItemCanBeRead(t *testing.T) {
	v := several()
	v.Inbox[1].Text = strings.Repeat("word ", 400) + "the end"
	v.Inbox[2].Read = "/resume"
	b := openAt(t, v, 80, 24)
	b.press("/inbox", "enter")
	if frame := b.frame(); strings.Contains(frame, "read all") {
		t.Errorf("an item that is shown in full offers more to read:\n%s", frame)
	}
	b.press("down")
	b.shows("more lines: r", "r read all")
	b.press("r")
	b.shows("word word", "1-18 of 27")
	b.press("pgdown")
	b.shows("the end")
	b.press("esc")
	b.shows("inbox", "▸ hold")
	b.press("down", "r")
	b.wanted(intent.SaveHistory{Line: "/inbox"}, ran{"resume", ""})
}

// A request for permission has a pane, but is read before it is answered.
func TestNextOpensWhatIsToBeRead(t *testing.T) {
	v := work()
	v.Inbox = []view.InboxItem{{ID: "permission:3", Kind: "permission", Text: "executor:x:1 wants to run: make",
		Pane: 2, Type: "/permit 3 ", Read: "/permit 3"}}
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "n")
	b.shows("╭ inbox", "▸ permission", "Enter type it", "g pane 2", "r read all")
	b.press("g")
	b.shows("Keys go to 2 executor")
}

// A pane without a session does not promise one while trust is missing.
func TestEmptyPanesTellOfMissingTrust(t *testing.T) {
	var v view.View
	b := openAt(t, v, 120, 40)
	b.shows("/task <what to do>", "start a task")
	v.Inbox = []view.InboxItem{{ID: "trust:x", Kind: view.KindTrust, Text: "not trusted: x", Type: "/trust"}}
	b.send(ViewMsg{v})
	b.shows("start once you trust")
	if frame := b.frame(); strings.Contains(frame, "start a task") {
		t.Errorf("a session is promised:\n%s", frame)
	}
}

func TestWhatIsPutOffDoesNotAsk(t *testing.T) {
	b := openAt(t, several(), 120, 40)
	b.press("/inbox", "enter", "s")
	b.shows("snoozed: executor asks", "s wake", "inbox 3")
	b.press("esc")
	b.shows("! held by /stop", "> ")
	b.press("no", "enter")
	b.shows("Press Enter again to send this to the executor")
	b.press("ctrl+u", "/inbox", "enter", "s", "esc")
	b.shows("? executor asks")
	b.press("/inbox", "enter", "s", "esc")
	gone := several()
	gone.Ask, gone.Inbox = nil, gone.Inbox[1:]
	b.send(ViewMsg{gone}, ViewMsg{several()})
	b.shows("inbox 4", "? executor asks")
}

// An item that was snoozed stays so while another task is selected, and the same item of that task does not.
func TestASnoozedItemIsOfItsTask(t *testing.T) {
	of := func(task string) view.View {
		v := several()
		v.Tasks = view.Tasks{Selected: task, Rows: []view.TaskRow{{ID: "t-1", Title: "One"}, {ID: "t-2", Title: "Two"}}}
		v.Inbox[0].ID = task + view.ItemOf + "question:4"
		return v
	}
	b := openAt(t, of("t-1"), 120, 40)
	b.press("/inbox", "enter", "s", "esc")
	b.shows("inbox 3")
	b.send(ViewMsg{of("t-2")})
	b.shows("inbox 4", "? executor asks")
	b.send(ViewMsg{of("t-1")})
	b.shows("inbox 3")
	gone := of("t-2")
	gone.Tasks.Rows = gone.Tasks.Rows[1:]
	b.send(ViewMsg{gone}, ViewMsg{of("t-1")})
	b.shows("inbox 4")
}

func TestTheLeaderGoesThroughWhatWaits(t *testing.T) {
	b := openAt(t, several(), 120, 40)
	b.press("ctrl+o", "n")
	b.shows("╭ question")
	b.press("esc", "ctrl+o", "n")
	b.shows("▸ hold")
	b.press("esc", "ctrl+o", "n")
	b.shows("Keys go to 2 executor")
	b.press("ctrl+]", "ctrl+o", "n")
	b.shows("▸ config")
	b.press("esc", "ctrl+o", "n")
	b.shows("╭ question")
	v := several()
	v.Ask, v.Inbox = nil, nil
	b.send(ViewMsg{v})
	b.press("esc", "ctrl+o", "n")
	b.shows("Nothing needs you")
	b.press("/inbox", "enter")
	b.shows("Nothing waits for you")
	b.press("down", "enter", "s", "g", "esc", "x")
	b.shows("> executor  x")
}

func TestTheInboxShrinksUnderTheHand(t *testing.T) {
	b := openAt(t, several(), 60, 20)
	b.press("/inbox", "enter", "up")
	b.shows("▸ config")
	v := several()
	v.Inbox = v.Inbox[:2]
	b.send(ViewMsg{v})
	b.shows("▸ hold")
	b.press("down")
	b.shows("▸ question")
}

// The page of a question closes when the question is answered elsewhere or withdrawn: only its
// title would be left.
func TestAWithdrawnQuestionLeavesNoPage(t *testing.T) {
	v := work()
	v.Ask = &view.Ask{Kind: view.Question, Ticket: 3, Who: "executor", Text: "Which methods?"}
	v.Inbox = []view.InboxItem{{ID: "question 3", Ask: true, Text: "Which methods?"}}
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "n")
	b.shows("╭ question", "Which methods?")
	v.Ask, v.Inbox = nil, nil
	b.send(ViewMsg{v})
	if b.m.Dialog() != dialog.None {
		t.Errorf("still open:\n%s", b.frame())
	}
}

// TestTheQuestionComesFirst checks that the line over the prompt shows the question that plain text
// answers, whatever else waits.
func TestTheQuestionComesFirst(t *testing.T) {
	v := asked(work())
	v.Inbox = append([]view.InboxItem{
		{ID: "command", Text: "act as you? ferrus reset", Hint: "/allow", Tone: style.Bad},
	}, v.Inbox...)
	b := openAt(t, v, 120, 40)
	b.shows("? executor asks: should retries", "inbox 2")
	b.hides("act as you?")
	b.press("ctrl+o", "n", "esc", "ctrl+o", "n")
	b.shows("act as you?")
}

// A command in another terminal is announced while the line shows a question.
func TestACommandBehindAQuestionIsAnnounced(t *testing.T) {
	v := asked(work())
	b := open80(t, v)
	v.Inbox = append([]view.InboxItem{{ID: "command:1", Kind: view.KindCommand, Text: "act as you? ferrus approve"}},
		v.Inbox...)
	b.send(ViewMsg{v})
	b.shows("should retries apply to POST too?", "Act as you? ferrus approve")
}
