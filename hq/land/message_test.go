package land

import (
	"strings"
	"testing"
)

// A template makes the commit message. Empty fields leave no gap, and a title is never expanded as
// a template.
func TestATemplateWordsTheCommit(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"{title}\n\n{summary}\n\n{trailers}": "Retry {task}\n\nIt retries.\n\nFerrus-Task: t-1\n",
		"feat: {title} ({task})":             "feat: Retry {task} (t-1)\n",
	} {
		if got := fillMessage(template, "t-1", "Retry {task}", "It retries."); got != want {
			t.Errorf("template %q makes %q, want %q", template, got, want)
		}
	}
	const all, want = "{title}\n\n{summary}\n\n{trailers}", "Retry\n\nFerrus-Task: t-1\n"
	if got := fillMessage(all, "t-1", "Retry", ""); got != want {
		t.Errorf("without a summary: %q, want %q", got, want)
	}
}

// An agent's text neither signs off nor names other tasks: such lines stay text, as every reader of
// the message takes them.
func TestNoTrailersOfAgents(t *testing.T) {
	t.Parallel()
	const words = "It retries.\n\nFixes: #12\r\nSigned-off-by: You <you@example.com>\nFerrus-Task: t-2\r" +
		"Reviewed-By : x\nco-authored-by: x"
	got := unsigned(words)
	for line := range strings.Lines(got) {
		if attests.MatchString(line) || strings.Contains(line, "\r") {
			t.Errorf("%q would be read as a trailer, in %q", line, got)
		}
	}
	if !strings.Contains(got, "\nFixes: #12\n    Signed-off-by: You") || !strings.HasPrefix(got, "It retries.\n\n") {
		t.Errorf("the message is %q, want its trailers indented", got)
	}
}
