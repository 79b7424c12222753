package ui

import (
	"ferrus/ui/view"
	"testing"
)

func TestTextsAreShownAsMarkdown(t *testing.T) {
	v := work()
	b := open80(t, v)
	b.press("/show", "enter")
	b.shows("there is no text yet")
	v.Documents = []view.Document{{Name: "task", Text: "# Add a retry\n\n- **three** times"}, {Name: "review", Text: "No `test`."}}
	v.Spec.Last = "docs/specs/cache.md"
	b.send(ViewMsg{v})
	b.press("ctrl+u", "/show", "enter")
	b.shows("╭ task", " Add a retry", "• three times")
	v.Documents = []view.Document{{Name: "task", Text: "# Changed since"}}
	b.send(ViewMsg{v})
	b.shows("Changed since")
	b.press("esc")
	b.wants = nil
	b.press("/show spec", "enter")
	b.wanted(SaveHistory{"/show spec"}, ReadSpec{})
	b.send(PageMsg{Title: "docs/specs/cache.md", Text: "# A cache"})
	b.shows("╭ docs/specs/cache.md", " A cache", "Esc closes")
	b.press("esc", "/show x", "enter")
	b.shows("/show takes one of: task, spec, or the id of a task")
	b.wants = nil
	b.press("ctrl+u", "/show t-7", "enter", "/show spec cache", "enter")
	b.wanted(SaveHistory{"/show t-7"}, ReadTask{"t-7"}, SaveHistory{"/show spec cache"}, ReadSpec{"cache"})
}
