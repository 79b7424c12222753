// Package stats adds up what the tasks of a project took: time in each state, check gates,
// review cycles, waits for the human, tokens and cost, in total and by agent.
//
// Its input is the journal of each task and the sessions that have ended; it reads nothing
// itself. What the journal of an earlier version does not record counts as unknown, never
// as 0.
package stats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
)

// Task is what one task took.
type Task struct {
	ID    string
	State machine.State // the last one; empty: its journal does not say
	// Of its first and last entry.
	Began, Ended time.Time
	Landed       bool
	Agents       map[machine.Role]Agent
	Gates        int   // that ended in PASS, FAIL or TIMEOUT
	FirstGreen   *bool // whether the first of them was a PASS; nil: there was none
	Flaky        Flaky
	Rejections   int
	Asked        int // questions to the human
	// Never negative, even if the clock went back.
	In map[machine.State]time.Duration
}

// Flaky is what passed on a tree on which it had failed.
type Flaky struct {
	Gates int
	Tests []string // by name, sorted; see [FlakyTests]
}

// Agent is an agent with the model it was asked to use.
type Agent struct {
	Name  string `json:"agent"`           // claude-code
	Model string `json:"model,omitempty"` // empty: the agent's own default
}

func (a Agent) String() string { return strings.TrimSpace(a.Name + " " + a.Model) }

// patch is the part of an entry's data that is counted: a merge patch of the World.
type patch struct {
	Gate struct {
		Verdict *checks.Verdict `json:"verdict"`
		Tree    string          `json:"tree"`
	} `json:"gate"`
	Task struct {
		Pin    *core.Pin       `json:"pin"`
		Landed json.RawMessage `json:"landed"`
	} `json:"task"`
}

// readPatch decodes the data of an entry, if it says anything that is counted. Most does
// not, and there are many.
func readPatch(data []byte) (p patch) {
	for _, name := range [...]string{`"verdict"`, `"tree"`, `"pin"`, `"landed"`} {
		if bytes.Contains(data, []byte(name)) {
			_ = json.Unmarshal(data, &p) // other data is not about a task
			break
		}
	}
	return p
}

// Read returns what the entries of one task say, oldest first.
func Read(id string, entries []store.Entry) Task {
	t := Task{ID: id, Agents: map[machine.Role]Agent{}, In: map[machine.State]time.Duration{}}
	failed := map[string]bool{} // trees
	tree := ""
	for _, e := range entries {
		t.spend(e)
		p := readPatch(e.Data)
		if p.Task.Pin != nil {
			t.pin(*p.Task.Pin)
		}
		if len(p.Task.Landed) > 0 && string(p.Task.Landed) != "null" {
			t.Landed = true
		}
		tree = cmp.Or(p.Gate.Tree, tree)
		switch machine.Kind(e.Event) {
		case core.KindChecked:
			if p.Gate.Verdict != nil {
				t.gate(*p.Gate.Verdict, tree, failed)
			}
		case core.KindReject:
			t.Rejections++
		case core.KindAskHuman:
			t.Asked++
		}
	}
	return t
}

// spend adds the time since the previous entry to the state that it was spent in.
func (t *Task) spend(e store.Entry) {
	if t.Began.IsZero() {
		t.Began, t.Ended = e.At, e.At
	}
	if took := e.At.Sub(t.Ended); took > 0 {
		t.In[t.State] += took
		t.Ended = e.At
	}
	if e.To != "" {
		t.State = machine.State(e.To)
	}
}

// pin keeps the agents of the roles: the newest entry counts, but a patch names only
// what changed.
func (t *Task) pin(p core.Pin) {
	for role, pinned := range map[machine.Role]core.RolePin{
		machine.Supervisor: p.Supervisor, machine.Executor: p.Executor,
	} {
		a := t.Agents[role]
		if pinned.Agent != "" && pinned.Agent != a.Name {
			a = Agent{Name: pinned.Agent}
		}
		a.Model = cmp.Or(pinned.Model, a.Model)
		if a.Name != "" {
			t.Agents[role] = a
		}
	}
}

// gate counts a verdict. A gate that was cancelled, or proved nothing, counts as none.
func (t *Task) gate(v checks.Verdict, tree string, failed map[string]bool) {
	if !v.Passed() && v != checks.Fail && v != checks.Timeout {
		return
	}
	green := v.Passed()
	if t.Gates++; t.FirstGreen == nil {
		t.FirstGreen = &green
	}
	switch {
	case tree == "" && v != checks.Flaky:
	case !green:
		failed[tree] = true
	case failed[tree] || v == checks.Flaky:
		t.Flaky.Gates++
	}
}

// Session is an ended session of an agent.
type Session struct {
	Agent Agent
	Role  machine.Role
	Task  string // empty: of no task
	Ended time.Time
	Usage *core.Usage // nil: its agent did not report it
}

