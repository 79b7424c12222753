package agent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/acp"
)

// records are what clients write to disk: a turn with a call, and its end. AT stands for the time,
// DIR for the workspace.
var records = map[string]struct{ file, runs, over string }{
	"claude-code": {
		".claude/projects/SLUG/11111111-2222-4333-8444-555555555555.jsonl",
		`{"isSidechain":false,"type":"user","message":{"role":"user","content":"work"},"timestamp":"AT","cwd":"DIR"}
{"isSidechain":false,"message":{"content":[{"type":"tool_use"}],"id":"msg_1","stop_reason":"tool_use","usage":{"input_tokens":10,"output_tokens":5}},"type":"assistant","timestamp":"AT"}
{"isSidechain":true,"message":{"content":[],"id":"msg_9","stop_reason":"end_turn"},"type":"assistant","timestamp":"AT"}
{"type":"file-history-snapshot"}`,
		`{"isSidechain":false,"message":{"content":[{"text":"Done.","type":"text"}],"id":"msg_2","stop_reason":"end_turn","usage":{"input_tokens":30,"output_tokens":15}},"type":"assistant","timestamp":"AT"}`,
	},
	"codex": {
		".codex/sessions/DAY/rollout-2026-11-25T00-20-09-11111111-2222-4333-8444-555555555555.jsonl",
		`{"timestamp":"AT","type":"session_meta","payload":{"id":"11111111-2222-4333-8444-555555555555","cwd":"DIR"}}
{"timestamp":"AT","type":"event_msg","payload":{"type":"task_started"}}
{"timestamp":"AT","type":"token_usage_record","payload":{"response_id":"resp_1","usage":{"input_tokens":10,"output_tokens":5}}}
{"timestamp":"AT","type":"response_item","payload":{"type":"function_call"}}`,
		`{"timestamp":"AT","type":"token_usage_record","payload":{"response_id":"resp_2","usage":{"input_tokens":30,"output_tokens":15}}}
{"timestamp":"AT","type":"event_msg","payload":{"type":"task_complete"}}`,
	},
	"qwen-code": {
		".qwen/projects/SLUG/chats/11111111-2222-4333-8444-555555555555.jsonl",
		`{"uuid":"a","type":"user","timestamp":"AT","cwd":"DIR","message":{"role":"user","parts":[{"text":"work"}]}}
{"uuid":"b","type":"assistant","timestamp":"AT","message":{"parts":[{"functionCall":{"name":"x"}}]},"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5}}
{"uuid":"c","type":"system","timestamp":"AT"}`,
		`{"uuid":"d","type":"assistant","timestamp":"AT","message":{"parts":[{"text":"Done."}]},"usageMetadata":{"promptTokenCount":30,"candidatesTokenCount":15}}`,
	},
	"copilot": {
		".copilot/session-state/11111111-2222-4333-8444-555555555555/events.jsonl",
		`{"type":"session.start","data":{"context":{"cwd":"DIR"}},"timestamp":"AT"}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"name":"x"}]},"timestamp":"AT"}
{"type":"session.usage_record","id":"1","data":{"usage":{"inputTokens":10,"outputTokens":5}},"timestamp":"AT"}
{"type":"assistant.turn_end","data":{"turnId":"0"},"timestamp":"AT"}`,
		`{"type":"session.usage_record","id":"2","data":{"usage":{"inputTokens":30,"outputTokens":15}},"timestamp":"AT"}
{"type":"assistant.message","data":{"content":"Done.","toolRequests":[]},"timestamp":"AT"}
{"type":"assistant.turn_end","data":{"turnId":"1"},"timestamp":"AT"}`,
	},
}

// recorded writes what a client writes down into a home, at a time.
func recorded(t *testing.T, home, name, text, dir string, at time.Time) {
	t.Helper()
	r := strings.NewReplacer("SLUG", slug(dir), "DAY", at.Format("2006/01/02"), "DIR", dir,
		"AT", at.UTC().Format(time.RFC3339Nano))
	file := filepath.Join(home, r.Replace(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = out.WriteString(r.Replace(text) + "\n")
		out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordsTellTheEndOfATurn(t *testing.T) {
	for name, r := range records {
		t.Run(name, func(t *testing.T) {
			home, began := t.TempDir(), time.Now().Add(-time.Second)
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			s := OwnScreen{Reports: home, Home: home, Workspace: dir, Since: began}
			a := adapters[name]
			check := func(when string, over bool, id string, used Usage) {
				t.Helper()
				if at := TurnEnded(a, s); at.IsZero() == over {
					t.Errorf("%s: the turn ended %v", when, at)
				}
				if got := LastConversation(a, s); got != id {
					t.Errorf("%s: the conversation is %q, not %q", when, got, id)
				}
				if got := WrittenUsage(a, s); got != used {
					t.Errorf("%s: it used %+v, not %+v", when, got, used)
				}
			}
			check("without a record", false, "", Usage{})
			recorded(t, home, r.file, r.runs+"\n"+r.over, dir, began.Add(-time.Hour))
			id := "11111111-2222-4333-8444-555555555555"
			check("after an older session", false, id, Usage{})
			recorded(t, home, r.file, r.runs, dir, time.Now())
			check("while it runs", false, id, Usage{Input: 10, Output: 5, Known: true})
			recorded(t, home, r.file, r.over, dir, time.Now())
			check("at its end", true, id, Usage{Input: 40, Output: 20, Known: true})
			recorded(t, home, r.file, strings.Split(r.runs, "\n")[1], dir, time.Now())
			if at := TurnEnded(a, s); !at.IsZero() {
				t.Errorf("another turn runs, and it ended %v", at)
			}
		})
	}
}

// A record may be a sparse file: a session's usage is summed from its end.
func TestARecordOfHolesIsNotReadWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads or writes large files")
	}
	r, home, began := records["codex"], t.TempDir(), time.Now().Add(-time.Second)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.NewReplacer("DAY", began.Format("2006/01/02")).Replace(r.file)
	file := filepath.Join(home, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 1<<42)); err != nil {
		t.Fatal(err)
	}
	recorded(t, home, r.file, "\n"+r.runs+"\n"+r.over, dir, time.Now())
	used := make(chan Usage, 1)
	go func() { used <- WrittenUsage(adapters["codex"], OwnScreen{Home: home, Workspace: dir, Since: began}) }()
	select {
	case got := <-used:
		if want := (Usage{Input: 40, Output: 20, Known: true}); got != want {
			t.Errorf("it used %+v, not %+v", got, want)
		}
	case <-time.After(30 * time.Second):
		t.Error("4 TiB of holes are read")
	}
}

