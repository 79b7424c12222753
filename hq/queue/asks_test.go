package queue

import "testing"

// An inbox item from the queue names the command that answers it.
func TestAsksNameWhatAnswers(t *testing.T) {
	t.Parallel()
	row := func(state MergeState, answers ...string) MergeRow {
		return MergeRow{Target: "main", Needs: "it waits", Answers: answers, Cars: []MergeCar{{N: 1, State: state}}}
	}
	for name, c := range map[string]struct {
		row  MergeRow
		want string
	}{
		"a batch that is proven": {row(CarProven), "ferrus land"},
		"what is flaky": {row(CarProving, "again", "accept"),
			"ferrus merge, then ferrus merge again main or ferrus merge accept main"},
		"a pull request": {row(CarPull), "ferrus merge"},
	} {
		if all := Asks(nil, []MergeRow{c.row}); len(all) != 1 || all[0].Run != c.want {
			t.Errorf("%s: %+v, want %q", name, all, c.want)
		}
	}
	if all := Asks(nil, []MergeRow{{Target: "main"}}); len(all) != 0 {
		t.Errorf("a merge that needs nothing is in the inbox: %+v", all)
	}
}
