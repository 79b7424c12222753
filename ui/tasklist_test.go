package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// queued returns a view with a number of tasks, the first of which is selected: every third needs
// you, and every fourth has not started.
func queued(n int) view.View {
	v := work()
	v.Tasks.Selected = "t-1"
	for i := 1; i <= n; i++ {
		r := view.TaskRow{ID: fmt.Sprintf("t-%d", i), Number: fmt.Sprintf("#%d", i), Title: fmt.Sprintf("Task %d", i),
			State: view.State{Text: "Executing"}, Needs: i%3 == 0}
		if i%4 == 0 {
			r.ID, r.Why = "", "waits for #1"
		}
		v.Tasks.Rows = append(v.Tasks.Rows, r)
	}
	return v
}

func selects(id string) intent.Intent { return intent.SelectTask{ID: id} }

func TestKeysSelectATask(t *testing.T) {
	b := openAt(t, queued(6), 120, 40)
	b.shows("6 tasks", "#6 Task 6", "waits for #1")
	b.press("j") // at the prompt it is a letter
	b.wanted()
	b.press("ctrl+u", "ctrl+o", "l", "down")
	b.wanted(selects("t-2"))
	b.press("down", "down") // the fourth has not started
	b.wanted(selects("t-3"))
	b.press("enter")
	b.shows("#4 has not started: waits for #1")
	b.press("n")
	b.wanted(selects("t-6"))
	b.press("end", "down", "home")
	b.wanted(selects("t-6"), selects("t-6")) // the view has not followed; the first is selected already
	b.press("down", "enter")
	b.wanted(selects("t-2"), selects("t-2"))
	b.press("x")
	b.shows("> executor  x")
}

// When a task ends, another one may be selected by itself: what was asked about the first is not answered for the
// second.
func TestAQuestionAboutATaskEndsWithIt(t *testing.T) {
	v := queued(6)
	v.Tasks.Number = "#1"
	b := openAt(t, v, 120, 40)
	b.press("/reset", "enter")
	b.shows("Reset?")
	next := queued(6)
	next.Tasks.Selected, next.Tasks.Number = "t-2", "#2"
	b.send(ViewMsg{next})
	b.shows("What was open was about #1, which is not selected any more")
	b.press("y")
	b.shows("> executor  y")
	b.wanted(intent.SaveHistory{Line: "/reset"})
}

// The cursor stays on its task when the order of the list changes.
func TestTheCursorFollowsItsTask(t *testing.T) {
	v := queued(3)
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "l", "down")
	b.wanted(selects("t-2"))
	moved := queued(3)
	moved.Tasks.Selected = "t-2"
	moved.Tasks.Rows[0], moved.Tasks.Rows[1], moved.Tasks.Rows[2] = v.Tasks.Rows[2], v.Tasks.Rows[0], v.Tasks.Rows[1]
	b.send(ViewMsg{moved})
	b.press("up")
	b.wanted(selects("t-1"))
}

func TestFilterOfTasks(t *testing.T) {
	b := openAt(t, queued(30), 120, 40)
	b.press("ctrl+o", "l", "/", "sk 2")
	b.shows("30 tasks /sk 2", "11 of 30", "#29 Task 29")
	if strings.Contains(b.frame(), "Task 3 ") {
		t.Error("a task that does not match is listed")
	}
	b.press("backspace", "backspace", "backspace", "backspace", "#2", "enter")
	b.wanted(selects("t-2")) // the panes show what the cursor is on
	b.shows("Esc lists all, / changes the filter")
	b.press("esc", "/", "sk ", "enter", "down")
	b.wanted(selects("t-2"))
	b.press("/", "zzz")
	b.shows("No task matches zzz")
	b.press("enter", "down")
	b.wanted()
	b.press("esc")
	b.shows("#1 Task 1")
}

func TestTheListIsHiddenAndAPage(t *testing.T) {
	b := openAt(t, queued(3), 120, 40)
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	if strings.Contains(b.frame(), "3 tasks") {
		t.Error("F5 does not hide the list")
	}
	b.press("ctrl+o", "l")
	b.shows("Tasks: Up and Down select")
	b = open80(t, queued(3))
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	if got := b.m.Dialog(); got != dialog.KindTasks {
		t.Fatalf("F5 opens %v", got)
	}
	b.press("down", "enter")
	b.wanted(selects("t-2"))
	b = open80(t, queued(4))
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	b.press("up", "enter")
	b.shows("#4 has not started: waits for #1")
	if got := b.m.Dialog(); got != dialog.KindTasks {
		t.Fatalf("then %v is open", got)
	}
	b = open80(t, work())
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	b.shows("There is no other task")
}

// A list of many items scrolls by pages and to its ends, and the wheel stops there. A single line wraps around.
func TestAListOfManyItemsScrolls(t *testing.T) {
	b := open80(t, queued(40))
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	for _, step := range []struct{ key, on string }{{"pgdown", "#11"}, {"end", "#40"}, {"pgup", "#30"}, {"home", "#1"},
		{"pgup", "#1"}, {"up", "#40"}, {"pgdown", "#40"}, {"down", "#1"}} {
		b.press(step.key)
		b.shows("▸ " + step.on + " ")
	}
	b.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	b.shows("▸ #1 ")
}

