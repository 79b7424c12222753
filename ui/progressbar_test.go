package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/view"
)

func TestProgressBar(t *testing.T) {
	for _, c := range []struct {
		p     view.Progress
		state tea.ProgressBarState
		value int
	}{
		{view.Progress{Runs: true}, tea.ProgressBarIndeterminate, 0},
		{view.Progress{Runs: true, Percent: 40}, tea.ProgressBarDefault, 40},
		{view.Progress{Runs: true, Percent: 40, Failed: true}, tea.ProgressBarError, 40},
	} {
		if bar := progressBar(true, c.p); bar == nil || bar.State != c.state || bar.Value != c.value {
			t.Errorf("%+v: %+v", c.p, bar)
		}
		if bar := progressBar(false, c.p); bar != nil {
			t.Errorf("a terminal without one gets %+v", bar)
		}
	}
	if bar := progressBar(true, view.Progress{}); bar != nil {
		t.Errorf("nothing runs: %+v", bar)
	}
}
