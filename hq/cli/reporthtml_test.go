package cli

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/store"
)

// hostile is text that would change the page if it were not escaped.
const hostile = "\x1b[31m</pre><script>document.title='owned'</script>\" onload=\"x & \u202e"

// hostileEvidence has hostile text wherever an agent or a repository may put it.
func hostileEvidence() *evidence {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	minutes := func(n int) time.Time { return at.Add(time.Duration(n) * time.Minute) }
	return &evidence{
		Task: hostile, Title: hostile, State: hostile,
		Texts: map[string]string{core.TaskText: hostile, core.SubmissionText: hostile},
		Gates: []gate.Record{{Attempt: 1, Record: checks.Record{Verdict: checks.Fail, Why: hostile, Started: minutes(1),
			Ended: minutes(2), Commands: []checks.Result{{Command: hostile}}}}},
		Submissions: []submissionEntry{{Seq: 3, At: minutes(3), By: hostile, Why: hostile,
			Alarms: []core.Alarm{{Words: hostile, NeedsHuman: true}}}},
		Reviews: []reviewEntry{{Seq: 4, At: minutes(4), By: hostile, Verdict: "rejected", Notes: hostile}},
		Used: taskUsage{Sessions: []project.Ended{{Slot: hostile, Agent: hostile, Model: hostile, Exit: hostile,
			Started: at, Ended: minutes(3)}}},
		Journal: []store.Entry{
			{Seq: 1, At: at, Event: hostile, To: "Executing", By: hostile, Why: hostile},
			{Seq: 2, At: minutes(1), To: "Checking"},
			{Seq: 3, At: minutes(3), To: "Reviewing"},
			{Seq: 4, At: minutes(4), To: hostile, Why: hostile},
			{Seq: 5, At: minutes(5)},
		},
	}
}

var hostilePatch = []checks.FilePatch{{Path: hostile, Added: 1, Patch: "@@ -0,0 +1 @@\n+" + hostile + "\n"}}

// Whatever an agent writes stays text: the page has no element or attribute of its own.
func TestReportPageIsInert(t *testing.T) { inert(t, hostileEvidence().html(hostilePatch, hostile)) }

// inert wants a page to have nothing but what its template has.
func inert(t *testing.T, page string) {
	t.Helper()
	if strings.ContainsAny(page, "\x1b\u202e") {
		t.Error("the page has control characters")
	}
	allowed := map[string]bool{"lang": true, "charset": true, "name": true, "content": true, "http-equiv": true,
		"class": true, "style": true, "title": true, "open": true}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local == "script" {
			t.Error("the page has a script")
		}
		for _, a := range start.Attr {
			if !allowed[a.Name.Local] {
				t.Errorf("<%s> has an attribute %s", start.Name.Local, a.Name.Local)
			}
		}
	}
}

// A browser shows the page and runs nothing of it.
func TestReportPageInABrowser(t *testing.T) {
	if !long() {
		t.Skip("set FERRUS_LONG to open the page in a browser")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium: it is not installed")
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, []byte(hostileEvidence().html(hostilePatch, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+dir,
		"--dump-dom", "file://"+page).Output()
	if err != nil {
		t.Fatal(err)
	}
	dom := string(out)
	if strings.Contains(dom, "<title>owned") || !strings.Contains(dom, "<b>Rejected</b>") {
		t.Errorf("the browser has\n%s", dom)
	}
}

// Spans follow each other without a gap, also over a clock that went back.
func TestSpans(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	e := evidence{Journal: []store.Entry{
		{At: at, To: "Executing"},
		{At: at.Add(time.Minute), To: "Executing"},
		{At: at.Add(2 * time.Minute), To: "Checking"},
		{At: at.Add(-time.Hour), To: "Reviewing"}, // the clock was set back
		{At: at.Add(3 * time.Minute), To: "Complete"},
	}}
	want := []span{
		{"Executing", at, at.Add(2 * time.Minute)},
		{"Checking", at.Add(2 * time.Minute), at.Add(2 * time.Minute)},
		{"Reviewing", at.Add(2 * time.Minute), at.Add(3 * time.Minute)},
		{"Complete", at.Add(3 * time.Minute), at.Add(3 * time.Minute)},
	}
	got := e.spans()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("span %d is %v, want %v", i, got[i], want[i])
		}
	}
}
