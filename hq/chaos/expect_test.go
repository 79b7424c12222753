package chaos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/store"
)

// expectedStates are the task's states if nothing is killed.
const expectedStates = "Executing Checking Addressing Consultation Addressing Checking Reviewing Addressing " +
	"AwaitingHuman " +
	"Addressing Checking Reviewing Complete"

// check compares a trial's result with the expected one, and returns the number of answers.
func (p *trial) check(doubled []string, sum *tally) (answers int) {
	p.Helper()
	lines, err := p.project().Store.Journal(0)
	if err != nil {
		p.Fatal(err)
	}
	sum.kills += len(p.killed.all)
	lost, answers := p.findLost(lines, "")
	doubled = append(doubled, findDoubled(lines)...)
	sum.lost, sum.doubled = sum.lost+len(lost), sum.doubled+len(doubled)
	for _, what := range lost {
		p.Errorf("lost: %s", what)
	}
	for _, what := range doubled {
		p.Errorf("doubled: %s", what)
	}
	if got := strings.Join(withoutRepeats(states(lines)), " "); got != expectedStates {
		p.Errorf("the states are\n     %s\nwant %s", got, expectedStates)
	}
	p.checkCounters()
	p.checkFold(lines, "STATE.json")
	p.checkFiles()
	p.checkArchive()
	if p.Failed() {
		for _, l := range lines {
			p.Logf("%d %s %s %s -> %s %s", l.Seq, l.At.Format("05.000"), l.Event, l.From, l.To, l.Why)
		}
	}
	return answers
}

func states(lines []store.Entry) []string {
	var all []string
	for _, l := range lines {
		if l.To != l.From {
			all = append(all, l.To)
		}
	}
	return all
}

// withoutRepeats merges repeated rounds of checks: a round that ends where it began, and a round
// that starts again where the first one led.
func withoutRepeats(all []string) []string {
	for i := 0; i+2 < len(all); i++ {
		if all[i+1] == "Checking" && all[i] == all[i+2] {
			return withoutRepeats(slices.Delete(slices.Clone(all), i, i+2))
		}
	}
	return all
}

// acts has the statuses of answers with their own journal line, and the line's events.
var acts = map[string][]string{
	"created": {"create_task"}, "asked": {"consult", "ask_human"}, "recorded": {"respond_consult", "answer"},
	"answered":  {"wait_for_consult", "deliver"},
	"submitted": {"submit"}, "approved": {"approve"}, "rejected": {"reject"},
}

// findLost returns the answers to callers of a task whose sequence number is missing from its
// journal, or belongs to another event there.
func (p *trial) findLost(lines []store.Entry, of string) (missing []string, answers int) {
	file, err := os.Open(filepath.Join(p.root, "answers"))
	if err != nil {
		p.Fatal(err)
	}
	defer file.Close()
	bySeq := map[uint64]store.Entry{}
	for i, l := range lines {
		if l.Seq != uint64(i+1) {
			p.Errorf("line %d of the journal has seq %d", i+1, l.Seq)
		}
		bySeq[l.Seq] = l
	}
	all := bufio.NewScanner(file)
	for all.Scan() {
		var one toolReply
		if err := json.Unmarshal(all.Bytes(), &one); err != nil {
			p.Errorf("%s: %v", all.Bytes(), err)
		}
		if of != "" && one.Task != of {
			continue
		}
		answers++
		l, ok := bySeq[one.Seq]
		if events := acts[one.Status]; !ok || events != nil &&
			(!slices.Contains(events, l.Event) || l.Session != one.Session) {
			missing = append(missing, all.Text()+" is "+l.Event+" by "+l.Session)
		}
	}
	return missing, answers
}

// findDoubled returns the events that one call caused twice, and the gates with two verdicts. A
// call that submits an unchecked tree has one line for the gate and one for the submission. If the
// tree has changed meanwhile, or could not be read because git was killed, the call starts another
// gate after the first one's verdict.
func findDoubled(lines []store.Entry) []string {
	type step struct{ call, event string }
	var found []string
	steps, verdicts := map[step]bool{}, map[string]bool{}
	for _, l := range lines {
		this := step{l.Call, l.Event}
		if l.Call != "" && steps[this] {
			found = append(found, l.Event+" of call "+l.Call)
		}
		steps[this] = true
		var data struct{ Gate struct{ At string } }
		if l.Event == "checked" && json.Unmarshal(l.Data, &data) == nil {
			if verdicts[data.Gate.At] {
				found = append(found, "verdict of "+data.Gate.At)
			}
			verdicts[data.Gate.At] = true
			maps.DeleteFunc(steps, func(s step, _ bool) bool { return s.event == "check" })
		}
	}
	return found
}

