//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ferrus/hq/clients/model"
)

// ownFiles says where a client has what TestOwnSettingsStay puts into your home. HOME in a text
// stands for that directory.
type ownFiles struct {
	instructions string // a file
	skills       []string
	hooks        map[string]string // settings files; JSON is merged with an existing file
}

// A hook has an absolute path in the vendor's own directory, and leaves a file in the home that it
// sees.
const (
	hookScript = "#!/bin/sh\ntouch \"$HOME/hooked\"\necho '{}'\n"
	hookEntry  = `[{"hooks":[{"type":"command","command":"%s"}]}]`
)

var ownOf = map[string]ownFiles{
	"claude-code": {".claude/CLAUDE.md", []string{".claude/skills"}, map[string]string{
		".claude/settings.json": `{"hooks":{"UserPromptSubmit":` + fmt.Sprintf(hookEntry, "HOME/.claude/hook.sh") + `}}`,
	}},
	"codex": {".codex/AGENTS.md", []string{".codex/skills", ".agents/skills"}, map[string]string{
		".codex/hooks.json": `{"hooks":{"UserPromptSubmit":` + fmt.Sprintf(hookEntry, "HOME/.codex/hook.sh") + `}}`,
	}},
	"qwen-code": {".qwen/QWEN.md", []string{".qwen/skills", ".agents/skills"}, map[string]string{
		".qwen/settings.json": `{"hooks":{"UserPromptSubmit":` + fmt.Sprintf(hookEntry, "HOME/.qwen/hook.sh") + `}}`,
	}},
	"gemini-cli": {".gemini/GEMINI.md", []string{".gemini/skills", ".agents/skills"}, map[string]string{
		".gemini/settings.json": `{"hooks":{"BeforeAgent":` + fmt.Sprintf(hookEntry, "HOME/.gemini/hook.sh") + `}}`,
	}},
	"copilot": {".copilot/copilot-instructions.md", []string{".copilot/skills", ".agents/skills"}, map[string]string{
		".copilot/settings.json": `{"hooks":{"userPromptSubmitted":[{"type":"command","bash":"HOME/.copilot/hook.sh"}]}}`,
	}},
	"opencode": {".config/opencode/AGENTS.md", []string{".config/opencode/skills", ".agents/skills", ".claude/skills"},
		map[string]string{".config/opencode/plugins/own.js": `import fs from "node:fs"
export const Own = async () => { fs.writeFileSync(process.env.HOME + "/hooked", ""); return {} }
`}},
}

// TestOwnSettingsStay runs each client with your instructions, skills and hook, inside the sandbox
// and without one, and also with mcp = "only", which is only about servers: the model sees them,
// and the hook runs.
func TestOwnSettingsStay(t *testing.T) {
	for _, name := range tried() {
		for title, more := range map[string]string{"inside": "", "outside": "[sandbox]\nmode = \"off\"\n",
			"only": "[agent." + name + "]\nmcp = \"only\"\n"} {
			t.Run(name+"/"+title, func(t *testing.T) { ownSettings(t, name, more) })
		}
	}
}