// In rows of one line titles have two thirds, and more where the details leave it.
func TestTitlesOfManyTasksFit(t *testing.T) {
	long := view.TaskRow{Number: "#10", Title: "Add retry with backoff", Why: "3 of 3 tasks are running"}
	if got := nameColumns([]view.TaskRow{long}, 28); got != 15 {
		t.Errorf("beside a long detail a name has %d columns, want 15", got)
	}
	long.Why = "done"
	if got := nameColumns([]view.TaskRow{long}, 28); got != 19 {
		t.Errorf("beside a short detail a name has %d columns, want 19", got)
	}
}

func TestClickSelectsATask(t *testing.T) {
	b := openAt(t, queued(3), 120, 40)
	b.send(tea.MouseClickMsg{X: 5, Y: 5, Button: tea.MouseLeft}) // the second line of the second
	b.wanted(selects("t-2"))
}

// Text typed into a pane is for the task that the screen shows.
func TestTypingNamesItsTask(t *testing.T) {
	b := openAt(t, queued(2), 120, 40)
	b.press("ctrl+o", "2", "y")
	b.wanted(intent.Input{Task: "t-1", Slot: "executor", Data: []byte("y")})
}

// The key for what needs you also leads to another task.
func TestNextGoesToAnotherTask(t *testing.T) {
	v := queued(3)
	v.Inbox = []view.InboxItem{{ID: "task:t-3", Task: "t-3", Text: "#3 Task 3: a question is open"}}
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "n")
	b.wanted(selects("t-3"))
}

// Every row of the screen has the full width with any number of tasks, in any size.
func TestFramesWithTasksAreWhole(t *testing.T) {
	for _, n := range []int{1, 4, 40} {
		for _, size := range [][2]int{{60, 20}, {99, 30}, {100, 26}, {120, 40}, {200, 60}} {
			b := openAt(t, queued(n), size[0], size[1])
			b.press("ctrl+o", "l", "end")
			rows := strings.Split(b.frame(), "\n")
			if len(rows) != size[1] {
				t.Errorf("%d tasks at %v: %d rows", n, size, len(rows))
			}
		}
	}
}

// TestEveryRowSaysWhy checks that a row says why its task waits or what it does, even in one line.
func TestEveryRowSaysWhy(t *testing.T) {
	for _, n := range []int{4, 40} {
		for _, size := range [][2]int{{100, 26}, {120, 40}, {200, 60}} {
			b := openAt(t, queued(n), size[0], size[1])
			for row := range strings.SplitSeq(b.frame(), "\n") {
				if listed, _, _ := strings.Cut(row, "││"); strings.Contains(listed, "Task ") && n == 40 &&
					!strings.Contains(listed, "Executing") && !strings.Contains(listed, "waits for #1") {
					t.Errorf("%d tasks at %v: no reason in %q", n, size, listed)
				}
			}
			b.shows("waits for #1")
		}
	}
}

// TestTheListIsClosedAboveWhatCoversIt checks that if a notice of several rows covers its lower
// border, the list of tasks has one above that, as panes have.
func TestTheListIsClosedAboveWhatCoversIt(t *testing.T) {
	b := openAt(t, queued(30), 120, 40)
	b.send(DoneMsg{Text: strings.Repeat("many words ", 30)})
	rows := strings.Split(b.frame(), "\n")
	for i, row := range rows {
		if strings.Contains(row, "Many words") {
			if !strings.HasPrefix(rows[i-1], "╰─") {
				t.Errorf("above the notice the list is open: %q", rows[i-1])
			}
			return
		}
	}
	t.Errorf("there is no notice:\n%s", strings.Join(rows, "\n"))
}

// TestTheTasksAreCountedInANarrowHeader checks that the number of tasks that need you has priority
// over the counters of one.
func TestTheTasksAreCountedInANarrowHeader(t *testing.T) {
	for _, w := range []int{60, 80, 120} {
		v := queued(3)
		v.Status.Tasks, v.Status.Title = "2 running  1 needs you", strings.Repeat("a long title ", 9)
		b := openAt(t, v, w, 24)
		if head, _, _ := strings.Cut(b.frame(), "\n"); !strings.Contains(head, "1 needs you") {
			t.Errorf("%d columns: %q", w, head)
		}
	}
}

// A list that does not fit says which of its rows are drawn, at the left as on the page.
func TestTheListSaysWhereItIs(t *testing.T) {
	for _, c := range []struct {
		w, h        int
		first, last string
	}{{120, 28, "1-22 of 28", "7-28 of 28"}, {60, 20, "1-12 of 28", "17-28 of 28"}} {
		b := openAt(t, queued(28), c.w, c.h)
		b.press("ctrl+o", "l")
		b.shows(c.first)
		b.press("up")
		if c.w > 100 {
			b.press("end")
		}
		b.shows(c.last)
	}
	if b := openAt(t, queued(5), 120, 40); strings.Contains(b.frame(), "of 5") {
		t.Error("a list that fits has a position")
	}
}

