package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
	"ferrus/ui/view"
)

func TestIntentsAreCarriedOut(t *testing.T) {
	question, consult := view.Ask{Kind: view.Question, Ticket: 13}, view.Ask{Kind: view.Consultation, Ticket: 12}
	for _, c := range []struct {
		intent ui.Intent
		log    string
	}{
		{ui.Task{Text: "x", Manual: true}, "want task supervisor x manual=true"},
		{ui.Task{Text: "as written", Now: true}, "do create_task as written by person"},
		{ui.Session{Mode: "plan", Role: "supervisor"}, "want plan supervisor  manual=false"},
		{ui.Session{Mode: "free", Role: "executor"}, "want free executor  manual=false"},
		{ui.RunCheck{}, "do check  by person"},
		{ui.RunCheck{Force: true}, "force"},
		{ui.RunCheck{Cancel: true}, "cancel"},
		{ui.Answer{Ask: question, Text: "no"}, "do answer no by person ticket 13"},
		{ui.Answer{Ask: consult, Text: "yes"}, "do respond_consult yes by person ticket 12"},
		{ui.Approve{Note: "well"}, "do approve well by person"},
		{ui.Reject{Notes: "bad"}, "do reject bad by person"},
		{ui.Retry{}, "do retry  by person"},
		{ui.Reset{}, "do reset  by person"},
		{ui.Resume{}, "resume"},
		{ui.Resume{Slot: "executor"}, "start executor"},
		{ui.Review{}, "start reviewer"},
		{ui.Stop{}, "stop"},
		{ui.SetModel{Role: "executor", Model: "m"}, "model executor m"},
		{ui.Resize{Slot: "planner", Columns: 3, Rows: 4}, "resize planner 3x4"},
	} {
		log, _ := carried(t, c.intent)
		if log != c.log+"\n" {
			t.Errorf("%#v asks %q, want %q", c.intent, log, c.log)
		}
	}
}

// carried does an intent on a stage and returns what was asked and answered.
func carried(t *testing.T, i ui.Intent) (string, tea.Msg) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	d := &deck{engine: newStage("work", log), ctx: context.Background()}
	var msg tea.Msg
	if cmd := d.do(i); cmd != nil {
		msg = cmd()
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), msg
}

func TestWhatWasRefusedComesBackToThePrompt(t *testing.T) {
	_, msg := carried(t, ui.SetModel{Role: "executor", Model: "bad"})
	if done := msg.(ui.DoneMsg); !done.Error || !strings.Contains(done.Text, "no model bad") {
		t.Errorf("refused: %+v", done)
	}
	for i, want := range map[ui.Intent]string{
		ui.Answer{Text: "only GET"}:                        "only GET",
		ui.Task{Text: "a", Now: true}:                      "/task --now a",
		ui.Task{Text: "a", Manual: true}:                   "/task --manual a",
		ui.Task{Text: "a"}:                                 "/task a",
		ui.Task{Text: "a", Again: true, Changes: true}:     "/task --again --with-changes a",
		ui.SelectMilestone{Spec: "cache", Milestone: "m1"}: "/milestones cache m1",
		ui.SelectMilestone{}:                               "",
		ui.Reject{Notes: "n"}:                              "/reject n",
		ui.Session{Mode: "plan", Text: "cache"}:            "/plan cache",
		ui.Stop{}:                                          "",
	} {
		if got := retype(i); got != want {
			t.Errorf("%#v comes back as %q, want %q", i, got, want)
		}
	}
}
