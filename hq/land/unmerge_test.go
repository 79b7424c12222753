package land

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// halfway are ways in which a merge is killed, as shell scripts that replace it; $GIT is git and
// $TIP the commit.
var halfway = map[string]string{
	"before it began": "",
	"with the lock":   `touch "$("$GIT" rev-parse --git-dir)/index.lock"`,
	"with a file":     `touch "$("$GIT" rev-parse --git-dir)/index.lock"; "$GIT" show "$TIP:a.txt" > a.txt`,
	"with half a file": `touch "$("$GIT" rev-parse --git-dir)/index.lock"; "$GIT" show "$TIP:a.txt" ` +
		`| head -c 9 > a.txt`,
	"between the files": `touch "$("$GIT" rev-parse --git-dir)/index.lock"; rm a.txt gone.txt;` +
		` echo new > new.txt`,
	"with a new file's begin": `touch "$("$GIT" rev-parse --git-dir)/index.lock"; printf ne > new.txt`,
	"before the branch moved": `"$GIT" read-tree -m -u HEAD "$TIP"`,
	"after the branch moved":  `"$GIT" -c core.hooksPath=/dev/null merge -q --ff-only "$TIP"`,
}

// A merge that is killed midway leaves the human's checkout consistent, whether or not the landing
// is killed with it.
func TestMergeKilledInTheMiddle(t *testing.T) {
	longtest.Only(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	first := newFixture(t, "worktree").startTask().work().approve()
	put(t, first.Dir, "mine.txt", "not committed\n")
	first.git("add", "mine.txt")
	put(t, first.Dir, "other.txt", "not known to git\n")
	before, restore := first.files(), first.save()
	for _, name := range slices.Sorted(maps.Keys(halfway)) {
		script := halfway[name]
		for _, also := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the landing too %v", name, also), func(t *testing.T) {
				l := &fixture{t, first.Task, first.task}
				restore()
				bin, died := t.TempDir(), filepath.Join(t.TempDir(), "died")
				wrapper := fmt.Sprintf("#!/bin/sh\nGIT=%q\nfor TIP; do :; done\ncase \" $* \" in *' merge '*' "+
					"--ff-only '*)\nexport GIT TIP\n%s\ntouch %q\nkill -9 $$;; esac\nexec \"$GIT\" \"$@\"\n",
					real, script, died)
				l.ok(exectest.WriteFile(filepath.Join(bin, "git"), []byte(wrapper), 0o755))
				t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				_, err := l.land(Options{stop: func() bool { return also && exists(died) }})
				if !exists(died) {
					t.Fatalf("no merge began: %v", err)
				}
				if also && !errors.Is(err, errStopped) {
					t.Fatalf("the landing was not interrupted: %v", err)
				}
				script := []byte("#!/bin/sh\nexec \"" + real + "\" \"$@\"\n")
				l.ok(exectest.WriteFile(filepath.Join(bin, "git"), script, 0o755))
				if also {
					_, err := Recover(l.Context(), l.Task)
					l.ok(err)
				}
				if exists(l.Store.Path(RecordFile)) || exists(filepath.Join(l.Dir, ".git", "index.lock")) {
					t.Error("the landing's record or the index lock still exists")
				}
				if moved := l.world().Task.Landed != nil; moved != (name == "after the branch moved") {
					t.Errorf("landed is %v; error %v", moved, err)
				} else if !moved && l.files() != before {
					t.Errorf("the checkout is now\n%s\nbefore:\n%s", l.files(), before)
				}
				if status := l.git("status", "--porcelain", "--untracked-files=all"); status !=
					"A  mine.txt\n?? other.txt" {
					t.Errorf("git status says\n%s\nwant mine.txt staged and other.txt untracked", status)
				}
				if l.world().Task.Landed == nil { // The work still lands.
					_, err := l.land(Options{})
					l.ok(err)
				}
				if got := l.git("show", "main:new.txt"); got != "new" {
					t.Errorf("main has new.txt with %q, want new", got)
				}
			})
		}
	}
}

// A git command that is killed while it holds the index lock blocks neither the resumed landing nor
// the next one.
func TestGitKilledWithTheIndexLocked(t *testing.T) {
	longtest.Only(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for workspace, least := range map[string]int{"here": 1, "worktree": 1} {
		for _, also := range []bool{false, true} {
			l := newFixture(t, workspace).startTask().work()
			if workspace == "worktree" {
				l.main("b.txt", "b\n")
			}
			restore := l.approve().save()
			for n := 1; ; n++ {
				restore()
				bin, dir := t.TempDir(), t.TempDir()
				wrapper := fmt.Sprintf("#!/bin/sh\nfor WORD; do case $WORD in reset|merge)\necho >> "+
					"%[2]q/calls\nif [ $(wc -l < %[2]q/calls) = %[3]d ]; then touch \"$(%[1]q rev-parse "+
					"--git-dir)/index.lock\" %[2]q/died; kill -9 $$; fi; break;; esac; done\nexec %[1]q \"$@\"\n", real,
					dir, n)
				l.ok(exectest.WriteFile(filepath.Join(bin, "git"), []byte(wrapper), 0o755))
				t.Setenv("PATH", bin+string(os.PathListSeparator)+filepath.Dir(real)+string(os.PathListSeparator)+
					os.Getenv("PATH"))
				died := filepath.Join(dir, "died")
				_, err := l.land(Options{stop: func() bool { return also && exists(died) }})
				if !exists(died) {
					if err != nil || n <= least {
						t.Errorf("%s: only %d git calls, want at least %d: %v", workspace, n-1, least, err)
					}
					break
				}
				if _, err := Recover(l.Context(), l.Task); err != nil {
					t.Fatalf("%s, git call %d, landing killed %v: recover: %v", workspace, n, also, err)
				}
				if w := l.world(); w.Task.Landed == nil && w.State == "Complete" {
					if _, err := l.land(Options{}); err != nil {
						t.Fatalf("%s, git call %d, landing killed %v: the next landing: %v",
							workspace, n, also, err)
					}
				}
				l.home(fmt.Sprintf("%s, call %d, the landing too %v", workspace, n, also))
			}
		}
	}
}

// files returns the branches and the checkout's files.
func (l *fixture) files() string {
	l.Helper()
	var kept []string
	for line := range strings.Lines(l.picture()) {
		if !strings.Contains(line, "/index ") { // these contain times
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
