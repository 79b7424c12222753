package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git/gittest"
	"ferrus/hq/demo"
	"ferrus/store"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

// A conductor that is killed at each event of a workflow, one after the other, reaches the same end
// as an undisturbed one, by the same path.
func TestWorkflowKilledAtEachEvent(t *testing.T) {
	if !longtest.On() {
		t.Skip("set FERRUS_LONG to kill at each event: TestRandomWalks and TestKill stop elsewhere")
	}
	for _, kind := range []string{"feature", "oneshot", "debug", "refactor", "feature in worktrees"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			calm, killed := t.TempDir(), t.TempDir()
			if out, over := playFlow(t, calm, kind, 1<<20); !over {
				t.Fatalf("it was not over:\n%s", out)
			}
			kills, seen := 0, 0
			for {
				out, over := playFlow(t, killed, kind, seen+1)
				lines := flowJournal(t, killed)
				if over {
					break
				}
				if len(lines) <= seen {
					t.Fatalf("it stopped at event %d:\n%s", seen, out)
				}
				kills, seen = kills+1, len(lines)
			}
			want, got := way(flowJournal(t, calm)), way(flowJournal(t, killed))
			if !slices.Equal(got, want) {
				t.Errorf("%d kills: %q\nwithout: %q", kills, got, want)
			}
			sound(t, flowJournal(t, killed))
			if kills < len(want)/2 {
				t.Errorf("%d kills only in %d events", kills, len(want))
			}
			t.Logf("%d kills", kills)
			if left := termtest.ProcessIn(killed); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// playFlow continues the workflow of a folder, and kills its conductor when the journal has a
// number of events; over is true if the workflow ended before.
func playFlow(t *testing.T, dir, kind string, events int) (output string, over bool) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: it plays the demo in processes that are killed")
	}
	kind, apart := strings.CutSuffix(kind, " in worktrees")
	if _, err := os.Stat(filepath.Join(dir, ".git")); apart && err != nil {
		withWorktrees(t, dir)
	}
	var out bytes.Buffer
	cmd := exec.Command("ferrus", "demo", "--headless", "--workflow", kind, "--dir", dir)
	cmd.Env = append(os.Environ(), "FERRUS_PROJECT=", "FERRUS_NONCE=", "XDG_CONFIG_HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Minute
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	written := int64(-1) // bytes of the journal: it is only read again when it has more
	for end := time.After(3 * time.Minute); ; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v:\n%s", err, &out)
			}
			return out.String(), true
		case <-tick.C:
			size := journalSize(t, dir)
			if size == written {
				continue
			}
			if written = size; len(flowJournal(t, dir)) >= events {
				cmd.Process.Kill() //nolint:errcheck // it may have ended
				err := <-ended
				return out.String(), err == nil
			}
		case <-end:
			cmd.Process.Kill() //nolint:errcheck // as above
			<-ended
			t.Fatalf("%d events, and no more come:\n%s", len(flowJournal(t, dir)), &out)
		}
	}
}

// withWorktrees makes the demo's repository, in which each task gets a worktree.
func withWorktrees(t *testing.T, dir string) {
	t.Helper()
	if err := demo.Scaffold(dir); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "ferrus.toml")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "[hq.supervisor]",
		"[limits]\nmin_free_memory_mb = 0\n[hq]\nworkspace = \"worktree\"\n[hq.supervisor]", 1)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"config", "user.name", "a"}, {"config", "user.email", "a@b"},
		{"commit", "--quiet", "-am", "worktrees"}} {
		gittest.Run(t, dir, args...)
	}
}

// journalFile returns the journal of the one workflow of a folder; "" before there is one.
func journalFile(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".ferrus/workflows/w-*/journal.jsonl"))
	if err != nil || len(found) > 1 {
		t.Fatalf("%v: %q", err, found)
	}
	return strings.Join(found, "")
}

func journalSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(journalFile(t, dir))
	if err != nil {
		return 0
	}
	return info.Size()
}

// flowJournal returns the journal of the only workflow of a folder, up to its last whole line.
func flowJournal(t *testing.T, dir string) []store.Entry {
	t.Helper()
	name := journalFile(t, dir)
	if name == "" {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []store.Entry
	for line := range bytes.Lines(data) {
		var l store.Entry
		if json.Unmarshal(line, &l) == nil {
			lines = append(lines, l)
		}
	}
	return lines
}

// way returns what a journal tells, except what an agent repeated because it was ended before it
// got its answer.
func way(lines []store.Entry) []string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Event+" "+l.From+" "+l.To)
	}
	return slices.Compact(all)
}

// sound checks that a journal has no gap, and no call twice.
func sound(t *testing.T, lines []store.Entry) {
	t.Helper()
	calls := map[string]uint64{}
	for i, l := range lines {
		if l.Seq != uint64(i+1) {
			t.Errorf("event %d has seq %d", i+1, l.Seq)
		}
		if before, twice := calls[l.Call]; twice && l.Call != "" {
			t.Errorf("events %d and %d are of one call", before, l.Seq)
		}
		calls[l.Call] = l.Seq
	}
}
