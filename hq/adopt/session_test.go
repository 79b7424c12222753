package adopt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/hq/adopt"
	"ferrus/hq/hqtest"
	"ferrus/hq/queue"
)

const (
	oldID = "11111111-2222-3333-4444-555555555555"
	newID = "01a20ad8-0cbf-7bd1-8ee3-1384d08b56a4"
)

// held puts a conversation from each of two clients into the home directory; the second one is
// newer.
func (f *fixture) held(dir string) (claude, codex string) {
	f.Helper()
	slug := strings.NewReplacer("/", "-", " ", "-", "_", "-", ".", "-").Replace(dir)
	claude = filepath.Join(f.home, ".claude", "projects", slug, oldID+".jsonl")
	hqtest.Write(f, f.home, claude[len(f.home):], `{"type":"queue-operation","content":"x"}
{"type":"user","isMeta":true,"message":{"role":"user","content":"Caveat: not yours"},"cwd":"`+dir+`"}
{"type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>"},"cwd":"`+dir+`"}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Have fetch try again\u001b[31m"}]},"cwd":"`+dir+`"}
`)
	codex = filepath.Join(f.home, ".codex/sessions/2026/11/23", "rollout-2026-11-23T23-57-40-"+newID+".jsonl")
	hqtest.Write(f, f.home, codex[len(f.home):], `{"type":"session_meta","payload":{"id":"`+newID+`","cwd":"`+dir+`/sub"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"<environment_context>"}]}}
{"type":"event_msg","payload":{"type":"user_message","message":"# Retry\n\nFetch tries three times."}}
`)
	at := time.Now().Add(-time.Hour)
	f.ok(os.Chtimes(claude, at, at))
	return claude, codex
}

// The newest conversation from the worktree continues, unless you name an agent; its first message
// becomes the proposed text. Its file is copied, so it may disappear before the task starts.
func TestTheConversationGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, "[hq]\nworkspace = \"worktree\"\n")
	dir := f.linked()
	elsewhere := t.TempDir()
	f.held(elsewhere)
	look := func(o adopt.Options) adopt.Found {
		t.Helper()
		found, err := adopt.Inspect(t.Context(), f.Task, dir, o)
		f.ok(err)
		return found
	}
	if found := look(adopt.Options{}); found.Conversation != nil || found.Text != "Retry fetch" {
		t.Errorf("without a conversation it proposes %q and %+v, want only Retry fetch",
			found.Text, found.Conversation)
	}
	_, codex := f.held(dir)
	if found := look(adopt.Options{}); found.Conversation == nil || found.Conversation.ID != newID ||
		found.Conversation.Agent != "codex" || found.Text != "# Retry\n\nFetch tries three times." {
		t.Errorf("it proposes %q and %+v, want codex's newer conversation", found.Text, found.Conversation)
	}
	found := look(adopt.Options{Agent: "claude-code"})
	if found.Conversation == nil || found.Conversation.ID != oldID || found.Text != "Have fetch try again" {
		t.Errorf("for claude-code it proposes %q and %+v, want the older conversation",
			found.Text, found.Conversation)
	}
	if found := look(adopt.Options{Agent: adopt.NoAgent}); found.Conversation != nil {
		t.Errorf("for no agent it proposes %+v, want no conversation", found.Conversation)
	}
	want, err := os.ReadFile(codex)
	f.ok(err)
	item := f.adopt(dir, "Retry")
	f.ok(os.Remove(codex))
	one := f.startTask(item.N)
	if got, err := os.ReadFile(f.Conversation(one.ID)); string(got) != string(want) {
		t.Errorf("the copy is %q, %v; want %q", got, err, want)
	}
	w := hqtest.World(t, one)
	a := w.Task.Workspace.Adopted
	if a == nil || a.Agent != "codex" || a.Conversation != newID || a.Held != dir+"/sub" ||
		a.Place != "sessions/2026/11/23/"+filepath.Base(codex) {
		t.Errorf("the task adopted %+v, want codex's conversation", a)
	}
}

// The task's executor is the conversation's agent, whatever ferrus.toml says, and the queue counts
// it as such.
func TestTheConversationsAgentIsTheExecutor(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, "[hq]\nworkspace = \"worktree\"\n[hq.executor]\nagent = \"codex\"\nmodel = \"m\"\n"+
		"[agent.claude-code]\nmax_sessions = 1\n")
	dir := f.linked()
	_, codex := f.held(dir)
	f.ok(os.Remove(codex))
	item := f.adopt(dir, "Retry")
	one := f.startTask(item.N)
	if r := hqtest.World(t, one).Pinned().Executor; r.Agent != "claude-code" || r.Model != "" {
		t.Errorf("the executor is %+v, want claude-code without a model", r)
	}
	q, err := queue.Open(f.Task)
	f.ok(err)
	s, err := q.Load()
	f.ok(err)
	if got := s.World.Items[0].Agents; len(got) == 0 || got[0] != "claude-code" {
		t.Errorf("the queue counts %q, want claude-code first", got)
	}
}

// A client that still runs in the worktree prevents its adoption; a client that runs elsewhere does
// not, nor does another program.
func TestARunningClientIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, "[hq]\nworkspace = \"worktree\"\n")
	dir := f.linked()
	run := func(name, in string) *exec.Cmd {
		t.Helper()
		sleep, err := exec.LookPath("sleep")
		f.ok(err)
		program := filepath.Join(t.TempDir(), name)
		f.ok(os.Symlink(sleep, program))
		cmd := exec.Command(program, "600")
		cmd.Dir = in
		f.ok(cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	run("claude", f.Dir)
	run("vim", dir)
	_, err := adopt.Inspect(t.Context(), f.Task, dir, adopt.Options{})
	f.ok(err)
	client := run("claude", filepath.Join(dir, "sub"))
	f.refused(dir, adopt.Options{}, "claude-code (pid ", "still runs in "+dir)
	f.refused(dir, adopt.Options{Agent: adopt.NoAgent}, "still runs in")
	f.ok(client.Process.Kill())
	_ = client.Wait()
	f.adopt(dir, "Retry")
}
