package sandbox

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that runs inside already can exchange a directory for a link while the walls of the next one are built:
// before they are, and while bubblewrap starts. What is mounted is what the policy names, or nothing is started.
func TestAnExchangedDirectoryIsNotMounted(t *testing.T) {
	t.Parallel()
	usual := walls(t, Namespace, Open)
	for name, c := range map[string]struct{ before, meanwhile string }{
		"before":          {before: exchange},
		"meanwhile":       {meanwhile: exchange},
		"for a directory": {meanwhile: "mv svc was && mkdir -p svc/.ferrus"},
		"what it holds":   {meanwhile: "mv svc/.ferrus was && ln -s ../was svc/.ferrus"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			top, tools := filepath.Join(dir, "top"), filepath.Join(dir, "tools")
			program := filepath.Join(dir, "bwrap")
			state := filepath.Join(top, "svc", ".ferrus")
			script := "#!/bin/sh\n" +
				"(cd " + top + " && " + cmp.Or(c.meanwhile, "true") + ")\nexec " + usual.Bwrap + " \"$@\"\n"
			if err := errors.Join(os.MkdirAll(state, 0o755), os.Mkdir(tools, 0o755),
				os.WriteFile(program, []byte(script), 0o755),
				os.WriteFile(filepath.Join(state, "STATE.json"), []byte("state of the task"), 0o600)); err != nil {
				t.Fatal(err)
			}
			w := usual
			w.Bwrap = program
			policy := Policy{Dir: top, Write: []string{top}, Read: []string{tools}, Hide: []string{state}}
			argv, err := w.Command(policy, "/bin/sh", "-c",
				"echo forged >"+tools+"/program; cat */.ferrus/STATE.json was/STATE.json; echo started")
			if err != nil {
				t.Fatal(err)
			}
			if err := exec.Command("sh", "-c", "cd "+top+" && "+cmp.Or(c.before, "true")).Run(); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput()
			if err == nil || strings.Contains(string(out), "started") {
				t.Errorf("it was started: %s", out)
			}
			if exists(filepath.Join(tools, "program")) {
				t.Error("a program outside was forged")
			}
		})
	}
}

// exchange has a directory lead to another one, by a path that leads there inside, too.
const exchange = "mv svc was && ln -s ../tools svc && mkdir -p ../tools/.ferrus"

// On Landlock a rule is about what was named, too, not about what a link leads to that is there a moment later.
func TestAnExchangedDirectoryGetsNoRule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret, top := filepath.Join(dir, "secret"), filepath.Join(dir, "top")
	git := filepath.Join(top, ".git")
	err := errors.Join(os.MkdirAll(git, 0o755), os.Mkdir(secret, 0o755))
	if err != nil {
		t.Fatal(err)
	}
	w := walls(t, Landlock, Open)
	if err := os.WriteFile(filepath.Join(secret, "key"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	argv, err := w.Command(Policy{Dir: top, Write: []string{top}, Read: []string{git}}, "/bin/cat", ".git/key")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(git, git+".old"), os.Symlink(secret, git)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput(); err == nil {
		t.Errorf("the key is read: %s", out)
	}
}
