package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/hq/benchtest"
	"ferrus/hq/core"
	"ferrus/store"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// slowTOML is a configuration with the slow agent.
const slowTOML = `[checks]
commands = ["true"]
[hq]
workspace = "worktree"
[hq.supervisor]
agent = "slowagent"
[hq.executor]
agent = "slowagent"
[agent.slowagent]
command = ["slowagent", "{role}", "{mcp_config}"]
[session]
max_consecutive_errors = 50
max_total_errors = 100
[merge]
auto = true
follow = true
[sandbox]
mode = "off"
`

// TestManyTasks has 8 workers of this machine run 200 tasks, and prints how long each took from its
// turn until its agent called for it. They would land only on your command, which never comes: the
// test measures sessions, not merges.
func TestManyTasks(t *testing.T) {
	longtest.Only(t)
	const tasks, workers, slots = 200, 8, 1
	root, err := os.MkdirTemp("/tmp", "fm") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	toml := strings.Replace(slowTOML, "auto = true", "auto = false", 1)
	toml += fmt.Sprintf("[limits]\nmax_parallel_tasks = %d\nmin_free_memory_mb = 0\n", workers*slots)
	for i := range workers {
		toml += fmt.Sprintf("[worker.w%d]\nssh = \"w%[1]d\"\nslots = %d\nlabels = [\"w\"]\n", i, slots)
		for _, below := range []string{"run", ".local/bin"} {
			if err := os.MkdirAll(filepath.Join(root, fmt.Sprintf("w%d", i), below), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Only the last two arguments matter: the destination and the command.
	const ssh = `#!/bin/sh
while [ $# -gt 2 ]; do shift; done
export HOME=ROOT/$1 XDG_RUNTIME_DIR=ROOT/$1/run
exec sh -c "$2"
`
	app := filepath.Join(root, "app")
	var list strings.Builder
	for i := range tasks {
		fmt.Fprintf(&list, "# Task %d\nNeeds: w\n\nDo it.\n\n", i+1)
	}
	for name, text := range map[string]string{"ssh": strings.ReplaceAll(ssh, "ROOT", root), "app/ferrus.toml": toml,
		"app/a.txt": "a\n", "tasks.md": list.String(),
		".gitconfig": "[user]\n\tname = You\n\temail = you@example.com\n"} {
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = exectest.WriteFile(path, []byte(text), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "HOME="+root, "XDG_RUNTIME_DIR="+root, "XDG_STATE_HOME="+root+"/state",
		"FERRUS_PROJECT=", "FERRUS_NONCE=", "FERRUS_SSH_COMMAND="+root+"/ssh", paceEnv+"=0s")
	began := time.Now()
	for _, line := range []string{"git init --quiet --initial-branch=main", "ferrus init --yes", "ferrus trust --yes",
		"git add -A", "git commit --quiet -m first", "ferrus run -f ../tasks.md"} {
		words := strings.Fields(line)
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = app, env
		if out, err := c.CombinedOutput(); err != nil && c.ProcessState.ExitCode() != codeWaiting {
			t.Fatalf("%s: %v: %s", line, err, out[max(len(out)-3000, 0):])
		}
	}
	var took []time.Duration
	journals, _ := filepath.Glob(filepath.Join(app, ".ferrus/tasks/*/journal.jsonl"))
	for _, name := range journals {
		took = append(took, untilClaimed(t, name))
	}
	if len(took) != tasks {
		t.Fatalf("%d tasks have begun", len(took))
	}
	t.Logf("%d tasks over %d workers in %v: from its turn until its agent calls, p50 %.0f ms, p90 %.0f ms, p99 %.0f ms",
		tasks, workers, time.Since(began).Round(time.Second), benchtest.Milliseconds(took, 0.5),
		benchtest.Milliseconds(took, 0.9), benchtest.Milliseconds(took, 0.99))
}

// untilClaimed returns the time from a task's creation to its first claim, from its journal.
func untilClaimed(t *testing.T, name string) time.Duration {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var created time.Time
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e store.Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Event {
		case string(core.KindCreateTask):
			created = e.At
		case string(core.KindClaim):
			return e.At.Sub(created)
		}
	}
	t.Fatalf("%s: it was never claimed", name)
	return 0
}
