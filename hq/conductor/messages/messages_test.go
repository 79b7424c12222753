package messages

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

func newDelivery(t *testing.T) Delivery {
	p := hqtest.NewProject(t, nil)
	return Delivery{Project: p, Notices: &notice.List{}, Long: LongTexts{Project: p}}
}

// fileIn returns the file that a text refers to.
func fileIn(t *testing.T, text string) string {
	t.Helper()
	_, rest, _ := strings.Cut(text, "Read the whole file ")
	file, _, found := strings.Cut(rest, " first")
	if !found {
		t.Fatalf("%.200q does not refer to a file", text)
	}
	return file
}

// All messages share the room of one prompt. A message that does not fit goes into a file.
func TestLongMessagesAreFiles(t *testing.T) {
	t.Parallel()
	l := newDelivery(t).Long
	short, half := "Use a map.", strings.Repeat("x", inlineText/2+1)
	got, err := l.Messages("t-1", []project.Message{
		{ID: "1", Text: half}, {ID: "2", Text: half + "y"}, {ID: "3", Text: short},
	})
	hqtest.Must(t, err)
	parts := strings.Split(got, "\n\n")
	if len(parts) != 3 || parts[0] != half || parts[2] != short {
		t.Fatalf("%d parts with %d bytes, want the first and the last message in the text", len(parts), len(got))
	}
	if data, err := os.ReadFile(fileIn(t, parts[1])); err != nil || string(data) != half+"y\n" {
		t.Errorf("the file has %d bytes, %v; want the second message", len(data), err)
	}
}

func TestALongRequestIsAFileUntilForgotten(t *testing.T) {
	t.Parallel()
	l := newDelivery(t).Long
	if got, err := l.Request("t-1", "short"); err != nil || got != "short" {
		t.Errorf("Request = %q, %v; want the text itself", got, err)
	}
	long := strings.Repeat("x", inlineText+1)
	got, err := l.Request("t-1", long)
	hqtest.Must(t, err)
	if again, err := l.Request("t-1", long); err != nil || again != got {
		t.Errorf("the second session gets %q, %v; want %q", again, err, got)
	}
	file := fileIn(t, got)
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	hqtest.Must(t, l.ForgetRequest("t-1", long))
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the forgotten request's file: %v, want that it does not exist", err)
	}
}

// A message stays until a session that has it has ended well, and goes to its own slot only.
func TestAMessageStaysUntilItsSessionHasActed(t *testing.T) {
	t.Parallel()
	m := newDelivery(t)
	for _, slot := range []core.Slot{core.SlotExecutor, core.SlotExecutor, core.SlotReviewer} {
		hqtest.Must(t, m.Project.PostMessage(slot, "for the "+string(slot)))
	}
	all := m.Reconcile()
	found := m.Undelivered(all)
	if len(found[core.SlotExecutor]) != 2 || len(found[core.SlotReviewer]) != 1 {
		t.Fatalf("undelivered are %+v, want 2 for the executor and 1 for the reviewer", found)
	}
	m.MarkGiven("s1", found[core.SlotExecutor][:1])
	m.MarkGiven("s1", found[core.SlotReviewer])
	m.Acknowledge(core.SlotExecutor, "s1", "t-1")
	left := m.Read()
	if len(left) != 2 || left[0].Given != "" || left[1].Slot != core.SlotReviewer {
		t.Errorf("left are %+v, want the executor's second message and the reviewer's", left)
	}
	// No session runs, so the next reviewer needs the message.
	if again := m.Undelivered(left); len(again[core.SlotReviewer]) != 1 {
		t.Errorf("without a session undelivered are %+v, want the reviewer's message again", again)
	}
	if len(m.Notices.All) != 0 {
		t.Errorf("the notices are %+v, want none", m.Notices.All)
	}
}

// If a session ended before it read a directive, its messages go to the next session.
func TestAnUnreadMessageIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	m := newDelivery(t)
	hqtest.Must(t, m.Project.PostMessage(core.SlotExecutor, "Use a map."))
	m.answerTool("e1", "t-1", m.Read())
	if all := m.Read(); !m.Project.HasDirective("e1") || all[0].Given != "e1" {
		t.Fatalf("the message is %+v, want it in a directive for e1", all)
	}
	m.Acknowledge(core.SlotExecutor, "e1", "t-1")
	if n := len(m.Read()); n != 1 {
		t.Fatalf("%d messages are left before the directive is read, want 1", n)
	}
	d, ok, err := m.Project.TakeDirective("e1")
	if err != nil || !ok || d.Text != "Use a map." {
		t.Errorf("the directive is %+v, %v, %v; want the message", d, ok, err)
	}
	m.Acknowledge(core.SlotExecutor, "e1", "t-1")
	if all := m.Read(); len(all) != 0 {
		t.Errorf("left are %+v, want none", all)
	}
}
