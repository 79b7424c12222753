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
	r := &replay{T: t, labels: readLabels(t), rules: map[string][2]int{}, cloned: map[string]*project.Project{}}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		f := strings.Fields(lines.Text()) // py attrs 24.2.0 24.3.0
		if len(f) == 4 && f[0] == "commit" {
			r.trees(f[1], f[2], f[3])
		} else if len(f) == 4 {
			r.pair(lines.Text(), f[0], filepath.Join(dir, f[0], strings.ReplaceAll(f[1], "/", "_")), f[2:])
		}
	}
	for _, rule := range slices.SortedFunc(maps.Keys(r.rules), func(a, b string) int {
		return cmp.Or(r.rules[b][0]-r.rules[a][0], strings.Compare(a, b))
	}) {
		t.Logf("| `%s` | %d | %d |", rule, r.rules[rule][0], r.rules[rule][1])
	}
	t.Logf("%d changes, of which %d need you", r.changes, r.need)
	t.Logf("of %d labelled ones that weaken nothing %d need you: %s", r.fine, len(r.loud), strings.Join(r.loud, "; "))
	if 100*len(r.loud) > mostLoud*r.fine {
		t.Errorf("more than %d %%", mostLoud)
	}
	if r.changes == 0 {
		t.Error("nothing was replayed")
	}
}

// mostLoud is how many of a hundred changes that weaken nothing may need you.
const mostLoud = 5

// readLabels returns what was found by reading the changes that are labelled: whether one removes,
// renames or weakens a test or a check.
func readLabels(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		change, fine := strings.CutSuffix(strings.TrimSpace(line), " no")
		change, why, weaker := strings.Cut(change, " yes: ")
		if fine == weaker || weaker && why == "" {
			t.Errorf("no label: %s", line)
		}
		labels[change] = weaker
	}
	return labels
}

// TestReplayStatesLabels holds what replay.md says of the labels.
func TestReplayStatesLabels(t *testing.T) {
	labels := readLabels(t)
	weaker := 0
	for _, is := range labels {
		if is {
			weaker++
		}
	}
	text, err := os.ReadFile("replay.md")
	if err != nil {
		t.Fatal(err)
	}
	sentence := fmt.Sprintf("%d changes are labelled; %d of them remove, rename or weaken a test or a check",
		len(labels), weaker)
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), sentence) {
		t.Errorf("replay.md does not say: %s", sentence)
	}
}

// replay counts alarms.
type replay struct {
	*testing.T
	labels        map[string]bool
	fine          int               // labelled changes that weaken nothing
	loud          []string          // the ones of them that need you
	rules         map[string][2]int // changes with an alarm that needs you, and with any
	changes, need int
	releases      *project.Project            // whose repository has the trees of releases
	cloned        map[string]*project.Project // by the repository
}

// pair replays two releases that are unpacked below a directory.
func (r *replay) pair(name, kind, dir string, versions []string) {
	r.Helper()
	if r.releases == nil {
		r.releases = hqtest.NewProject(r.T, nil)
	}
	var trees []string
	for _, version := range versions {
		from := filepath.Join(dir, version)
		if all, err := os.ReadDir(from); err != nil || len(all) == 0 {
			r.Logf("%s: %s is not there", name, version)
			return
		}
		index := filepath.Join(r.TempDir(), "index")
		cmd := exec.Command("sh", "-ec", `git --work-tree="$1" add -Af . && git write-tree`, "sh", from)
		cmd.Dir, cmd.Env = filepath.Join(r.releases.Dir, ".git"), append(os.Environ(),
			"GIT_INDEX_FILE="+index, "GIT_DIR=.")
		out, err := cmd.Output()
		if err != nil {
			r.Logf("%s: %s: %v", name, version, err)
			return
		}
		lines := strings.Fields(string(out))
		trees = append(trees, lines[len(lines)-1])
	}
	r.alarms(r.releases, kind, name, trees[0], trees[1])
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
	if weaker, labelled := r.labels[name]; labelled && !weaker {
		if r.fine++; len(needs) > 0 {
			r.loud = append(r.loud, name+" ("+strings.Join(needs, " ")+")")
		}
	}
	r.Logf("CHANGE %s: %s", name, strings.Join(needs, " "))
}
