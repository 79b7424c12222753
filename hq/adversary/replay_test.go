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
	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// replayEnv names a directory with the archives listed in replay.md, unpacked, and list.txt.
const replayEnv = "FERRUS_REPLAY"

// replayCommands are the check commands for each kind of archive.
var replayCommands = map[string]string{"go": "go test ./...", "npm": "npm test", "py": "python -m pytest"}

// TestReplay treats consecutive releases, and the commits of a repository, as tasks and counts the
// alarms by rule. The numbers in replay.md come from it.
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
	r := &replay{T: t, sets: readSets(t), rules: map[string][2]int{}, cloned: map[string]*project.Task{}}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		f := strings.Fields(lines.Text()) // for example: py attrs 24.2.0 24.3.0
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
	for _, s := range r.sets {
		t.Logf("%s: of %d changes that weaken nothing %d need you: %s",
			s.name, s.fine, len(s.loud), strings.Join(s.loud, "; "))
		t.Logf("%s: of %d changes that weaken something %d need you", s.name, s.weaker, s.caught)
		if 100*len(s.loud) > mostLoud*s.fine && s.name != untouched {
			t.Errorf("%s: more than %d %% of the changes that weaken nothing need you", s.name, mostLoud)
		}
	}
	if r.changes == 0 {
		t.Error("no change was replayed")
	}
}

// mostLoud is how many of a hundred changes that weaken nothing may need you, in the sets that the
// rules were tuned on. The untouched set shows how it is with others.
const (
	mostLoud  = 5
	untouched = "fourth.txt"
)

// labelSet is a set of changes that were read, labeled with whether each removes, renames or
// weakens a test or a check.
type labelSet struct {
	name                 string
	labels               map[string]bool
	fine, weaker, caught int      // replayed changes
	loud                 []string // the fine ones that need you
}

// labelFiles are the sets, with replay.md's sentence on each, in which %d stands for the numbers.
var labelFiles = []struct{ name, sentence string }{
	{"labels.txt", "%d changes are labelled; %d of them remove, rename or weaken a test or a check"},
	{"second.txt", "The second set has %d changes; %d of them remove, rename or weaken a test or a check"},
	{"fourth.txt", "The fourth set has %d changes; %d of them remove, rename or weaken a test or a check"},
	{"third.txt", "The third set has %d changes; %d of them remove, rename or weaken a test or a check"},
}

// readSets returns the labels.
func readSets(t *testing.T) (all []*labelSet) {
	t.Helper()
	for _, file := range labelFiles {
		data, err := os.ReadFile(filepath.Join("testdata", file.name))
		if err != nil {
			t.Fatal(err)
		}
		s := &labelSet{name: file.name, labels: map[string]bool{}}
		for line := range strings.Lines(string(data)) {
			change, fine := strings.CutSuffix(strings.TrimSpace(line), " no")
			change, why, weaker := strings.Cut(change, " yes: ")
			if fine == weaker || weaker && why == "" {
				t.Errorf("a line without a label: %s", line)
			}
			s.labels[change] = weaker
		}
		all = append(all, s)
	}
	return all
}

// TestReplayStatesLabels checks replay.md's sentences on the labels.
func TestReplayStatesLabels(t *testing.T) {
	text, err := os.ReadFile("replay.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range readSets(t) {
		weaker := 0
		for _, is := range s.labels {
			if is {
				weaker++
			}
		}
		sentence := fmt.Sprintf(labelFiles[i].sentence, len(s.labels), weaker)
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), sentence) {
			t.Errorf("replay.md lacks the sentence: %s", sentence)
		}
	}
}

// replay counts alarms.
type replay struct {
	*testing.T
	sets          []*labelSet
	rules         map[string][2]int // changes with an alarm that needs you, and with any alarm
	changes, need int
	releases      *project.Task            // the directory whose repository has the releases' trees
	cloned        map[string]*project.Task // by the repository
}

// pair replays two releases that are unpacked in a directory.
func (r *replay) pair(name, kind, dir string, versions []string) {
	r.Helper()
	if r.releases == nil {
		r.releases = hqtest.NewProject(r.T, nil)
	}
	var trees []string
	for _, version := range versions {
		from := filepath.Join(dir, version)
		if all, err := os.ReadDir(from); err != nil || len(all) == 0 {
			r.Logf("%s: %s is missing", name, version)
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
		gittest.Run(r, "", "clone", "-q", dir, copied)
		p = hqtest.Open(r.T, copied)
		r.cloned[dir] = p
	}
	r.alarms(p, "go", "commit "+now, before, now)
}

// alarms counts a change's alarms.
func (r *replay) alarms(p *project.Task, kind, name, before, now string) {
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
	for _, set := range r.sets {
		set.count(name, needs)
	}
	r.Logf("CHANGE %s: %s", name, strings.Join(needs, " "))
}

// count counts a labeled change by whether it needs you.
func (s *labelSet) count(name string, needs []string) {
	weaker, labelled := s.labels[name]
	switch {
	case !labelled:
	case weaker:
		if s.weaker++; len(needs) > 0 {
			s.caught++
		}
	default:
		if s.fine++; len(needs) > 0 {
			s.loud = append(s.loud, name+" ("+strings.Join(needs, " ")+")")
		}
	}
}
