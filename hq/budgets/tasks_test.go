package budgets

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git/gittest"
	"ferrus/hq/benchtest"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store"
)

// begunEnv names the directory in which each agent of a task writes when it has started.
const begunEnv = "FERRUS_BUDGET_BEGUN"

// noteBegin writes the time of the first byte.
func noteBegin() {
	if dir := os.Getenv(begunEnv); dir != "" {
		at := strconv.FormatInt(time.Now().UnixNano(), 10)
		_ = os.WriteFile(filepath.Join(dir, os.Getenv(project.TaskEnv)), []byte(at), 0o600) // reported later
	}
}

// newTasks creates a project with tasks that run in parallel. Begun gets the time of each agent's
// first byte.
func newTasks(b *testing.B, n, parallel int, begun string) string {
	b.Helper()
	return newTasksWith(b, n, parallel, begun, "", "")
}

// newTasksWith is newTasks with more lines in ferrus.toml, and a line below each task's title.
func newTasksWith(b *testing.B, n, parallel int, begun, more, line string) string {
	b.Helper()
	dir := newProject(b, 0, "off")
	limits := fmt.Sprintf("[limits]\nmax_parallel_tasks = %d\nmin_free_memory_mb = 0\n", parallel)
	toml := filepath.Join(dir, "ferrus.toml")
	data, err := os.ReadFile(toml)
	if err == nil {
		begins := fmt.Sprintf(`["env", "%s=%s", "%s`, begunEnv, begun, agentEnv)
		text := strings.Replace(string(data), `["env", "`+agentEnv, begins, 1)
		text = strings.Replace(text, "[limits]\n", limits, 1)
		err = os.WriteFile(toml, []byte(text+"[hq]\nworkspace = \"worktree\"\n"+more), 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
	gittest.Run(b, dir, "commit", "-qam", "tasks")
	trust := open(b, dir, program(b), "trust", "--yes")
	_ = trust.command.Wait() // HQ reports a failure
	var file strings.Builder
	for i := range n {
		fmt.Fprintf(&file, "# Task %d of %d\n%s\nDo it.\n\n", i+1, n, line)
	}
	list := filepath.Join(b.TempDir(), "tasks.md")
	if err := os.WriteFile(list, []byte(file.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	add := open(b, dir, program(b), "task", "add", "-f", list) // only you may give it: it needs a terminal
	add.await(fmt.Sprintf("#%d is queued", n))
	add.end()
	return dir
}

// manyTasks has HQ's figures with several tasks.
type manyTasks struct {
	echo, change []time.Duration
	begin        []time.Duration // from its turn to its agent's first byte
	rest         usage
	memory       float64
}

// tasks measures what HQ costs with 10 and 40 tasks, each with a session, against one task. A task
// never has more sessions at the same time: its executor has ended when its reviewer starts, and a
// planner belongs to the project.
func tasks(b *testing.B) {
	all := map[int]manyTasks{}
	counts := []int{1, 10, 40}
	for _, n := range counts {
		all[n] = measureTasks(b, n)
	}
	one := all[1]
	for _, n := range counts[1:] {
		got := all[n]
		for _, row := range []struct {
			name     string
			ours, of []time.Duration
			share    float64
			limit    float64
		}{
			{"key echo, p50", got.echo, one.echo, 0.5, 1.25}, {"key echo, p99", got.echo, one.echo, 0.99, 1.5},
			{"state to screen, p50", got.change, one.change, 0.5, 1.5},
		} {
			reportRatio(b, fmt.Sprintf("%d tasks: %s", n, row.name), benchtest.Milliseconds(row.ours, row.share),
				benchtest.Milliseconds(row.of, row.share), row.limit, "ms")
		}
		reportRatio(b, fmt.Sprintf("%d tasks: idle, CPU of HQ", n), got.rest.cpu, one.rest.cpu, 2, "%")
		reportRatio(b, fmt.Sprintf("%d tasks: idle, switches of HQ", n), got.rest.switches, one.rest.switches, 2, "1/s")
		budget{fmt.Sprintf("%d tasks: idle, bytes to the terminal", n), "B/s", 0, false}.report(b, got.rest.bytes,
			"one", one.rest.bytes)
		budget{fmt.Sprintf("%d tasks: memory of HQ for each more", n), "MB", 3, false}.report(b,
			(got.memory-one.memory)/float64(n-1), "with one", one.memory)
		reportRatio(b, fmt.Sprintf("%d tasks: turn to first byte, p50", n), benchtest.Milliseconds(got.begin, 0.5),
			benchtest.Milliseconds(one.begin, 0.5), float64(n), "ms")
	}
	budget{"one task: turn to the agent's first byte", "ms", 150, false}.report(b,
		benchtest.Milliseconds(one.begin, 0.5), "", 0)
}

// least is the lower bound of a figure, because a value of 0 with one task has no ratio.
const least = 0.1

// reportRatio reports the ratio of a figure to the one with one task.
func reportRatio(b *testing.B, name string, got, one, limit float64, unit string) {
	b.Helper()
	ratio := max(got, least) / max(one, least)
	budget{name, "x", limit, false}.report(b, ratio, fmt.Sprintf("%.3g %s, one", got, unit), one)
}

func measureTasks(b *testing.B, n int) (m manyTasks) {
	begun := b.TempDir()
	dir := newTasks(b, n, n, begun)
	s := open(b, dir, program(b))
	defer func() { s.end(); endHosts(b) }()
	s.await("F1 help")
	s.awaitBegun(begun, n)
	m.begin = turnToByte(b, dir, begun)
	s.await("ready")
	time.Sleep(settling)
	rest := watch(s, s.command.Process.Pid)
	m.rest = rest()
	m.memory = benchtest.Proportional(s.command.Process.Pid)
	s.send("\x0f2")
	m.echo = s.echoes(1)
	s.send("\x1d")
	m.change = s.changes(dir)
	return m
}

// awaitBegun waits until the given number of agents have started.
func (s *screen) awaitBegun(dir string, n int) {
	s.Helper()
	late := time.After(5 * time.Minute)
	for {
		if names, err := os.ReadDir(dir); err != nil || len(names) >= n {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			s.Fatalf("not all of %d agents have started:\n%s", n, s.read())
		}
	}
}

// turnToByte returns how long each task took from its turn to its agent's first byte.
func turnToByte(b *testing.B, dir, begun string) (took []time.Duration) {
	b.Helper()
	lines, err := os.ReadFile(filepath.Join(dir, ".ferrus", queue.Dir, "journal.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	admitted := map[string]time.Time{} // by "#1"
	names, err := os.ReadDir(begun)
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var e store.Entry
		if json.Unmarshal([]byte(line), &e) == nil && e.Event == "admit" {
			number, _, _ := strings.Cut(e.Why, " ")
			admitted[number] = e.At
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(begun, name.Name()))
		at, failed := strconv.ParseInt(string(data), 10, 64)
		number := "#" + strings.Split(name.Name(), "-")[1]
		if err != nil || failed != nil || admitted[number].IsZero() {
			b.Fatalf("%s started at %q, %v", name.Name(), data, err)
		}
		took = append(took, time.Unix(0, at).Sub(admitted[number]))
	}
	return took
}

// changes holds and resumes the selected task, and returns how long each change takes to reach the
// screen from the moment that the system tells of the new STATE.json. None of the task's processes
// run meanwhile: its claim belongs to a session that HQ did not start.
func (s *screen) changes(dir string) (took []time.Duration) {
	s.Helper()
	p, err := project.OpenKept(dir, store.UserHeads())
	if err != nil {
		s.Fatal(err)
	}
	all, err := p.TaskDirs()
	if err != nil {
		s.Fatal(err)
	}
	selected := s.selected(all)
	t, err := p.OpenTask(selected)
	if err != nil {
		s.Fatal(err)
	}
	by := core.Actor{Role: machine.Executor, ID: "executor:printer:1", Session: "budget"}
	if _, err := t.Do(s.Context(), store.Call{}, core.Command{Kind: core.KindClaim, By: by}); err != nil {
		s.Fatal(err)
	}
	notices := s.watchState(filepath.Join(dir, ".ferrus", project.TasksDir, selected))
	change := func(c core.Command, await func()) {
		time.Sleep(time.Duration(10+rand.IntN(20)) * time.Millisecond) // as between keys
		for len(notices) > 0 {
			<-notices
		}
		done := make(chan error, 1)
		go func() { // The screen may show the change before this has returned.
			_, err := t.Do(s.Context(), store.Call{}, c)
			done <- err
		}()
		await()
		shown := time.Now()
		if err := <-done; err != nil {
			s.Fatal(err)
		}
		took = append(took, shown.Sub(<-notices))
	}
	for range repeats {
		change(core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldStop},
			func() { s.await("on hold") })
		change(core.Command{Kind: core.KindResume, By: project.HumanActor()},
			func() { s.awaitGone("on hold") })
	}
	return took
}

// selected returns the directory of the task on the screen.
func (s *screen) selected(all []string) string {
	s.Helper()
	if len(all) == 1 {
		return all[0]
	}
	for line := range strings.Lines(s.read()) {
		_, rest, found := strings.Cut(line, ">")
		if at := strings.Index(rest, "#"); found && at >= 0 && at < 8 {
			number, _, _ := strings.Cut(rest[at+1:], " ")
			i := slices.IndexFunc(all, func(dir string) bool { return strings.HasPrefix(dir, "t-"+number+"-") })
			if i >= 0 {
				return all[i]
			}
		}
	}
	s.Fatalf("no task is selected:\n%s", s.read())
	return ""
}

// awaitGone waits until the screen no longer shows a word.
func (s *screen) awaitGone(word string) {
	s.Helper()
	late := time.After(20 * time.Second)
	for strings.Contains(s.read(), word) {
		select {
		case <-s.changed:
		case <-late:
			s.Fatalf("the screen still shows %q:\n%s", word, s.read())
		}
	}
}

// How many tasks are queued, and how many have ended, in the project whose start and turn are
// compared with those of one task.
const waitingTasks, archivedTasks = 1000, 5000

// backlog measures how long a project's start and one reconciliation of its queue take, with many
// tasks that wait and more that have ended.
func backlog(b *testing.B) {
	begun := b.TempDir()
	few, many := newTasks(b, 1, 1, b.TempDir()), newTasks(b, waitingTasks, 1, begun)
	fillArchive(b, many, begun)
	var starts, turns, changed [2][]time.Duration
	for range repeats {
		for i, dir := range []string{few, many} {
			s := open(b, dir, program(b))
			starts[i] = append(starts[i], s.showing("F1 help"))
			s.end()
			endHosts(b)
			turn, after := pollQueue(b, dir)
			turns[i], changed[i] = append(turns[i], turn), append(changed[i], after)
		}
	}
	words := fmt.Sprintf("%d queued, %d archived: ", waitingTasks, archivedTasks)
	median := func(took []time.Duration) float64 { return benchtest.Milliseconds(took, 0.5) }
	reportRatio(b, words+"start", median(starts[1]), median(starts[0]), 1.2, "ms")
	budget{words + "turn", "ms", 10, false}.report(b, median(turns[1]), "one", median(turns[0]))
	budget{words + "turn after a change", "ms", 50, false}.report(b, median(changed[1]), "one", median(changed[0]))
}

// pollQueue returns how long a conductor's turn with its queue takes, both if nothing in the queue
// has changed and if another process has changed it.
func pollQueue(b *testing.B, dir string) (unchanged, changed time.Duration) {
	b.Helper()
	q, c := openQueue(b, dir)
	turn := func() time.Duration {
		began := time.Now()
		_, err := q.Reconcile(b.Context(), c)
		if err == nil {
			_, err = q.Rows(c)
		}
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	turn()
	unchanged = turn()
	other, _ := openQueue(b, dir)
	for _, drained := range []bool{true, false} {
		if err := other.Drain(b.Context(), project.HumanActor(), "a worker", drained); err != nil {
			b.Fatal(err)
		}
	}
	return unchanged, turn()
}

func openQueue(b *testing.B, dir string) (*queue.Queue, queue.Conditions) {
	b.Helper()
	p, err := project.OpenKept(dir, store.UserHeads())
	if err != nil {
		b.Fatal(err)
	}
	q, err := queue.Open(p)
	if err != nil {
		b.Fatal(err)
	}
	return q, queue.ConditionsOf(p)
}

// fillArchive gives a project ended tasks: copies of the record of a task that has started.
func fillArchive(b *testing.B, dir, begun string) {
	b.Helper()
	s := open(b, dir, program(b))
	s.awaitBegun(begun, 1)
	s.end()
	endHosts(b)
	p, err := project.OpenKept(dir, store.UserHeads())
	if err != nil {
		b.Fatal(err)
	}
	own, err := p.TaskDirs()
	if err != nil || len(own) == 0 {
		b.Fatal("no task has started", err)
	}
	from := p.Store.Path("tasks", own[0])
	for i := range archivedTasks {
		to := p.Store.Path("tasks", fmt.Sprintf("t-%d-over", 100_000+i))
		for _, name := range []string{"STATE.json", "journal.jsonl"} {
			data, err := os.ReadFile(filepath.Join(from, name))
			if err == nil {
				err = os.MkdirAll(to, 0o700)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(to, name), data, 0o600)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
