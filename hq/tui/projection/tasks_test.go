package projection

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/ui/view"
)

// Approved work that waits for your /land is in the inbox, whether or not its task is selected; also if it was to land
// by itself and could not. It comes last.
func TestApprovedWorkIsInTheInbox(t *testing.T) {
	t.Parallel()
	v := fixture(t, "complete")
	if all := projected(v).Inbox; len(all) != 1 || all[0].Type != "/land" {
		t.Errorf("in the checkout it is %+v, want one item that lands it", all)
	}
	v.State.World.Task.Workspace = &core.Workspace{}
	v.Tasks = queueRows()
	r := &v.Tasks[0]
	r.State, r.Task, r.Why, r.Needs = "Parked", "Complete", "needs you: approved, land it", true
	hint := ""
	item := func() string {
		all := projected(v).Inbox
		at := slices.IndexFunc(all, func(i view.InboxItem) bool { return strings.HasPrefix(i.Text, "#12 ") })
		if at < 0 {
			return ""
		}
		if at != len(all)-1 {
			t.Errorf("it comes before what is more urgent: %+v", all)
		}
		hint = all[at].Hint
		return all[at].Text
	}
	if got := item(); got != "#12 Cache the responses of the catalogue: approved, land it" {
		t.Errorf("another task is selected: %q", got)
	}
	if v.Selected = r.Dir; item() == "" || hint != "/land lands it" {
		t.Errorf("it is selected: %q, with the hint %q", item(), hint)
	}
	r.Why, r.Refused = "needs you: approved, but gh is not logged in", true
	if got := item(); !strings.HasSuffix(got, ": approved, but gh is not logged in") {
		t.Errorf("it cannot land by itself: %q", got)
	}
	r.Alarms = []core.Alarm{{Rule: "skip", Path: "a_test.go", Words: "a test is skipped", NeedsHuman: true}}
	row := projected(v).Tasks.Rows[0]
	if !strings.HasPrefix(row.Why, "approved, but gh is not logged in; 1 alarm") {
		t.Errorf("its row says %q", row.Why)
	}
}

// After the last task has landed, the hint does not claim that there was no task.
func TestHintAfterTheLastTask(t *testing.T) {
	landed := queue.MergeRow{Target: "main", Cars: []queue.MergeCar{{N: 1, State: queue.CarLanded}}}
	open := queue.Row{Item: queue.Item{N: 2}}
	for words, v := range map[string]conductor.View{
		"All tasks have landed": {Merges: []queue.MergeRow{landed}},
		"No task yet":           {Merges: []queue.MergeRow{landed}, Tasks: []queue.Row{open}},
	} {
		if got := idleHint(v, time.Time{}); !strings.HasPrefix(got, words) {
			t.Errorf("the hint is %q, and not %q", got, words)
		}
	}
}

// Items of the inbox that wait in two tasks have different IDs, and those of the project have the same.
func TestItemsOfTwoTasksDiffer(t *testing.T) {
	t.Parallel()
	v := fixture(t, "question")
	v.ConfigError = "ferrus.toml:3: no"
	ids := func(task string) (question, config string) {
		v.Selected = task
		all := projected(v).Inbox
		return all[slices.IndexFunc(all, func(i view.InboxItem) bool { return i.Ask })].ID,
			all[slices.IndexFunc(all, func(i view.InboxItem) bool { return i.Kind == "config" })].ID
	}
	one, first := ids("t-1")
	two, second := ids("t-2")
	if one == two || !strings.HasPrefix(one, "t-1"+view.ItemOf) || first != second {
		t.Errorf("the questions are %q and %q, ferrus.toml is %q and %q", one, two, first, second)
	}
}

// What a session without a row in the list needs is in the inbox while another task is selected: it selects the
// checkout, or types what continues a pair.
func TestWhatYourCheckoutNeedsIsInTheInbox(t *testing.T) {
	t.Parallel()
	v := fixture(t, "executing")
	v.Tasks, v.Selected = queueRows(), queueRows()[0].Dir
	v.CheckoutNeeds = []advice.InboxItem{
		{ID: "trouble:1", Kind: advice.ItemTrouble, Text: "it is not logged in"},
		{ID: "pair:1", Kind: advice.ItemPair, Text: "the run failed", Type: "/pair --resume p-1"},
	}
	var got []string
	for _, i := range projected(v).Inbox {
		if strings.HasPrefix(i.Text, "your checkout: ") {
			got = append(got, i.Kind+" "+i.Task+i.Type)
		}
	}
	if want := []string{"trouble .", "pair /pair --resume p-1"}; !slices.Equal(got, want) {
		t.Errorf("the inbox has %q, want %q", got, want)
	}
}
