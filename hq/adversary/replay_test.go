package adversary

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// replayEnv names a directory with the archives that replay.md lists, unpacked, and list.txt.
const replayEnv = "FERRUS_REPLAY"

// replayCommands are the check commands that each kind of archive is replayed with.
var replayCommands = map[string]string{"go": "go test ./...", "npm": "npm test", "py": "python -m pytest"}

// TestReplay looks at consecutive releases, and at the commits of a repository, as if each were
// a task, and counts the alarms by rule. What replay.md says comes from it.
func TestReplay(t *testing.T) {
	dir := os.Getenv(replayEnv)
	if dir == "" {
		t.Skip("it needs archives of releases; fetch those in replay.md and set " + replayEnv)
	}
	list, err := os.Open(filepath.Join(dir, "list.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	r := &replay{T: t, rules: map[string][2]int{}, cloned: map[string]*project.Project{}}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		f := strings.Fields(lines.Text()) // py attrs 24.2.0 24.3.0
		if len(f) == 4 && f[0] == "commit" {
			r.trees(f[1], f[2], f[3])
		} else if len(f) == 4 {
			r.pair(f[0], filepath.Join(dir, f[0], strings.ReplaceAll(f[1], "/", "_")), f[2], f[3])
		}
	}
	for _, rule := range slices.SortedFunc(maps.Keys(r.rules), func(a, b string) int {
		return cmp.Or(r.rules[b][0]-r.rules[a][0], strings.Compare(a, b))
	}) {
		t.Logf("| `%s` | %d | %d |", rule, r.rules[rule][0], r.rules[rule][1])
	}
	t.Logf("%d changes, of which %d need you", r.changes, r.need)
	if r.changes == 0 {
		t.Error("nothing was replayed")
	}
}

// replay counts alarms.
type replay struct {
	*testing.T
	rules         map[string][2]int // changes with an alarm that needs you, and with any
	changes, need int
	cloned        map[string]*project.Project // by the repository
}

// pair replays two releases that are unpacked below a directory.
func (r *replay) pair(kind, dir, before, now string) {
	r.Helper()
	p := hqtest.NewProject(r.T, hqtest.Files{"ferrus.toml": fmt.Sprintf("[checks]\ncommands ="+
		" [%q]\n", replayCommands[kind])})
	var trees []string
	for _, version := range []string{before, now} {
		from := filepath.Join(dir, version)
		if all, err := os.ReadDir(from); err != nil || len(all) == 0 {
			r.Logf("%s %s is not there", filepath.Base(dir), version)
			return
		}
		script := `find . -mindepth 1 -maxdepth 1 ! -name .git ! -name .ferrus ! -name ferrus.toml -exec rm -rf {} +
cp -R "$1"/. . && rm -rf .git/index && git add -Af . && git write-tree`
		cmd := exec.Command("sh", "-ec", script, "sh", from)
		cmd.Dir = p.Dir
		out, err := cmd.Output()
		if err != nil {
			r.Logf("%s %s: %v", filepath.Base(dir), version, err)
			return
		}
		lines := strings.Fields(string(out))
		trees = append(trees, lines[len(lines)-1])
	}
	r.alarms(p, kind, filepath.Base(dir)+" "+before+" "+now, trees[0], trees[1])
}

// trees replays one commit of a repository.
func (r *replay) trees(dir, before, now string) {
	r.Helper()
	p := r.cloned[dir]
	if p == nil {
		copied := r.TempDir()
		if out, err := exec.Command("git", "clone", "-q", dir, copied).CombinedOutput(); err != nil {
			r.Fatalf("%v: %s", err, out)
		}
		p = hqtest.Open(r.T, copied)
		r.cloned[dir] = p
	}
	r.alarms(p, "go", "commit "+now, before, now)
}

// alarms counts the alarms of a change.
func (r *replay) alarms(p *project.Project, kind, name, before, now string) {
	r.Helper()
	if before == now {
		return
	}
	r.changes++
	w := core.World{Task: &core.Task{Base: core.Base{Tree: before}, Definition: &core.Definition{
		Commands: []checks.Command{{Run: replayCommands[kind]}}}}}
	needs, seen := []string{}, map[string]bool{}
	for _, a := range p.Alarms(r.Context(), w, now) {
		if a.Rule == "unknown" || a.Rule == "no-base" {
			r.Errorf("%s: %s", name, a.Words)
		}
		n := r.rules[a.Rule]
		if !seen[a.Rule] {
			n[1]++
		}
		if a.NeedsHuman && !slices.Contains(needs, a.Rule) {
			n[0]++
			needs = append(needs, a.Rule)
		}
		seen[a.Rule], r.rules[a.Rule] = true, n
		if a.NeedsHuman {
			r.Logf("ALARM %s: %s %s %q", name, a.Rule, a.Path, a.Lines)
		}
	}
	if len(needs) > 0 {
		r.need++
	}
	r.Logf("CHANGE %s: %s", name, strings.Join(needs, " "))
}
