package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ferrus/hq"
	"ferrus/hq/demo"
	"ferrus/hq/project"
	"ferrus/store"
)

// gone waits for the end of an HQ whose sessions may go on.
func (x *terminal) gone() {
	x.t.Helper()
	select {
	case <-x.ended:
	case <-time.After(patience):
		x.t.Fatalf("ferrus does not end:\n%s", x.text())
	}
}

// lives is the executor's session of a project, which must live.
func lives(t *testing.T, dir string) project.Entry {
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
		if alive, _ := project.Alive(e.Process); alive && e.Slot == "executor" {
			return e
		}
	}
	t.Fatalf("no executor lives: %s", data)
	return project.Entry{}
}

// story sets the demo's project up, with its task.
func story(t *testing.T, dir string) {
	t.Helper()
	if err := demo.Scaffold(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := establish(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(dir, names()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Do(t.Context(), store.Call{}, hq.Command{Kind: "create_task", By: project.Person(), Text: demo.Text}); err != nil {
		t.Fatal(err)
	}
	trust := exec.Command("ferrus", "trust", "--yes")
	trust.Dir, trust.Env = dir, append(os.Environ(), "FERRUS_PROJECT=", "FERRUS_NONCE=")
	if out, err := trust.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestHQKilled kills HQ with -9, hangs its terminal up, and leaves it with the
// sessions running: each time the next one has the same session on its screen.
func TestHQKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	story(t, dir)
	x := open120(t, dir)
	x.see("executor asks:")
	x.see("wait_for_answer")
	before := lives(t, dir)
	for name, end := range map[string]func(){
		"kill -9":  func() { x.command.Process.Kill() },                 //nolint:errcheck // it lives
		"hang-up":  func() { x.command.Process.Signal(syscall.SIGHUP) }, //nolint:errcheck // as above
		"terminal": func() { x.file.Close() },                           //nolint:errcheck // that is the test
		"leave":    func() { x.typed("/quit\r"); x.see("l leave running"); x.typed("l") },
	} {
		end()
		x.gone()
		if now := lives(t, dir); now.PID != before.PID {
			t.Fatalf("%s: another session lives: %+v", name, now)
		}
		x = open120(t, dir)
		x.see("wait_for_answer")
		x.see("executor asks:")
		if now := lives(t, dir); now.PID != before.PID || now.SessionSeq != before.SessionSeq {
			t.Fatalf("%s: another session lives: %+v", name, now)
		}
	}
	x.typed("No, only GET and HEAD.\r")
	x.see("● Complete")
	x.typed("\x03\x03")
	x.over(0)
}

// TestAttach follows the same session in HQ and in another terminal: it is drawn
// in both, leaving one leaves it running, and its end is told.
func TestAttach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	story(t, dir)
	x := open120(t, dir)
	x.see("executor asks:")
	y := openSized(t, dir, 80, 24, "attach", "executor")
	y.see("ferrus: executor   Ctrl+] leaves")
	y.see("wait_for_answer")
	z := openSized(t, dir, 80, 24, "attach", "executor")
	z.see("read only")
	z.typed("\x1d")
	z.gone()
	z.see("left: the executor goes on")
	x.typed("/quit\r")
	x.see("l leave running")
	x.typed("l")
	x.gone()
	y.typed("\x1d")
	y.gone()
	y.see("left: the executor goes on")
	y = openSized(t, dir, 80, 24, "attach", "--read", "executor")
	y.see("wait_for_answer")
	x = open120(t, dir)
	x.see("executor asks:")
	x.typed("/stop\r")
	y.see("the executor ")
	y.gone()
	x.typed("\x03\x03")
	x.over(0)
}
