package land

import "testing"

// A template words the commit; what is not there leaves no gap, and what a title contains is no template.
func TestATemplateWordsTheCommit(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"{title}\n\n{summary}\n\n{trailers}": "Retry {task}\n\nIt retries.\n\nFerrus-Task: t-1\n",
		"feat: {title} ({task})":             "feat: Retry {task} (t-1)\n",
	} {
		if got := fillMessage(template, "t-1", "Retry {task}", "It retries."); got != want {
			t.Errorf("%q words %q, and should word %q", template, got, want)
		}
	}
	const all, want = "{title}\n\n{summary}\n\n{trailers}", "Retry\n\nFerrus-Task: t-1\n"
	if got := fillMessage(all, "t-1", "Retry", ""); got != want {
		t.Errorf("without a summary: %q", got)
	}
}
