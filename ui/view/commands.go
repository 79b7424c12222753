package view

import "slices"

// Suggestion is a word that an argument can be, and what it means. It has no type of
// its own, so that tables of them can leave out the names of the fields.
type Suggestion = struct{ Word, Help string }

// Completions are suggestions that are looked for only when a command is typed that
// takes them.
type Completions struct {
	Specs  []SpecFile
	Runs   []PairRun
	Tasks  []Suggestion        // archived ones, by id
	Agents []string            // all that can play a role
	Models map[string][]string // by agent, what it ran on before
}

// Files are the files that a text can name. They are replaced, never changed.
type Files struct{ Paths []string }

// File is a file that was pasted by its path.
type File struct {
	Name  string // of the mark for it
	Path  string // where the agent finds it
	Below bool   // Path is below the directory that the agent works in, and needs no mark
	Image bool
}

// Project is a project on this machine.
type Project struct {
	Dir, Name string
	Words     string // its state, what needs the human there, and its cost
	Here      bool   // it is the shown one
}

// Spec is what a task may come from.
type Spec struct {
	Last                string // the path of the spec that was written last; empty: none is offered
	Selected, Milestone string // the path of the selected spec, and the selected milestone
}

// SpecFile is one spec to choose from.
type SpecFile struct {
	Path, Name string
	Progress   string // 2/5
	Problem    string // why it cannot be used; empty: it can
	Milestones []Milestone
}

// Milestone is one milestone of a spec.
type Milestone struct {
	ID     string // empty: it cannot be selected
	Title  string // #1.0 Read the files
	On     string // what it depends on: m1.0, m1.1; empty: nothing
	Waits  string // how many of them are not done
	Done   bool
	Chosen bool
}

// Status says what there is to know of a milestone besides its title.
func (m Milestone) Status() string {
	switch {
	case m.ID == "":
		return "no ID"
	case m.Done:
		return m.ID
	case m.Waits != "":
		return m.ID + "  waits for " + m.Waits
	case m.On != "":
		return m.ID + "  ready, after " + m.On
	}
	return m.ID + "  ready"
}

// RoleModel is what a role runs on.
type RoleModel struct {
	Role, Agent string
	Model       string   // empty: the agent's default
	Known       []string // models that the agent has names for
}

// AgentNames returns the names of agents that /register takes or that have roles.
func (v *View) AgentNames() []string {
	all := slices.Clone(v.Agents)
	for _, m := range v.Models {
		all = append(all, m.Agent)
	}
	return all
}

// Choices returns the models to choose from for a role: the ones that its agent has names
// for, and the ones it used before.
func (v *View) Choices(r RoleModel) []string {
	all := slices.Clone(r.Known)
	for _, m := range append(slices.Clone(v.Found.Models[r.Agent]), r.Model) {
		if m != "" && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// PairRun is a run of two agents.
type PairRun struct {
	ID, Status string
	Over       bool // it cannot be resumed
}

// Document is a text of the task, as its author left it.
type Document struct{ Name, Text string }

// SpecDocument is the name of the newest spec, which is read when it is asked for.
const SpecDocument = "spec"

// DocumentNames returns the names of the documents that there are now.
func (v *View) DocumentNames() (names []string) {
	for _, d := range v.Documents {
		names = append(names, d.Name)
	}
	if v.Spec.Last != "" || len(v.Found.Specs) > 0 {
		names = append(names, SpecDocument)
	}
	return names
}