func TestFindDoubled(t *testing.T) {
	t.Parallel()
	line := func(event, call string) store.Entry { return store.Entry{Event: event, Call: call} }
	verdict := func(at string) store.Entry {
		return store.Entry{Event: "checked", Data: []byte(`{"gate":{"at":"` + at + `"}}`)}
	}
	for _, c := range []struct {
		name  string
		lines []store.Entry
		want  string
	}{
		{"a submission that needs a gate", []store.Entry{line("check", "a.1"), verdict("1"),
			line("submit", "a.1")}, ""},
		{"one whose tree changes", []store.Entry{line("check", "a.1"), verdict("1"), line("check", "a.1"), verdict("2"),
			line("submit", "a.1")}, ""},
		{"no call", []store.Entry{line("landed", ""), line("landed", "")}, ""},
		{"two gates at once", []store.Entry{line("check", "a.1"), line("check", "a.1")}, "check of call a.1"},
		{"two submissions", []store.Entry{line("submit", "a.1"), line("submit", "a.1")}, "submit of call a.1"},
		{"two verdicts", []store.Entry{line("check", "a.1"), verdict("1"), verdict("1")}, "verdict of 1"},
	} {
		if got := strings.Join(findDoubled(c.lines), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// checkCounters compares the counters with an undisturbed trial's.
func (p *trial) checkCounters() {
	w := p.world().World
	if w.CheckRetries != 0 || w.ReviewCycles != 1 || w.Claim != nil || w.Hold != nil || w.State != "Complete" {
		p.Errorf("at the end: %s, check_retries %d, review_cycles %d, claim %v, hold %v; "+
			"want Complete, 0, 1 and neither",
			w.State, w.CheckRetries, w.ReviewCycles, w.Claim, w.Hold)
	}
	if w.Gate == nil || w.Submission == nil || w.Gate.Tree != w.Submission.Tree || w.Gate.Verdict != "PASS" {
		p.Errorf("the approved tree is not the checked one: %+v %+v", w.Gate, w.Submission)
	}
}

// unfolded are the members of STATE.json that have no journal line.
var unfolded = []string{"last", "head", "updated_at", "owner_pid", "lease_until", "last_heartbeat"}

// checkFold checks that the journal replays to the state in a file below .ferrus.
func (p *trial) checkFold(lines []store.Entry, state string) {
	data, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", state))
	members := map[string]any{}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		err = d.Decode(&members)
	}
	for _, name := range unfolded {
		delete(members, name)
	}
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	err = errors.Join(err, e.Encode(members))
	got, folding := store.Fold(lines)
	if err = errors.Join(err, folding); err != nil || string(got) != strings.TrimSpace(want.String()) {
		p.Errorf("the journal replays to %s, %v; want %s", got, err, &want)
	}
}

// checkFiles checks that every file is referenced by a state.
func (p *trial) checkFiles() {
	expected := []string{"STATE.json", "STATE.lock", "journal.jsonl", "agents.json", "sessions.jsonl",
		"CONSULT_TEMPLATE.md", "SPEC_TEMPLATE.md", "LAST_SPEC_PATH", "run/conductor.lock", "run/gate.lock",
		"run/task-gate.lock", "run/base.lock",
		"run/counts.json", "run/verdicts.jsonl", "sums", "sums.lock"}
	state := p.world()
	for name, doc := range state.Docs {
		expected = append(expected, name, doc.File)
	}
	root := filepath.Join(p.dir, ".ferrus")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case name == "run/git" || name == "run/gate" || name == "logs":
			return filepath.SkipDir
		case e.IsDir() || filepath.Dir(name) == "checks" || slices.Contains(expected, name):
		default:
			p.Errorf("%s is left behind", name)
		}
		return nil
	})
	if err != nil {
		p.Error(err)
	}
}

// checkArchive checks that the archive has the whole task once it is archived.
func (p *trial) checkArchive() {
	task := p.world().World.Task
	if task == nil {
		return
	}
	if code, out := p.ferrus("reset", "--yes"); code != 0 {
		p.Errorf("ferrus reset: %d %s", code, out)
		return
	}
	for _, name := range []string{"TASK.md", "REVIEW.md", "SUBMISSION.md", "checks"} {
		if _, err := os.Stat(filepath.Join(p.dir, ".ferrus", "archive", task.ID, name)); err != nil {
			p.Error(err)
		}
	}
}
