package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// lives returns the running executor session of a project.
func lives(t *testing.T, dir string) project.SessionRecord {
	t.Helper()
	var r project.Registry
	data, err := os.ReadFile(filepath.Join(dir, ".ferrus", "agents.json"))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Agents {
		if alive, _ := process.Alive(e.Process); alive && e.Slot == "executor" {
			return e
		}
	}
	t.Fatalf("no executor is running; the sessions are %s", data)
	return project.SessionRecord{}
}

// createDemoTask sets the demo's project up, with its task.
func createDemoTask(t *testing.T, dir string) *project.Task {
	t.Helper()
	if err := demo.Scaffold(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := initStore(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	p, err := openAt(dir)
	if err != nil {
		t.Fatal(err)
	}
	hqtest.Do(t, p, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: demo.Text})
	trust := exec.Command("ferrus", "trust", "--yes")
	trust.Dir, trust.Env = dir, append(os.Environ(), "FERRUS_PROJECT=", "FERRUS_NONCE=")
	if out, err := trust.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

// createAskedTask is createDemoTask with some of its code, and the question that the executor
// reaches after two gates and a review. No session waits for the answer.
func createAskedTask(t *testing.T, dir string) {
	t.Helper()
	p := createDemoTask(t, dir)
	for from, to := range map[string]string{"retry2.go.txt": "retry.go", "retry_test1.go.txt": "retry_test.go"} {
		hqtest.Write(t, dir, to, content("../demo/files", from))
	}
	hqtest.Do(t, p, core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
	hqtest.Do(t, p, core.Command{Kind: core.KindAskHuman, By: hqtest.Executor(),
		Text: content("../demo/files", "question.md")})
	hqtest.Do(t, p, core.Command{Kind: core.KindRelease, By: hqtest.Executor()})
}

// TestHQKilled kills HQ with -9, hangs up its terminal, and quits it with the sessions running:
// each time the next HQ shows the same session.
func TestHQKilled(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	dir := t.TempDir()
	createDemoTask(t, dir)
	x := open120(t, dir)
	x.WaitFor("executor asks:")
	x.WaitFor("wait_for_answer")
	before := lives(t, dir)
	for name, end := range map[string]func(){
		"kill -9":  func() { x.Command.Process.Kill() },                 //nolint:errcheck // it lives
		"hang-up":  func() { x.Command.Process.Signal(syscall.SIGHUP) }, //nolint:errcheck // as above
		"terminal": func() { x.File.Close() },                           //nolint:errcheck // that is the test
		"leave":    func() { x.Type("/quit\r"); x.WaitFor("l leave running"); x.Type("l") },
	} {
		end()
		x.WaitEnd()
		if now := lives(t, dir); now.PID != before.PID {
			t.Fatalf("%s: another session is running: %+v", name, now)
		}
		x = open120(t, dir)
		x.WaitFor("wait_for_answer")
		x.WaitFor("executor asks:")
		if now := lives(t, dir); now.PID != before.PID || now.SessionSeq != before.SessionSeq {
			t.Fatalf("%s: another session is running: %+v", name, now)
		}
	}
	x.Type("No, only GET and HEAD.\r")
	x.WaitFor("● Complete")
	x.Type("\x03\x03")
	x.WaitExit(0)
}

// TestAttach shows the same session in HQ and in another terminal: it is drawn in both, detaching
// one leaves it running, and its end is reported.
func TestAttach(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createDemoTask(t, dir)
	x := open120(t, dir)
	x.WaitFor("executor asks:")
	y := openSized(t, dir, 80, 24, "attach", "executor")
	y.WaitFor("ferrus: executor   Ctrl+] detaches")
	y.WaitFor("wait_for_answer")
	z := openSized(t, dir, 80, 24, "attach", "executor")
	z.WaitFor("read-only")
	z.Type("\x1d")
	z.WaitEnd()
	z.WaitFor("detached; the executor keeps running")
	x.Type("/quit\r")
	x.WaitFor("l leave running")
	x.Type("l")
	x.WaitEnd()
	y.Type("\x1d")
	y.WaitEnd()
	y.WaitFor("detached; the executor keeps running")
	y = openSized(t, dir, 80, 24, "attach", "--read", "executor")
	y.WaitFor("wait_for_answer")
	x = open120(t, dir)
	x.WaitFor("executor asks:")
	x.Type("/stop\r")
	x.WaitFor("Stop?")
	x.Type("y")
	y.WaitFor("the executor ")
	y.WaitEnd()
	x.Type("\x03\x03")
	x.WaitExit(0)
}
