package projection

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/checks"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui"
)

// fixtureEntry returns the entry of a fixture's journal with a seq, and what belongs to
// it.
func fixtureEntry(t *testing.T, event string, with func(*journal.Detail)) ui.PageMsg {
	t.Helper()
	for _, l := range journalLines(t) {
		if l.Event == event {
			s := journal.Detail{Line: l}
			with(&s)
			return ui.PageMsg{Title: fmt.Sprintf("entry %d", l.Seq), Text: Entry(s, time.UTC)}
		}
	}
	t.Fatalf("the journal has no %s", event)
	return ui.PageMsg{}
}

// refusalPage returns the page of a refusal.
func refusalPage(t *testing.T) tea.Msg {
	return ui.PageMsg{Title: "refusal", Text: Refusal(fixture(t, "refused").Refused[0], time.UTC)}
}

func fixtureChange() project.CommentedDiff {
	return project.CommentedDiff{Base: core.Base{Commit: "3f2c1a9d0e6b", Tree: "77aa"}, Files: []checks.FilePatch{
		{Path: "fetch.go", Added: 3, Removed: 1, Patch: "@@ -12,5 +12,7 @@ func Get(ctx context.Context, url " +
			"string) error {\n \t// One try is not enough.\n-\treturn once(ctx, url)\n+\tfor n := range 3 " +
			"{\n+\t\tif err := once(ctx, url); err == nil {\n+\t\t\treturn nil // \"done\"\n \t}\n }\n"},
		{Path: "fetch_test.go", Added: 1, Patch: "@@ -0,0 +1 @@\n+package acme\n"},
		{Path: "docs/very/deep/folder/with/a/long/name/architecture-of-the-fetcher.md", Added: 2, Removed: 2,
			Patch: "@@ -1,2 +1,2 @@\n-# Fetcher\n-old\n+# The fetcher, 漢字\n+new\n"},
	}}
}

// alarmedChange returns a change that raises the alarms of the fixture.
func alarmedChange() ui.DiffMsg {
	c := fixtureChange()
	c.Files[1] = checks.FilePatch{Path: "fetch_test.go", Added: 2, Removed: 1, Patch: "@@ -7,4 +7,4 @@ func TestGet\n" +
		" \tgot, err := Get(ctx, server.URL)\n \tif err != nil {\n-\t\tt.Errorf(\"%v\", err)\n+\t\tt.Log(err)\n \t}\n" +
		"@@ -19,3 +19,4 @@ func TestRetry(t *testing.T) {\n \tserver := flaky(t, 2)\n \tdefer server.Close()\n" +
		"+\tt.Skip(\"flaky\")\n \tif err := Get(ctx, server.URL); err != nil {\n"}
	return ui.DiffMsg{Diff: Diff(c, fixtureNow)}
}

// createdPage, checkedPage and gonePage are stories of entries.
func createdPage(t *testing.T) ui.PageMsg {
	return fixtureEntry(t, "create_task", func(s *journal.Detail) {
		s.Texts = []journal.EntryText{{Name: "TASK.md", Text: "# Add retry to the fetcher\n\nA request that gets " +
			"a `503` is **tried again**:\n\n- three times at most\n- after a pause that doubles\n  - never longer " +
			"than 8 s\n\n| try | pause |\n|---|---|\n| 2 | 1 s |\n| 3 | 2 s |\n\n```go\nfunc retry(n int) error { " +
			"// n is 3\n\treturn nil\n}\n```\n"}}
	})
}

func checkedPage(t *testing.T) ui.PageMsg {
	return fixtureEntry(t, "checked", func(s *journal.Detail) {
		g := red()
		s.Gate, s.Report = &g,
			"# Check 3 failed\n\n## go test ./... (exit 1)\n\n```\n--- FAIL: TestRetry (0.00s)\n    "+
				"fetch_test.go:31: 1 try, want 3\n```\n"
	})
}

func gonePage(t *testing.T) ui.PageMsg {
	return fixtureEntry(t, "claim", func(s *journal.Detail) {
		s.Texts = []journal.EntryText{{Name: "CONSULT_REQUEST.md", Gone: true}}
	})
}

func TestTimesBetweenEntries(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "+0s", 41 * time.Second: "+41s", 3*time.Minute + 5*time.Second: "+3m05s", 26*time.Hour +
			2*time.Minute: "+26h02m", 500 * time.Hour: "+20d", -time.Hour: "",
	} {
		if got := between(at, at.Add(d)); got != want {
			t.Errorf("%v is %q, not %q", d, got, want)
		}
	}
	if got := activity([]store.Entry{{Seq: 1, At: at}}, time.UTC)[0].After; got != "" {
		t.Errorf("the first entry comes %q after nothing", got)
	}
}