// A session outside the sandbox shares your home: your work elsewhere is not its turn.
func TestYourOwnSessionsEndNoTurn(t *testing.T) {
	home, began := t.TempDir(), time.Now().Add(-time.Second)
	t.Setenv("HOME", home)
	for _, variable := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"} {
		t.Setenv(variable, "")
	}
	for name, r := range records {
		recorded(t, home, r.file, r.runs+"\n"+r.over, "/somewhere/else", time.Now())
		s := OwnScreen{Reports: t.TempDir(), Workspace: t.TempDir(), Since: began}
		if at := TurnEnded(adapters[name], s); !at.IsZero() {
			t.Errorf("%s: a turn elsewhere ended %v", name, at)
		}
		if id := LastConversation(adapters[name], s); id != "" {
			t.Errorf("%s: it continues %s", name, id)
		}
		s.Workspace = "/somewhere/else"
		if TurnEnded(adapters[name], s).IsZero() {
			t.Errorf("%s: its own turn did not end", name)
		}
	}
}

func TestReportsAreRead(t *testing.T) {
	s := OwnScreen{Reports: t.TempDir(), Since: time.Now().Add(-time.Minute)}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(s.Reports, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := adapters["opencode"]
	if id := LastConversation(a, s); id != NewestConversation {
		t.Errorf("without a report, it continues %q", id)
	}
	write("turn-end", "ses_1\n")
	write("turn-end.session", "ses_1")
	write("usage.json", `{"input":40,"cached":7,"output":20,"cost":0.5}`)
	if TurnEnded(a, s).IsZero() || LastConversation(a, s) != "ses_1" {
		t.Errorf("ended %v, continues %q", TurnEnded(a, s), LastConversation(a, s))
	}
	want := Usage{Input: 40, Cached: 7, Output: 20, Known: true, Cost: 0.5, Priced: true}
	if got := WrittenUsage(a, s); got != want {
		t.Errorf("WrittenUsage(a, s) is %v, want %v", got, want)
	}
	for _, hostile := range []string{"--yolo", "ses_1; x", "../../x"} {
		write("turn-end.session", hostile)
		if id := LastConversation(a, s); id != NewestConversation {
			t.Errorf("%q continues %q, want the newest conversation", hostile, id)
		}
	}
	if err := os.Remove(filepath.Join(s.Reports, "usage.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(s.Reports, "usage.json")); err != nil {
		t.Fatal(err)
	}
	if got := WrittenUsage(a, s); got != (Usage{}) {
		t.Errorf("a link: %+v", got)
	}
}

// The protocol's file names a session's conversation if the session wrote it for this directory; a
// pipe in place of the file or of a record is not waited for.
func TestUnfinishedConversationsContinue(t *testing.T) {
	t.Parallel()
	a, err := Lookup("gemini-cli", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, since := t.TempDir(), time.Now().Add(-time.Minute)
	file := filepath.Join(dir, "conversation-work.json")
	s := OwnScreen{Reports: dir, Home: dir, Workspace: "/w", Since: since, Unfinished: file}
	for _, c := range []struct {
		dir, want string
		at        time.Time
	}{
		{"/w", "c-1", since.Add(time.Second)}, {"/w", "", since.Add(-time.Second)},
		{"/other", "", since.Add(time.Second)},
	} {
		if err := os.WriteFile(file, acp.Remembering(c.dir, "c-1"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, c.at, c.at); err != nil {
			t.Fatal(err)
		}
		if got := LastConversation(a, s); got != c.want {
			t.Errorf("%+v: %q; want %q", c, got, c.want)
		}
	}
	if err := errors.Join(os.Remove(file), syscall.Mkfifo(file, 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := LastConversation(a, s); got != "" {
		t.Errorf("a pipe names %q", got)
	}
}

// An agent whose own screen is a different program from its headless one cannot continue there; one
// whose only screen is a dialog over the protocol can.
func TestWhoContinuesOnAScreen(t *testing.T) {
	t.Parallel()
	all := map[string]Custom{
		"dialog": {ACP: []string{"x"}}, "two": {ACP: []string{"x"}, InteractiveCommand: []string{"y"}},
		"command": {Command: []string{"x"}},
	}
	for _, c := range []struct {
		name              string
		dialog, continues bool
	}{
		{"dialog", true, true}, {"two", false, false}, {"command", false, false}, {"gemini-cli", true, true},
		{"claude-code", false, true}, {"opencode", false, true},
	} {
		a, err := Lookup(c.name, all)
		if err != nil {
			t.Fatal(err)
		}
		if Dialog(a) != c.dialog || ContinuesSession(a) != c.continues {
			t.Errorf("%s: a dialog: %v, continues: %v", c.name, Dialog(a), ContinuesSession(a))
		}
	}
}
