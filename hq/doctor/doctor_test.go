package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store"
)

// newProject returns a git repository with ferrus set up and the given World in it.
func newProject(t *testing.T, w core.World) *project.Task {
	t.Helper()
	dir := t.TempDir()
	gittest.Run(t, dir, "init", "--quiet")
	d, err := store.Create(context.Background(), dir, core.New(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if w.State != "" {
		if _, err := d.Update(context.Background(), store.Call{}, func(tx *store.Tx[core.World]) error {
			tx.World = w
			tx.SetText(core.TaskText, "do it")
			tx.Record("create_task", "person", "", "")
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ferrus.toml"),
		[]byte("[checks]\ncommands = [\"true\"]\n[hq.supervisor]\nagent = \"demo\"\n[hq.executor]\nagent = \"demo\"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(dir, "demo")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func examine(t *testing.T, p *project.Task) string {
	t.Helper()
	r, err := Examine(context.Background(), p.Dir, Options{Version: "test", Agents: []string{"demo", "demo"}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(string(f.Severity) + " " + f.Area + " " + f.What + "\n")
		if f.brief == "" || (f.Severity == Error || f.Severity == Warning) && f.Fix == "" {
			t.Errorf("%+v lacks its own text, or a fix", f)
		}
	}
	return b.String()
}

func says(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("the findings are\n%swant %s", got, want)
	}
}

// dead returns a process of this machine that has exited.
func dead(t *testing.T) *process.Identity {
	t.Helper()
	c := exec.Command("sleep", "1000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := process.Identify(c.Process.Pid)
	err = errors.Join(err, c.Process.Kill())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	return id
}

func TestGateThatNobodyRuns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	w := core.New(time.Now())
	w.State, w.Gate, w.Task = "Checking", &core.Gate{Ticket: 1, Attempt: 1, From: "Executing"},
		&core.Task{ID: "t-1", Gates: 1}
	p := newProject(t, w)
	says(t, examine(t, p), "warning gate gate 1 should be running, but no process runs it")
	lock, err := p.Store.TryLock(project.GateLock)
	if err != nil {
		t.Fatal(err)
	}
	says(t, examine(t, p), "ok gate gate 1 runs")
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
}

// A session that was left running on purpose is not a fault: the next conductor takes it over.
func TestASessionWasLeftRunning(t *testing.T) {
	t.Parallel()
	p := newProject(t, core.New(time.Now()))
	here, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	record, err := json.Marshal(host.Record{Session: "1123456789abcdef", Host: here})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(p.Store.WriteFile(host.File("executor"), record),
		p.SavePresence("1123456789abcdef", project.Presence{PID: here.PID, Start: here.Start}),
		p.SaveRegistry(project.Registry{Agents: []project.SessionRecord{{
			Name: "executor:mine:1", Slot: core.SlotExecutor, Status: project.Running, PID: here.PID, Process: here,
			Session: "1123456789abcdef",
		}}}))
	if err != nil {
		t.Fatal(err)
	}
	got := examine(t, p)
	says(t, got, "note sessions a session was left running: executor:mine:1")
	if strings.Contains(got, "runs without its host") {
		t.Errorf("doctor still reports a session without its host:\n%s", got)
	}
}

func TestSessionsThatDifferFromTheRegistry(t *testing.T) {
	t.Parallel()
	w := core.New(time.Now())
	w.State, w.Task = "Executing", &core.Task{ID: "t-1"}
	w.ClaimedBy, w.Claim = "executor:mine:1", &core.Claim{Session: "0123456789abcdef", Process: dead(t)}
	p := newProject(t, w)
	here, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	away := *here
	away.Host, away.PID = "another-host", 999999999
	err = p.SaveRegistry(project.Registry{Agents: []project.SessionRecord{
		{Name: "executor:mine:1", Status: project.Running, PID: w.Claim.Process.PID, Process: w.Claim.Process,
			Session: "0123456789abcdef"},
		{Name: "supervisor:mine:1", Status: project.Running, PID: here.PID, Process: here, Session: "1123456789abcdef"},
		{Name: "supervisor:mine:2", Status: project.Running, PID: away.PID, Process: &away,
			Session: "2123456789abcdef"},
		{Name: "supervisor:mine:3", Status: project.Suspended, Session: "../../../x"},
	}})
	err = errors.Join(err, p.SavePresence("0123456789abcdef",
		project.Presence{PID: w.Claim.Process.PID, Start: w.Claim.Process.Start}),
		p.SavePresence("1123456789abcdef", project.Presence{PID: here.PID, Start: here.Start}),
		p.SavePresence("2123456789abcdef", project.Presence{PID: away.PID, Start: 1}))
	if err != nil {
		t.Fatal(err)
	}
	got := examine(t, p)
	says(t, got, "warning sessions a session is recorded as running, but its process is gone: executor:mine:1")
	says(t, got, "warning sessions a session is running without its host: supervisor:mine:1")
	says(t, got, "note sessions the lease is held by a process that is gone: executor:mine:1")
	says(t, got, "note sessions an ended session left a file behind: .ferrus/run/0123456789abcdef.json")
	for _, wrong := range []string{"mine:2", "mine:3", "1123456789abcdef", "2123456789abcdef"} {
		if strings.Contains(got, wrong) {
			t.Errorf("%s is reported:\n%s", wrong, got)
		}
	}
	r, err := Repair(context.Background(), p.Dir, Options{Agents: []string{"demo", "demo"}})
	if err != nil || strings.Join(r.Fixed, "\n") != "run/0123456789abcdef.json was removed: its session is gone" ||
		len(r.Unfixed) > 0 {
		t.Fatalf("the repair is %+v, %v; want only the removal of the ended session", r, err)
	}
}

func TestRepairIsKeptOutByAConductor(t *testing.T) {
	t.Parallel()
	p := newProject(t, core.World{})
	lock, err := p.Store.TryLock(project.ConductorLock)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	before, err := os.ReadFile(p.Store.Path("STATE.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Store.Path("STATE.json"), before[:10], 0o600); err != nil {
		t.Fatal(err)
	}
	var held *store.LockedError
	if _, err := Repair(context.Background(), p.Dir, Options{}); !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(p.Store.Path("STATE.json")); err != nil || len(after) != 10 {
		t.Fatalf("STATE.json is %s, %v; want it unchanged", after, err)
	}
}

// FuzzRegistry gives doctor arbitrary agents.json and presence files: it always finishes with
// findings and never panics.
func FuzzRegistry(f *testing.F) {
	f.Add([]byte(`{"agents":[{"status":"running","process":{"pid":-1}}]}`), []byte(`{"pid":-1}`))
	f.Add([]byte(`{"agents":[{"status":"running","session":"../../x","process":null}],"wants":null}`), []byte(`null`))
	f.Add([]byte(`[]`), []byte(`{"pid":99999999999999999999}`))
	dir := f.TempDir()
	d, err := store.Create(context.Background(), dir, core.New(time.Now()))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, registry, seen []byte) {
		err := errors.Join(os.WriteFile(d.Path("agents.json"), registry, 0o600),
			os.WriteFile(d.Path("run", "0123456789abcdef.json"), seen, 0o600))
		if err != nil {
			t.Fatal(err)
		}
		p, err := newInspection(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.sessions()
		if _, err := json.Marshal(p.findings); err != nil || len(p.findings) == 0 {
			t.Fatalf("encode the findings: %v", err)
		}
	})
}

// An agent replaced the git directory that you used.
func TestAnotherGitDirectoryIsReported(t *testing.T) {
	t.Parallel()
	dir := hqtest.NewProject(t, nil).Dir
	heads := store.Heads(filepath.Join(t.TempDir(), "heads"))
	p, err := project.OpenKept(dir, heads)
	hqtest.Must(t, err)
	hqtest.Must(t, p.RecordRepository())
	hqtest.Must(t, os.Rename(filepath.Join(dir, ".git"), filepath.Join(t.TempDir(), "old")))
	gittest.Commit(t, dir)
	report, err := Examine(t.Context(), dir, Options{Heads: heads})
	hqtest.Must(t, err)
	for _, f := range report.Findings {
		if f.Area == "git" && f.Severity == Error && strings.Contains(f.What, "not the one that ferrus recorded") {
			return
		}
	}
	t.Errorf("the findings are %+v, want another git directory", report.Findings)
}

// A lock that cannot be opened says nothing about the files.
func TestFilesThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	p := newProject(t, core.New(time.Now()))
	lock := p.Store.Path("sums.lock")
	hqtest.Must(t, os.Remove(lock))
	hqtest.Must(t, os.Mkdir(lock, 0o700))
	says(t, examine(t, p), "error files the files cannot be compared with what ferrus wrote")
}
