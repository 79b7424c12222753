//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/hq/clients/model"
	"ferrus/hq/core"
	"ferrus/machine"
)

// continuing has the lines of a shell script that make a client continue its last conversation; $@
// has ferrus's arguments.
var continuing = map[string]string{
	"claude-code": `exec "$real" --continue "$@"`,
	"codex":       `shift; exec "$real" exec resume --last "$@"`,
	"copilot":     `exec "$real" --continue "$@"`,
	"opencode":    `shift; exec "$real" run --continue "$@"`,
	"qwen-code":   `exec "$real" --continue "$@"`,
}

// A conversation inside the sandbox is continued by the slot's next session, also inside: the
// client's files about it are kept with the task, and newly imported settings do not overwrite
// them.
func TestConversationsGoOnInside(t *testing.T) {
	if _, err := sandbox.Choose(t.Context(), sandbox.Require, sandbox.Proxied); err != nil {
		t.Skip("no namespace sandbox here: " + err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(continuing)) {
		t.Run(name, func(t *testing.T) {
			var remembered atomic.Bool
			modules := filepath.Dir(clients[name].install(t)) // needed by the script that replaces the client
			ferrus, err := built()                            // the conductor runs elsewhere
			if err != nil {
				t.Fatal(err)
			}
			more := fmt.Sprintf("[sandbox]\nmode = \"require\"\nread = [%q, %q]\n", modules, ferrus)
			b := newFixture(t, setup{supervisor: name, executor: name, more: more,
				script: func(c model.Conversation) model.Action {
					words := strings.Join(c.User, "\n")
					if strings.Contains(words, second) && strings.Contains(words, first) {
						remembered.Store(true)
					}
					return model.Action{Text: "Noted."}
				}})
			b.lenient = true
			continued := b.continueLast(name)
			c, p := b.conductor()
			ask := func(number int, text string) {
				t.Helper()
				want := core.Request{Kind: core.ModeFree, Role: machine.Executor, Text: text}
				if err := c.Want(want); err != nil {
					t.Fatal(err)
				}
				b.over(p, number, core.ModeFree)
			}
			ask(1, first)
			if remembered.Load() {
				t.Fatal("the first conversation already has the second text")
			}
			write(t, continued, "")
			ask(2, second)
			if !remembered.Load() {
				t.Errorf("the second session does not remember the first\n%s", b.evidence())
			}
			for _, e := range b.ended() {
				if want := "namespace, network proxy"; e.Sandbox != want {
					t.Errorf("the %s ran in %q, want %q", e.Name, e.Sandbox, want)
				}
			}
			if err := c.Close(true); err != nil {
				t.Error(err)
			}
		})
	}
}

// The requests to the two sessions.
const (
	first  = "Remember that the word of the day is heliotrope."
	second = "Which word did I mention?"
)

// continueLast replaces a client by a script that continues its last conversation once a file
// exists, and returns that file.
func (b *fixture) continueLast(name string) (file string) {
	b.t.Helper()
	real := filepath.Join(clients[name].install(b.t), programs[name])
	bin := filepath.Join(b.root, "bin")
	file = filepath.Join(bin, "continue")
	script := fmt.Sprintf("#!/bin/sh\nreal='%s'\n[ -e '%s' ] || exec \"$real\" \"$@\"\n%s\n", real, file,
		continuing[name])
	write(b.t, filepath.Join(bin, programs[name]), script)
	if err := os.Chmod(filepath.Join(bin, programs[name]), 0o755); err != nil {
		b.t.Fatal(err)
	}
	at := slices.IndexFunc(b.env, func(entry string) bool { return strings.HasPrefix(entry, "PATH=") })
	b.env[at] = "PATH=" + bin + string(os.PathListSeparator) + strings.TrimPrefix(b.env[at], "PATH=")
	return file
}

// programs has the names of the clients' programs.
var programs = map[string]string{"claude-code": "claude", "codex": "codex", "copilot": "copilot",
	"opencode": "opencode", "qwen-code": "qwen"}
