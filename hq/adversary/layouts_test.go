package adversary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// layouts are the places where git may have a project, apart from the top of its own repository:
// each moves what start made, and returns the working directory.
var layouts = map[string]string{
	"a worktree of a bare repository": `git clone -q --bare repo bare.git; rm -rf repo
		git -C bare.git worktree add -q ../repo`,
	"a worktree on another file system": `mv repo main; other=$(mktemp -d /dev/shm/ferrus-layout-XXXXXX)
		git -C main worktree add -q -b work "$other/repo"; ln -s "$other/repo" repo; echo "$other" >other`,
	"a directory of a repository": `mv repo inner; mkdir repo outer; mv inner outer/sub; rm -rf outer/sub/.git
		rmdir repo; mv outer repo-top; git -C repo-top init -q; git -C repo-top add -A
		git -C repo-top -c user.name=a -c user.email=a@b commit -qm m; ln -s repo-top/sub repo`,
	"a repository inside a repository": `mv repo inner; mkdir outer; mv inner outer/sub; git -C outer init -q
		echo sub >outer/.gitignore; git -C outer add -A; git -C outer -c user.name=a -c user.email=a@b commit -qm m
		ln -s outer/sub repo`,
}

// In every layout a change that passes is checked, approved and landed, and a change that deletes a
// test needs you.
func TestLayouts(t *testing.T) {
	if !longtest.On() {
		t.Skip("it takes a ferrus run for each layout; set FERRUS_LONG=1")
	}
	for name, layout := range layouts {
		for _, change := range []struct{ script, state string }{
			{"echo x >new.txt", "Complete"}, {"echo x >new.txt; rm a_test.go", "Reviewing"},
		} {
			t.Run(name+" "+change.state, func(t *testing.T) {
				t.Parallel()
				playLayout(t, layout, change.script, change.state)
			})
		}
	}
}

func playLayout(t *testing.T, layout, script, want string) {
	p := newProject(t)
	p.write(filepath.Join(p.out, "attack"), script+"\n")
	p.write(filepath.Join(p.dir, "a_test.go"), "package a\n\nfunc TestA(t *testing.T) {\n\tt.Error(1)\n}\n")
	editor := filepath.Join(filepath.Dir(p.dir), "bin", "editor")
	p.write(filepath.Join(p.dir, "ferrus.toml"), fmt.Sprintf("[checks]\ncommands = [\"test -f new.txt\"]\n"+
		"[hq.supervisor]\nagent = \"editor\"\n[hq.executor]\nagent = \"editor\"\n"+
		"[agent.editor]\ncommand = [%q, \"{role}\"]\n"+noWalls, editor))
	gittest.Commit(p, p.dir)
	top := filepath.Dir(p.dir)
	p.write(filepath.Join(p.home, ".gitconfig"), "[user]\n\tname = a\n\temail = a@b\n")
	cmd := exec.Command("sh", "-ec", layout)
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if other, err := os.ReadFile(filepath.Join(top, "other")); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(strings.TrimSpace(string(other))) })
	}
	dir, err := filepath.EvalSymlinks(p.dir)
	p.ok(err)
	p.dir = dir
	ferrus := func(args ...string) []byte {
		cmd := exec.Command(filepath.Join(top, "bin", "ferrus"), args...)
		cmd.Dir, cmd.Env = p.dir, p.command().Env
		out, err := cmd.CombinedOutput()
		if err != nil && args[0] != "run" {
			t.Fatalf("ferrus %v: %v: %s", args, err, out)
		}
		return out
	}
	ferrus("init")
	ferrus("trust", "--yes")
	gittest.Run(p, p.dir, "add", "-A")
	gittest.Run(p, p.dir, "commit", "-qm", "init")
	p.Cleanup(p.end)
	out := ferrus("run", "do it")
	open, err := project.Open(p.dir)
	p.ok(err)
	state, err := open.World()
	p.ok(err)
	if string(state.World.State) != want {
		t.Fatalf("the task is %s, want %s:\n%s\n%s", state.World.State, want, out, p.output())
	}
	if want != "Complete" {
		return
	}
	ferrus("land", "--yes")
	if _, err := os.Stat(filepath.Join(p.dir, "new.txt")); err != nil {
		t.Errorf("the work did not land: %v", err)
	}
}