func ownSettings(t *testing.T, name, more string) {
	b := newFixture(t, setup{supervisor: name, executor: name, more: more, script: onlyLooking})
	var mu sync.Mutex
	unread := b.addOwn(name)
	b.server.Tap(func(body string) {
		mu.Lock()
		defer mu.Unlock()
		unread = slices.DeleteFunc(unread, func(marker string) bool { return strings.Contains(body, marker) })
	})
	if code, out := b.run("run", model.TaskText); code == 0 {
		t.Errorf("exit %d, want an error\n%s", code, out)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(unread) > 0 {
		t.Errorf("the model did not get %q\n%s", unread, b.evidence())
	}
	if !hooked(b.root) {
		t.Errorf("the hook did not run\n%s", b.evidence())
	}
}

// onlyLooking returns a loop that ends before the task is created.
func onlyLooking(c model.Conversation) model.Action {
	return c.Once("wait_for_task", nil, func(string) model.Action { return model.Action{Text: "I give up."} })
}

// addOwn adds instructions, a skill in each place, and a hook, and returns the texts that the model
// must get.
func (b *fixture) addOwn(name string) (markers []string) {
	b.t.Helper()
	home := filepath.Join(b.root, "home")
	o := ownOf[name]
	markers = append(markers, "heliotrope instructions")
	write(b.t, filepath.Join(home, o.instructions), "Follow the heliotrope instructions.\n")
	for i, dir := range o.skills {
		marker := fmt.Sprintf("heliotrope skill %d", i)
		markers = append(markers, marker)
		// Your own may be links into a repository.
		skill := filepath.Join(home, "dotfiles", fmt.Sprint(i), fmt.Sprint("heliotrope-", i))
		write(b.t, filepath.Join(skill, "SKILL.md"),
			fmt.Sprintf("---\nname: heliotrope-%d\ndescription: The %s, for greetings.\n---\nGreet.\n", i, marker))
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, dir)), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.Symlink(filepath.Dir(skill), filepath.Join(home, dir)); err != nil {
			b.t.Fatal(err)
		}
	}
	for file, text := range o.hooks {
		text = strings.ReplaceAll(text, "HOME", home)
		if filepath.Ext(file) == ".json" {
			script := filepath.Join(home, filepath.Dir(file), "hook.sh")
			write(b.t, script, hookScript)
			if err := os.Chmod(script, 0o755); err != nil {
				b.t.Fatal(err)
			}
			text = merged(b.t, filepath.Join(home, file), text)
		} else {
			text = strings.ReplaceAll(text, "process.env."+home, "process.env.HOME")
		}
		write(b.t, filepath.Join(home, file), text)
	}
	if name == "codex" {
		b.trustHooks(home)
	}
	return markers
}

// merged returns the members of a JSON file and those of a text.
func merged(t testing.TB, path, text string) string {
	t.Helper()
	all := map[string]any{}
	if old, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(old, &all); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	both, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(both)
}

// trustHooks trusts your hooks, as you do in Codex's /hooks; it runs no others.
func (b *fixture) trustHooks(home string) {
	b.t.Helper()
	cmd := exec.Command(filepath.Join(clients["codex"].install(b.t), "codex"), "app-server")
	cmd.Dir, cmd.Env = b.dir, b.env
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	defer cmd.Wait() //nolint:errcheck // it ends with its input
	defer in.Close()
	fmt.Fprintf(in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"t","title":"t","version":"1"}}}
{"method":"initialized"}
{"id":2,"method":"hooks/list","params":{"cwds":[%q]}}
`, b.dir)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var answer struct {
			ID     int
			Result struct {
				Data []struct {
					Hooks []struct{ Key, CurrentHash string }
				}
			}
		}
		if json.Unmarshal(lines.Bytes(), &answer) != nil || answer.ID != 2 {
			continue
		}
		if len(answer.Result.Data) != 1 || len(answer.Result.Data[0].Hooks) != 1 {
			b.t.Fatalf("codex lists %s, want one hook", lines.Bytes())
		}
		hook := answer.Result.Data[0].Hooks[0]
		config := filepath.Join(home, ".codex", "config.toml")
		text, err := os.ReadFile(config)
		if err != nil {
			b.t.Fatal(err)
		}
		write(b.t, config, fmt.Sprintf("%s\n[hooks.state.%q]\ntrusted_hash = %q\n", text, hook.Key, hook.CurrentHash))
		return
	}
	b.t.Fatal("codex lists no hooks")
}

// hooked reports whether the hook has run, with whichever home.
func hooked(root string) (ran bool) {
	_ = filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error { // vanished files are ignored
		if err == nil && e.Name() == "hooked" {
			ran = true
			return fs.SkipAll
		}
		return nil
	})
	return ran
}