// Where each task has one line, its activity starts in the same column, whatever the titles,
// numbers and ages.
func TestRowsOfOneLineAreAligned(t *testing.T) {
	v := queued(40)
	for i := range v.Tasks.Rows {
		r := &v.Tasks.Rows[i]
		r.Why, r.State.Text = "@doing", ""
		r.Title += strings.Repeat(" long", i%5)
		r.Age = []string{"", "now", "12m"}[i%3]
	}
	for _, w := range []int{100, 120, 200} {
		b := openAt(t, v, w, 40)
		b.shows("#9 Task 9")
		columns := map[int]bool{}
		for _, line := range strings.Split(b.frame(), "\n") {
			if before, _, found := strings.Cut(line, "@doing"); found {
				columns[text.Width(before)] = true
			}
		}
		if len(columns) != 1 {
			t.Errorf("at %d columns what tasks do begins in the columns %v:\n%s", w, columns, b.frame())
		}
	}
}

// A command that names another task runs once that task is shown, and not at all if another one is
// selected meanwhile or the human interrupts.
func TestACommandForAnotherTask(t *testing.T) {
	v, other := queued(3), queued(3)
	v.Tasks.Number = "#1"
	other.Tasks.Selected, other.Tasks.Number = "t-2", "#2"
	b := openAt(t, v, 120, 40)
	const line = "/tell #2/executor hello"
	b.press(line, "enter")
	b.wanted(intent.SaveHistory{Line: line}, selects("t-2"))
	b.send(ViewMsg{v})
	b.wanted()
	b.send(ViewMsg{other})
	b.wanted(ran{"tell", "executor hello"})
	b.send(ViewMsg{v}, ViewMsg{other})
	b.wanted()

	for _, key := range []string{"ctrl+c", "ctrl+o"} {
		b.send(ViewMsg{v})
		if b.press(line, "enter", key); key == "ctrl+o" {
			b.press("l", "n", "enter")
		}
		b.wants = nil
		b.send(ViewMsg{other})
		b.wanted()
	}
}

// The page has the keys of the list, and shows what changes while it is open.
func TestKeysOfTheTaskPage(t *testing.T) {
	v := queued(12)
	v.Tasks.Rows[1].Needs = true
	b := open80(t, v)
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	b.shows("/ filter", "n needs you")
	b.press("n", "enter")
	b.wanted(selects("t-2"))
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	b.press("/", "sk 1")
	b.shows("tasks /sk 1", "#12 Task 12", "Enter accept")
	if strings.Contains(b.frame(), "Task 2 ") {
		t.Error("a task that does not match is listed")
	}
	b.press("enter", "down", "up", "enter")
	b.wanted(selects("t-1"))
	b.send(tea.KeyPressMsg{Code: tea.KeyF5})
	b.press("/", "zzz", "enter")
	b.shows("No task matches zzz")
	b.press("enter", "n")
	b.wanted()
	b.press("esc")
	b.shows("#1 Task 1")
	renamed := queued(12)
	renamed.Tasks.Rows[0].Title = "Another title"
	b.send(ViewMsg{renamed})
	b.shows("#1 Another title")
	b.press("esc")
	if got := b.m.Dialog(); got != dialog.None {
		t.Errorf("then %v is open", got)
	}
}

// The wheel moves the list, even away from the chosen row; the next key brings that row back.
func TestTheWheelScrollsTheTasks(t *testing.T) {
	b := openAt(t, queued(40), 120, 28)
	wheel := func(button tea.MouseButton, times int) {
		for range times {
			b.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: button})
		}
	}
	b.shows("1-22 of 40")
	wheel(tea.MouseWheelUp, 1)
	b.shows("1-22 of 40")
	wheel(tea.MouseWheelDown, 2)
	b.shows("7-28 of 40")
	wheel(tea.MouseWheelDown, 20)
	b.shows("19-40 of 40")
	wheel(tea.MouseWheelUp, 1)
	b.shows("16-37 of 40")
	b.press("ctrl+o", "l")
	b.shows("16-37 of 40")
	b.press("down")
	b.shows("2-23 of 40")
	wheel(tea.MouseWheelDown, 1)
	b.shows("5-26 of 40")
	b.send(tea.MouseClickMsg{X: 5, Y: 4, Button: tea.MouseLeft})
	b.shows("5-26 of 40")
	b.wanted(selects("t-2"), selects("t-7"))
}

func TestOfCountsNoDotsAreLeft(t *testing.T) {
	r := view.TaskRow{Why: "asks for permission", Counts: "checks 2 demo"}
	for w, want := range map[int]string{
		18: "asks for permissi…", 19: "asks for permission", 23: "asks for permission",
		27: "asks for permission  check…", 34: "asks for permission  checks 2 demo",
	} {
		if got := cutDetail(r, w); got != want {
			t.Errorf("in %d cells: %q, want %q", w, got, want)
		}
	}
	r.Counts = "me"
	if got := cutDetail(r, 23); got != "asks for permission  me" {
		t.Errorf("counts that fit are left out: %q", got)
	}
}
