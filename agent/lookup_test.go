package agent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func launchOf(role, mode string, index int, interactive bool) Launch {
	return Launch{
		Role: role, Mode: mode, Slot: role, Prompt: "Do it, \"now\".", Model: "big",
		Workspace: "/abs/repo", Project: "/abs/repo", Nonce: "00ff", Ferrus: "/abs/ferrus",
		Index: index, Columns: 80, Rows: 24, Interactive: interactive,
	}
}

// sessions are the roles, modes and indexes that ferrus starts.
var sessions = []struct {
	role, mode string
	index      int
}{
	{"executor", "work", 1}, {"executor", "resume", 1}, {"executor", "free", 1},
	{"supervisor", "review", 1}, {"supervisor", "consult", 2},
	{"supervisor", "plan", 3}, {"supervisor", "spec", 3}, {"supervisor", "task", 3}, {"supervisor", "free", 3},
}

var own = map[string]Custom{"mine": {
	Command: []string{"./tools/agent", "run", "--model", "{model}", "--mcp={mcp_config}", "--in",
		"{workspace}", "--as={role}", "{prompt}"},
	InteractiveCommand: []string{"my-agent", "--model={model}", "{prompt}"},
}}

func TestCommandLines(t *testing.T) {
	for _, name := range append(Names(), "mine") {
		a, err := Lookup(name, own)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		showPair(&out, t, a)
		for _, s := range sessions {
			for _, interactive := range []bool{false, true} {
				l := launchOf(s.role, s.mode, s.index, interactive)
				show(&out, t, a, l, "")
				l.Bypass = true
				show(&out, t, a, l, ", bypass")
			}
		}
		for _, interactive := range []bool{false, true} {
			l := launchOf("supervisor", "phase", 3, interactive)
			show(&out, t, a, l, "")
			l.CanEdit = true
			show(&out, t, a, l, ", edits")
		}
		for _, interactive := range []bool{false, true} {
			l := launchOf("executor", "work", 1, interactive)
			l.Bypass, l.Model, l.WaitSecs, l.Name, l.Workspace = true, "", 7, "other", "/abs/tree"
			show(&out, t, a, l, ", bypass, no model, own name and wait, in a worktree")
		}
		for _, s := range []struct{ role, mode string }{{"executor", "work"}, {"supervisor", "review"}} {
			for _, only := range []bool{false, true} {
				l := launchOf(s.role, s.mode, 1, false)
				l.OwnServers, l.OnlyFerrus = []string{"notes", "my notes"}, only
				show(&out, t, a, l, map[bool]string{false: ", with your servers", true: ", with ferrus's alone"}[only])
			}
		}
		l := launchOf("supervisor", "free", 3, true)
		l.Prompt = ""
		show(&out, t, a, l, ", no prompt")
		l = launchOf("supervisor", "review", 1, true)
		l.SettingsLeft = true
		show(&out, t, a, l, ", with settings of the executor")
		golden(t, "commands/"+name+".txt", out.String())
	}
}

// showPair prints the command lines of a pair; the demo agent has none.
func showPair(out *strings.Builder, t *testing.T, a Adapter) {
	t.Helper()
	if a.Name() == "demo" {
		return
	}
	for _, role := range []string{"executor", "supervisor"} {
		l := launchOf(role, map[string]string{"executor": "work", "supervisor": "review"}[role], 1, false)
		l.NoServer = true
		show(out, t, a, l, ", in a pair")
		l.Bypass = true
		show(out, t, a, l, ", in a pair, bypass")
	}
}

func show(out *strings.Builder, t *testing.T, a Adapter, l Launch, what string) {
	t.Helper()
	inv, err := a.Invoke(l)
	if err != nil {
		t.Fatal(err)
	}
	if inv.Headless == l.Interactive {
		t.Errorf("%s %s, interactive %v: headless %v, want %v",
			a.Name(), l.Mode, l.Interactive, inv.Headless, !l.Interactive)
	}
	kind := "headless"
	if l.Interactive {
		kind = "interactive"
	}
	fmt.Fprintf(out, "## %s, %s, %s%s\n%s\n", l.Role, l.Mode, kind, what, inv.Path)
	for _, argument := range inv.Args {
		fmt.Fprintf(out, "  %s\n", argument)
	}
	if inv.UsageFlag != "" {
		fmt.Fprintf(out, "  %s<its account>\n", inv.UsageFlag)
	}
	fmt.Fprintf(out, "env %s\n\n", strings.Join(inv.Env, " "))
}

func TestNonceIsOnNoCommandLineOfAVendor(t *testing.T) {
	for _, name := range Names() {
		a, _ := Lookup(name, nil)
		l := launchOf("executor", "work", 1, false)
		inv, err := a.Invoke(l)
		if err != nil || strings.Contains(strings.Join(inv.Args, " "), "00ff") {
			t.Errorf("%s: %v, arguments %q; want no nonce in them", name, err, inv.Args)
		}
		if !slices.Contains(inv.Env, "FERRUS_NONCE=00ff") || !slices.Contains(inv.Env, "FERRUS_PROJECT=/abs/repo") {
			t.Errorf("%s: the environment is %q, want the nonce and the project", name, inv.Env)
		}
	}
}

func TestInvokeRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*Launch){
		"no role":        func(l *Launch) { l.Role = "" },
		"absolute":       func(l *Launch) { l.Ferrus = "ferrus" },
		"needs a prompt": func(l *Launch) { l.Prompt = "" },
	} {
		for _, name := range append(Names(), "mine") {
			a, _ := Lookup(name, own)
			l := launchOf("executor", "work", 1, false)
			spoil(&l)
			if name == "demo" && l.Prompt == "" {
				continue
			}
			if _, err := a.Invoke(l); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

func TestLookupNamesTheKnown(t *testing.T) {
	for name, want := range map[string]string{
		"cluade-code": "did you mean claude-code?",
		"claude":      "did you mean claude-code?",
		"Codex":       "did you mean codex?",
		"mime":        "did you mean mine?",
		"emacs":       "(known: claude-code, codex, copilot, demo, gemini-cli, mine, opencode, qwen-code)",
		"":            "known: ",
	} {
		_, err := Lookup(name, own)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
	}
	if _, err := Lookup("emacs", own); strings.Contains(err.Error(), "did you mean") {
		t.Error(err)
	}
}

func TestCustomNeedsACommand(t *testing.T) {
	for want, c := range map[string]Custom{
		"neither command nor interactive_command": {},
		"empty program name":                      {Command: []string{""}},
	} {
		if _, err := Lookup("x", map[string]Custom{"x": c}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %v", err, want)
		}
	}
	a, err := Lookup("x", map[string]Custom{"x": {Command: []string{"y"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Invoke(launchOf("executor", "work", 1,
		true)); err == nil || err.Error() != `agent "x": [agent.x] has no interactive_command` {
		t.Error(err)
	}
}

func TestInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, name := range Names() {
		a, _ := Lookup(name, nil)
		err := Installed(a)
		if a.Binary() == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		want := a.Binary() + ": not found on PATH; " + NotInstalledFix
		if err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	for _, role := range []string{"supervisor", "executor"} {
		if !slices.Contains(Names(), Default(role)) {
			t.Errorf("%s: the default %q is not an agent", role, Default(role))
		}
	}
}