// Sums are what a number of tasks took together.
type Sums struct {
	Tasks      int `json:"tasks"`
	Complete   int `json:"complete"`
	Landed     int `json:"landed"`
	Failed     int `json:"failed"`
	Checked    int `json:"checked"`          // with at least one gate
	FirstGreen int `json:"first_time_green"` // whose first gate passed
	Gates      int `json:"gates"`
	Flaky      int `json:"flaky_gates"` // that passed on a tree on which they had failed
	// The tests that did so, where their names are known, and in how many tasks.
	FlakyTests map[string]int `json:"flaky_tests,omitempty"`
	Rejections int            `json:"rejections"`
	Asked      int            `json:"questions"` // to the human
	// In seconds. Time in which a task was Complete or Failed is not work, and not counted.
	Seconds map[machine.State]float64 `json:"seconds"`
}

// Row is what an agent did in one role.
type Row struct {
	Agent
	Role machine.Role `json:"role"`
	Sums
	Used core.UsageTotal `json:"used"`
	// In dollars; nil: nothing landed, or no session reported a cost.
	CostPerLanded *float64 `json:"cost_per_landed_task"`
}

// Report is what [Sum] found.
type Report struct {
	Since time.Time       `json:"since,omitzero"` // zero: from the first task on
	Sums                  // of all tasks
	Used  core.UsageTotal `json:"used"`
	// As of a [Row], of all sessions.
	CostPerLanded *float64 `json:"cost_per_landed_task"`
	Rows          []Row    `json:"agents"`        // by role, then the busiest first
	Weeks         []int    `json:"tasks_by_week"` // begun in each of the last weeks, the oldest first
}

// weeks is how far back the report counts by week.
const weeks = 12

// Sum adds up the tasks that began since then, and the sessions that ended since then.
// Sessions of a pair or a workflow's phase, which belong to no task, are counted by their
// agent alone.
func Sum(tasks []Task, sessions []Session, since, now time.Time) Report {
	r := Report{Since: since, Rows: []Row{}, Weeks: make([]int, weeks)}
	for _, t := range tasks {
		if t.Began.Before(since) {
			continue
		}
		r.Sums.add(t)
		if age := int(now.Sub(t.Began).Hours() / (7 * 24)); age >= 0 && age < weeks {
			r.Weeks[weeks-1-age]++
		}
		for role, agent := range t.Agents {
			r.row(agent, role).add(t)
		}
	}
	for _, s := range sessions {
		if !s.Ended.Before(since) {
			r.row(s.Agent, s.Role).Used.Add(s.Usage)
			r.Used.Add(s.Usage)
		}
	}
	r.CostPerLanded = costPerLanded(r.Sums, r.Used)
	for i, row := range r.Rows {
		r.Rows[i].CostPerLanded = costPerLanded(row.Sums, row.Used)
	}
	slices.SortFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(b.Tasks, a.Tasks),
			cmp.Compare(b.Used.Sessions, a.Used.Sessions), cmp.Compare(a.String(), b.String()))
	})
	return r
}

// costPerLanded divides all that was spent, on tasks that did not land as well.
func costPerLanded(s Sums, u core.UsageTotal) *float64 {
	if s.Landed == 0 || u.Unpriced >= u.Sessions {
		return nil
	}
	each := u.Cost / float64(s.Landed)
	return &each
}

// row returns the row of an agent in a role, which it adds if it is new.
func (r *Report) row(a Agent, role machine.Role) *Row {
	i := slices.IndexFunc(r.Rows, func(row Row) bool { return row.Agent == a && row.Role == role })
	if i < 0 {
		i = len(r.Rows)
		r.Rows = append(r.Rows, Row{Agent: a, Role: role})
	}
	return &r.Rows[i]
}

func (s *Sums) add(t Task) {
	s.Tasks++
	s.Gates += t.Gates
	s.Flaky += t.Flaky.Gates
	s.Rejections += t.Rejections
	s.Asked += t.Asked
	if t.FirstGreen != nil {
		s.Checked++
		if *t.FirstGreen {
			s.FirstGreen++
		}
	}
	switch t.State {
	case task.Complete:
		s.Complete++
	case task.Failed:
		s.Failed++
	}
	if t.Landed {
		s.Landed++
	}
	for _, name := range t.Flaky.Tests {
		if s.FlakyTests == nil {
			s.FlakyTests = map[string]int{}
		}
		s.FlakyTests[name]++
	}
	if s.Seconds == nil {
		s.Seconds = map[machine.State]float64{}
	}
	for state, took := range t.In {
		if state != "" && state != task.Idle && state != task.Complete && state != task.Failed {
			s.Seconds[state] += took.Seconds()
		}
	}
}
