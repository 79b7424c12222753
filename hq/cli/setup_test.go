package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/ui/vt"
)

// fresh returns a git repository in which nothing is set up, and an environment in which only some
// agents are installed.
func fresh(t *testing.T, agents ...string) (dir string, env []string) {
	t.Helper()
	work := t.TempDir()
	dir = filepath.Join(work, "app")
	gittest.Run(t, "", "init", "--quiet", "--initial-branch=main", dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module app\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(work, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := bare(bin); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(agents, "go") { // whose checks are proposed
		if err := stub(work, name); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"PATH=" + bin, "HOME=" + work, "XDG_CONFIG_HOME=" + filepath.Join(work, "config")}
}

// content returns a file's content, or "".
func content(dir, name string) string {
	data, _ := os.ReadFile(filepath.Join(dir, name))
	return string(data)
}

// TestGuideSetsUp goes from an empty repository to HQ with two keys, starting in a folder below the
// root.
func TestGuideSetsUp(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := fresh(t, "claude")
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	x := openWith(t, below, 120, 40, env)
	x.WaitFor("Enter write it")
	for _, words := range []string{"supervisor  claude-code", "executor    claude-code", "go vet ./...",
		"codex       not installed: npm install -g", "[checks]", "ferrus is not set up"} {
		if !strings.Contains(x.ScreenText(), words) {
			t.Errorf("the page does not show %q:\n%s", words, x.ScreenText())
		}
	}
	if content(dir, "ferrus.toml") != "" {
		t.Error("it wrote before it was confirmed")
	}
	x.Type("\r")
	x.WaitFor("Trust these commands?")
	if text := content(dir, "ferrus.toml"); !strings.Contains(text, `"go test ./..."`) ||
		strings.Contains(text, `agent = "codex"`) {
		t.Errorf("it wrote:\n%s", text)
	}
	x.Type("\r") // struck twice: lets nothing run
	x.Type("y")
	x.WaitFor("Idle")
	x.WaitFor("/ commands", "git add ferrus.toml .gitignore .agents && git commit")
	x.Type("/quit\r")
	x.WaitExit(0)
	trusted := exec.Command("ferrus", "trust")
	trusted.Dir, trusted.Env = dir, x.Command.Env
	if out, err := trusted.CombinedOutput(); err != nil || !strings.Contains(string(out), "nothing to do") {
		t.Errorf("the commands may not run: %v: %s", err, out)
	}
}

// TestGuideLeaves checks that Esc and Ctrl+C change nothing, in the smallest terminal and without
// colors.
func TestGuideLeaves(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"esc": "\x1b", "ctrl+c": "\x03"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, env := fresh(t)
			x := openWith(t, dir, 60, 20, append(env, "NO_COLOR=1"))
			x.WaitFor("d demo")
			x.WaitFor("claude-code (not installed)")
			x.Screen.With(func(s *vt.Terminal) {
				for y := range 20 {
					if row := s.Row(y); strings.Contains(row, "[38;") || strings.Contains(row, "[3") &&
						!strings.Contains(row, "[3m") {
						t.Errorf("a colour: %q", row)
					}
				}
			})
			x.Type("s") // what was changed on the page is not kept either
			x.Type(key)
			x.WaitExit(0)
			x.WaitFor("nothing changed")
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 2 { // .git and go.mod
				t.Errorf("it left %v, %v", entries, err)
			}
		})
	}
}

// TestGuideChooses chooses other agents and a typed check command, and leaves the question of trust
// for later.
func TestGuideChooses(t *testing.T) {
	t.Parallel()
	dir, env := fresh(t, "claude", "codex", "qwen")
	x := openWith(t, dir, 80, 24, env)
	x.WaitFor("Enter write it")
	x.Type("s")
	x.WaitFor("supervisor  codex")
	x.Type("ee")
	x.WaitFor("executor    claude-code")
	x.Type("c")
	x.WaitFor("> go vet")
	x.Type("\x15\x1b[200~make prove\x1b[201~n\x7f\r")
	x.WaitFor("checks      make prove")
	x.Type("\r")
	x.WaitFor("Trust these commands?")
	x.Type("n")
	x.WaitFor("Idle")
	x.Type("/quit\r")
	x.WaitExit(0)
	text := content(dir, "ferrus.toml")
	if !strings.Contains(text, `agent = "codex" # `) || !strings.Contains(text, `agent = "claude-code"`+"\n") ||
		!strings.Contains(text, `"make prove"`) || strings.Contains(text, "go vet") || !strings.Contains(text, "go test") {
		t.Errorf("it wrote:\n%s", text)
	}
}

// TestGuideKeeps finds a ferrus.toml that a colleague committed.
func TestGuideKeeps(t *testing.T) {
	t.Parallel()
	dir, env := fresh(t, "codex")
	before := "[checks]\ncommands = [\"true\"]\n"
	if err := os.WriteFile(filepath.Join(dir, "ferrus.toml"), []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	x := openWith(t, dir, 80, 24, env)
	x.WaitFor("Enter set it up")
	x.Type("sec\r")
	x.WaitFor("Trust these commands?")
	x.Type("y")
	x.WaitFor("Idle")
	x.Type("/quit\r")
	x.WaitExit(0)
	if after := content(dir, "ferrus.toml"); after != before {
		t.Errorf("it wrote:\n%s", after)
	}
}

// TestGuideNeedsARepository says what to do outside of one.
func TestGuideNeedsARepository(t *testing.T) {
	t.Parallel()
	x := openWith(t, t.TempDir(), 80, 24, []string{"GIT_CEILING_DIRECTORIES=/"})
	<-x.Ended
	text := strings.Join(strings.Fields(x.ScreenText()), " ") // a long name of the directory wraps the line
	if !strings.Contains(text, "is not in a git repository") ||
		!strings.Contains(text, "run: git init") {
		t.Errorf("it said:\n%s", text)
	}
}
