package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/stats"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

func TestSinceTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	for since, want := range map[string]time.Time{
		"": {}, "30d": now.AddDate(0, 0, -30), "12h": now.Add(-12 * time.Hour),
		"2026-11-01": time.Date(2026, 11, 1, 0, 0, 0, 0, time.Local),
	} {
		if got, err := sinceTime(since, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", since, got, err)
		}
	}
	for _, since := range []string{"x", "-1h", "-3d", "3 d", "2026-13-01", "99999999999d"} {
		if _, err := sinceTime(since, now); err == nil {
			t.Errorf("%q is accepted", since)
		}
	}
}

// The cached figures of archived tasks are used as long as their journals are unchanged, and never
// instead of a journal: a cache that is damaged, old or of another journal is rebuilt.
func TestStatsOfArchivesAreKept(t *testing.T) {
	p := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": ""})
	const id = "t-20261120-101500-4f2a"
	journal := func(green bool) {
		verdict := map[bool]string{true: "PASS", false: "FAIL"}[green]
		hqtest.Write(t, p.Dir, ".ferrus/archive/"+id+"/journal.jsonl", `{"seq":1,"at":"2026-11-20T10:15:00Z",`+
			`"event":"create_task","to":"Executing","by":"person","data":{"task":{"id":"`+id+`"}}}`+"\n"+
			`{"seq":2,"at":"2026-11-20T10:16:00Z","event":"checked","to":"Checking","by":"ferrus",`+
			`"data":{"gate":{"verdict":"`+verdict+`"}}}`+"\n")
	}
	read := func() *bool {
		t.Helper()
		all, err := readArchivedTasks(p, []string{id})
		hqtest.Must(t, err)
		return all[0].FirstGreen
	}
	is := func(got *bool, want bool) bool { return got != nil && *got == want }
	journal(true)
	for range 2 { // from the journal, then from what is kept
		if !is(read(), true) {
			t.Fatal("the gate of the journal is not counted")
		}
	}
	kept := readStatsCache(p)
	if len(kept.Tasks) != 1 {
		t.Fatalf("kept %+v", kept)
	}
	green := false
	wrong := kept.Tasks[id]
	wrong.Task.FirstGreen = &green
	kept.Tasks[id], kept.changed = wrong, true
	kept.save(p, []string{id})
	if !is(read(), false) {
		t.Error("what is kept is not used")
	}
	older, err := p.Store.ReadFile(statsFile)
	hqtest.Must(t, err)
	hqtest.Write(t, p.Dir, ".ferrus/"+statsFile, strings.Replace(string(older), fmt.Sprintf(`"version":%d`, statsVersion), `"version":0`, 1))
	if !is(read(), true) {
		t.Error("a cache of another version is used")
	}
	journal(true)
	later := time.Now().Add(time.Minute)
	hqtest.Must(t, os.Chtimes(p.Store.Path("archive", id, "journal.jsonl"), later, later))
	if !is(read(), true) {
		t.Error("a journal that was changed is not read again")
	}
	hqtest.Write(t, p.Dir, ".ferrus/"+statsFile, "{\"version\":")
	if !is(read(), true) {
		t.Error("a damaged cache is used")
	}
}

func TestStatsPage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	r := stats.Report{Sums: stats.Sums{Tasks: 3, Complete: 2, Landed: 1, Checked: 3, FirstGreen: 2, Gates: 4,
		Seconds: map[machine.State]float64{task.Executing: 600, task.AwaitingHuman: 60}}, Weeks: []int{0, 1, 2},
		Rows: []stats.Row{{Agent: stats.Agent{Name: hostile}, Role: machine.Executor}}}
	page := statsHTML(hostile, r, now)
	inert(t, page)
	for _, want := range []string{"<b>67 %</b>", "* 0.50)", "* 1.00)", "width:100.0%", "width:10.0%", "10m0s"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	inert(t, statsHTML("x", stats.Report{Weeks: []int{0}}, now))
}

// On a narrow terminal the report has every number, in lines that fit.
func TestStatsOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	each := 0.31
	r := stats.Report{Weeks: []int{0, 1}, Sums: stats.Sums{Tasks: 3, Landed: 2, Flaky: 1,
		FlakyTests: map[string]int{"pkg TestA": 1}, Seconds: map[machine.State]float64{task.Executing: 600}},
		Rows: []stats.Row{{Agent: stats.Agent{Name: "claude-code", Model: "opus"}, Role: machine.Executor,
			CostPerLanded: &each, Used: core.UsageTotal{Sessions: 2, Cost: 0.62},
			Sums: stats.Sums{Tasks: 3, Gates: 4, Checked: 3, FirstGreen: 2, Rejections: 1, Asked: 2, Flaky: 1,
				Seconds: map[machine.State]float64{task.Executing: 600, task.AwaitingHuman: 60}}}}}
	for columns, want := range map[int][]string{
		40: {"  waiting for you       1m0s\n", "  cost per landed task  $0.31\n", "  questions to you      2\n",
			"  pkg TestA, in 1 task\n"},
		0: {" per landed\n", "      $0.31\n", "      1m0s         2     1\n"},
	} {
		var out bytes.Buffer
		printStats(&out, r, columns)
		for _, words := range want {
			if !strings.Contains(out.String(), words) {
				t.Errorf("%d columns: no %q in\n%s", columns, words, &out)
			}
		}
		for line := range strings.Lines(out.String()) {
			if width := text.Width(strings.TrimSuffix(line, "\n")); width > max(columns, agentTableColumns) ||
				columns == 40 && !strings.Contains(line, "may be flaky") && width > 48 {
				t.Errorf("%d columns: %d in %q", columns, width, line)
			}
		}
	}
}

// The plus is explained where there is one.
func TestStatsExplainThePlus(t *testing.T) {
	t.Parallel()
	for silent, want := range []bool{false, true, false} {
		used := core.UsageTotal{Sessions: 2, Silent: silent}
		var out bytes.Buffer
		r := stats.Report{Weeks: []int{1}, Used: used, Rows: []stats.Row{{Used: used}}}
		printStats(&out, r, 0)
		if got := strings.Contains(out.String(), "some sessions did not report it"); got != want {
			t.Errorf("%d of 2 sessions said nothing: explained %v, want %v", silent, got, want)
		}
	}
}

func TestSparkline(t *testing.T) {
	t.Parallel()
	for want, numbers := range map[string][]int{"  ": {0, 0}, "▁█": {1, 100}, " ▄█": {0, 5, 10}} {
		if got := sparkline(numbers); got != want {
			t.Errorf("%v: %q, not %q", numbers, got, want)
		}
	}
}
