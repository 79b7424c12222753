package gate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

func TestVerdictGoesToTheState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		commands []string
		verdict  checks.Verdict
		state    string
		retries  int
		events   string
	}{
		"pass":     {[]string{"true", "echo fine"}, checks.Pass, "Checking", 0, "check checked"},
		"fail":     {[]string{"echo broken; exit 1"}, checks.Fail, "Addressing", 1, "check base_red checked"},
		"changed":  {[]string{"date +%N >>main.go"}, checks.Pass, "Checking", 0, "check checked"},
		"unproven": {nil, checks.Unproven, "Executing", 0, "check checked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, c.commands...)
			ticket := l.check()
			record := l.run(ticket)
			w := l.world()
			if string(w.State) != c.state || w.CheckRetries != c.retries || w.Gate.Verdict != c.verdict ||
				checks.Verdict(record.Verdict) != c.verdict {
				t.Errorf("%s, %d retries, gate %+v, record %s", w.State, w.CheckRetries, w.Gate, record.Why)
			}
			if record.Ticket != ticket || record.Attempt != 1 || record.Task != w.Task.ID || w.Gate.Log != record.Log {
				t.Errorf("record %+v, gate %+v", record, w.Gate)
			}
			log, err := os.ReadFile(filepath.Join(l.Dir, record.Log))
			if err != nil || !strings.Contains(string(log), "=== "+record.Why) {
				t.Errorf("the log is %q, %v; want the verdict as its heading", log, err)
			}
			if got := l.events(); got != c.events {
				t.Errorf("the events are %s, want %s", got, c.events)
			}
			if _, err := l.Store.ReadFile(gateFile); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is left: %v", gateFile, err)
			}
		})
	}
}

func TestPassIsBoundToTheTree(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "true")
	l.run(l.check())
	tree, err := l.Repo().Tree(t.Context())
	if err != nil || l.world().Gate.Tree != tree.Hash {
		t.Errorf("gate %+v, tree %v, %v", l.world().Gate, tree, err)
	}
	if r := l.do(core.Command{Kind: "submit", By: hqtest.Executor(), Text: "done"}); r.Status != "submitted" {
		t.Errorf("the result is %+v, want submitted", r)
	}
}

func TestLastFailureIsFailed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "false")
	l.run(l.check())
	l.run(l.check())
	if w := l.world(); w.State != "Failed" || w.CheckRetries != 2 || w.ClaimedBy != "" {
		t.Errorf("%s after %d retries, claimed by %q; want Failed after 2 and unclaimed",
			w.State, w.CheckRetries, w.ClaimedBy)
	}
}

func TestPinnedCommandsRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "false")
	l.write(filepath.Join(l.Dir, "ferrus.toml"), "[checks]\ncommands = [\"true\"]\n")
	if record := l.run(l.check()); record.Verdict != checks.Fail {
		t.Errorf("an edited ferrus.toml was run: %s", record.Why)
	}
	record, err := Force(t.Context(), l.Task, Options{})
	if err != nil || record.Verdict != checks.Pass {
		t.Errorf("force runs what is there now: %s, %v", record.Why, err)
	}
}

func TestUnprovenIsAllowedOnlyForWantOfCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "true")
	l.do(core.Command{Kind: "reset", By: project.HumanActor()})
	l.write(filepath.Join(l.Dir, "ferrus.toml"), "[checks]\nallow_none = true\n")
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "x"})
	l.do(core.Command{Kind: "claim", By: hqtest.Executor()})
	l.run(l.check())
	if w := l.world(); w.State != "Checking" || w.Gate.Verdict != checks.Unproven || w.Gate.Tree == "" {
		t.Errorf("%s with gate %+v, want Checking with UNPROVEN on a tree", w.State, w.Gate)
	}
	l.ok(os.MkdirAll(filepath.Join(l.Dir, "nested", ".git", "objects"), 0o755))
	l.write(filepath.Join(l.Dir, "nested", ".git", "HEAD"), "ref: refs/heads/main\n")
	l.ok(os.MkdirAll(filepath.Join(l.Dir, "nested", ".git", "refs"), 0o755))
	record := l.run(l.check())
	if w := l.world(); w.State != "Executing" || w.Hold == nil || !strings.Contains(record.Why, "nested") {
		t.Errorf("%s with hold %v: %s; want Executing on hold because of nested", w.State, w.Hold, record.Why)
	}
}

func TestLeaseIsRenewedWhileTheGateRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for renewals")
	}
	t.Parallel()
	l := newFixture(t, "while [ ! -e $OUT/finish ]; do sleep 0.05; done")
	ticket := l.check()
	before := l.world().LastHeartbeat
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), l.Task, ticket, Options{}) }()
	l.until("a renewal", func() bool { return l.world().LastHeartbeat.After(*before) })
	l.write(filepath.Join(l.out, "finish"), "")
	l.ok(<-ended)
	if got := l.events(); got != "check checked" {
		t.Errorf("the events are %s, want check and checked", got)
	}
}

func TestForceChangesNoState(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "echo seen; exit 1")
	before, err := l.World()
	l.ok(err)
	record, err := Force(t.Context(), l.Task, Options{})
	if err != nil || record.Verdict != checks.Fail || !strings.Contains(record.Report, "seen") {
		t.Errorf("the record is %+v, %v; want a failure whose report has seen", record, err)
	}
	if after, err := l.World(); err != nil || after.Seq != before.Seq {
		t.Errorf("seq %d, now %d, %v", before.Seq, after.Seq, err)
	}
	if names, err := l.Store.List("checks"); err != nil || len(names) != 1 || !strings.HasPrefix(names[0], "force_") {
		t.Errorf("the records are %v, %v; want one forced check", names, err)
	}
}

func TestWaitForAnOldTicketReturnsAtOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "true")
	if _, done, err := Wait(t.Context(), l.Task, 1, within(time.Minute)); !done || err != nil {
		t.Errorf("done %v, %v; want true", done, err)
	}
	if _, err := Read(l.Task, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read: %v, want that it does not exist", err)
	}
}

// TestUntrustedCommandsDoNotRun: they are not trusted here, and the verdict says so.
func TestUntrustedCommandsDoNotRun(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "touch $OUT/ran")
	l.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	record := l.run(l.check())
	w := l.world()
	if record.Verdict != checks.Unproven || !strings.Contains(record.Why, "ferrus trust") || len(record.Commands) != 0 {
		t.Errorf("the record is %+v, want UNPROVEN without commands, with ferrus trust", record)
	}
	if w.State != "Executing" || w.Hold == nil || w.Hold.Reason != "unproven" || w.CheckRetries != 0 {
		t.Errorf("%s with hold %+v, want Executing on hold as unproven", w.State, w.Hold)
	}
	log, err := os.ReadFile(filepath.Join(l.Dir, record.Log))
	if err != nil || !strings.Contains(string(log), record.Why) {
		t.Errorf("the log is %q, %v; want the reason", log, err)
	}
	if _, err := os.Stat(filepath.Join(l.out, "ran")); err == nil {
		t.Error("the commands ran")
	}
	l.ok(l.Trust(*w.Task.Definition))
	l.do(core.Command{Kind: "resume", By: project.HumanActor()})
	if record := l.run(l.check()); record.Verdict != checks.Pass {
		t.Errorf("once it is trusted: %s, want a pass", record.Why)
	}
}

// TestCommandsOfATaskAreTables: name, place, environment and time reach the record.
func TestCommandsOfATaskAreTables(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	l.do(core.Command{Kind: "reset", By: project.HumanActor()})
	l.ok(os.Mkdir(filepath.Join(l.Dir, "sub"), 0o755))
	l.write(filepath.Join(l.Dir, "sub", "here"), "")
	l.write(filepath.Join(l.Dir, "ferrus.toml"), `[checks]
commands = [{ name = "unit", run = "test -f here && echo \"$N passed in 0.1s\"", dir = "sub", env = { N = "7" } },
  { name = "slow", run = "sleep 1000", timeout_secs = 1 }]
`)
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do it"})
	l.do(core.Command{Kind: "claim", By: hqtest.Executor()})
	record := l.run(l.check())
	if record.Verdict != checks.Timeout || record.Commands[0].Title() != "unit" ||
		record.Tests().String() != "7 tests passed" || !strings.Contains(record.Why, "slow") {
		t.Errorf("the record is %s: %+v, want a timeout of slow after 7 tests of unit", record.Why, record.Commands)
	}
}
