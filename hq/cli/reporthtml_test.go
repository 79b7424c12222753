package cli

import (
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
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
	"ferrus/hq/stats"
	"ferrus/store"
	"ferrus/store/longtest"
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

// Whatever an agent writes stays text: the page has only its own elements and attributes.
func TestReportPageIsInert(t *testing.T) { inert(t, hostileEvidence().html(hostilePatch, hostile)) }

// inert checks that a page has only what its template contains.
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

// A browser shows the pages and runs nothing in them: light, dark, on a phone, and printed.
func TestPagesInABrowser(t *testing.T) {
	if !longtest.On() {
		t.Skip("set FERRUS_LONG to open the pages in a browser")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium: it is not installed")
	}
	dir := t.TempDir()
	browse := func(page string, args ...string) []byte {
		t.Helper()
		out, err := exec.Command(chromium, append([]string{"--headless", "--no-sandbox", "--disable-gpu",
			"--no-first-run", "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
			"--disable-sync", "--user-data-dir=" + dir, "file://" + page}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	used := stats.Report{Sums: stats.Sums{Tasks: 1}, Weeks: []int{0, 1},
		Rows: []stats.Row{{Agent: stats.Agent{Name: hostile}}}}
	for name, html := range map[string]string{
		"report": hostileEvidence().html(hostilePatch, ""), "stats": statsHTML(hostile, used, now),
	} {
		page := filepath.Join(dir, name+".html")
		if err := os.WriteFile(page, []byte(html), 0o600); err != nil {
			t.Fatal(err)
		}
		if dom := string(browse(page, "--dump-dom")); strings.Contains(dom, "<title>owned") ||
			!strings.Contains(dom, "</table>") {
			t.Errorf("the browser has\n%s", dom)
		}
		shot, pdf := filepath.Join(dir, name+".png"), filepath.Join(dir, name+".pdf")
		for scheme, want := range map[string]color.RGBA{"0": {0x0d, 0x11, 0x17, 0xff}, "1": {0xff, 0xff, 0xff, 0xff}} {
			browse(page, "--screenshot="+shot, "--window-size=390,800",
				"--blink-settings=preferredColorScheme="+scheme)
			if got := cornerOf(t, shot); got != want {
				t.Errorf("%s in scheme %s has the background %v, want %v", name, scheme, got, want)
			}
		}
		browse(page, "--print-to-pdf="+pdf)
		if printed, err := os.ReadFile(pdf); err != nil || !strings.HasPrefix(string(printed), "%PDF") {
			t.Errorf("%s is not printed: %v", name, err)
		}
	}
}

// cornerOf returns the colour at the upper left corner of a picture.
func cornerOf(t *testing.T, name string) color.RGBA {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return color.RGBAModel.Convert(picture.At(2, 2)).(color.RGBA)
}

// Spans follow each other without a gap, even if the clock went back.
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
