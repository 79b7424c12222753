package ui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/view"
)

// progressBar returns the bar in the tab or task bar of a terminal that shows one; nil: none.
func progressBar(shown bool, p view.Progress) *tea.ProgressBar {
	switch {
	case !shown || !p.Runs:
		return nil
	case p.Failed:
		return tea.NewProgressBar(tea.ProgressBarError, p.Percent)
	case p.Percent == 0:
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return tea.NewProgressBar(tea.ProgressBarDefault, p.Percent)
}
