package workflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/machine/flow"
	"ferrus/ui/text"
)

// artifactLimit bounds what state.json holds of one document; a longer one belongs
// into a file.
const artifactLimit = 64 << 10

// named are the artifacts that are given, by the name of their evidence.
func (u *Updates) artifacts() map[flow.Evidence]string {
	all := map[flow.Evidence]string{}
	if a := u.Artifacts; a != nil {
		for name, text := range map[flow.Evidence]string{
			flow.Design: a.Design, flow.PlanText: a.Plan, flow.RCA: a.RCA, flow.FixDesign: a.FixDesign,
			flow.Brief: a.Brief,
		} {
			if strings.TrimSpace(text) != "" {
				all[name] = text
			}
		}
	}
	return all
}

// set records evidence, and enters a phase with it if one is named; both or none.
func (s *step) set() error {
	if s.c.Updates != nil {
		if err := s.record(s.c.Updates); err != nil {
			return err
		}
	}
	if s.c.To == "" {
		if s.event == "" {
			return s.badArgs("nothing to set", "updates, a phase, or both")
		}
		return nil
	}
	recorded := s.why
	if err := s.enter(); err != nil {
		return err
	}
	if recorded != "" {
		s.why += " with " + recorded
	}
	s.event = cmp.Or(s.event, "state.patched")
	return nil
}

func (s *step) record(u *Updates) error {
	var names []string
	take := func(e flow.Evidence, given bool, apply func()) error {
		if !given {
			return nil
		}
		if err := s.step(flow.Record{Evidence: e}); err != nil {
			return err
		}
		apply()
		names = append(names, string(e))
		return nil
	}
	given := u.artifacts()
	for _, e := range slices.Sorted(maps.Keys(given)) {
		if len(given[e]) > artifactLimit {
			return s.badArgs(fmt.Sprintf("%s is longer than %d KiB", e, artifactLimit>>10),
				"the path of a file that holds it")
		}
		if err := take(e, true, func() { s.Artifacts[artifact(e)] = given[e] }); err != nil {
			return err
		}
	}
	for _, one := range []struct {
		e     flow.Evidence
		given bool
		apply func()
	}{
		{flow.Triage, u.Triage != nil, func() { s.Triage = u.Triage }},
		{flow.Cause, u.Investigation != nil, func() { s.Investigation = u.Investigation }},
		{flow.Scope, u.Explore != nil, func() { s.Explore = u.Explore }},
		{flow.Finished, u.Implementation != nil, func() {
			s.Implementation = &Implementation{Complete: u.Implementation.Complete, By: s.c.By.ID}
			s.forget(flow.Tests) // What was proved is older than this.
		}},
		{flow.Docs, u.Validation != nil, func() { s.documented(u.Validation.DocsUpdated) }},
		{flow.Summary, u.Oneshot != nil, func() { s.summarized(u.Oneshot.PlanSummary) }},
	} {
		if err := take(one.e, one.given, one.apply); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		s.event, s.why = "state.patched", strings.Join(names, ", ")
	}
	return nil
}

func (s *step) documented(updated bool) {
	if s.Validation == nil {
		s.Validation = &Validation{}
	}
	s.Validation.DocsUpdated = updated
}

func (s *step) summarized(words string) {
	if s.Oneshot == nil {
		s.Oneshot = &Oneshot{SynthesisPolicy: flow.OnRequest}
	}
	s.Oneshot.PlanSummary = words
}

// planTasks adds tasks to the plan. In a phase that plans, tasks that
// have not started are replaced.
func (s *step) planTasks() error {
	tasks := slices.Clone(s.c.Tasks)
	kept := s.Tasks
	if s.Flow().Phase(s.Phase).Run == flow.RunAgent {
		kept = slices.DeleteFunc(slices.Clone(s.Tasks), func(t Task) bool { return t.Status == Pending })
	}
	s.event, s.why = "tasks.planned", text.Count(len(tasks), "task")
	if err := s.step(flow.PlanTasks{Fault: taskFault(kept, tasks)}); err != nil {
		return err
	}
	for i := range tasks {
		t := &tasks[i]
		t.Status, t.Round, t.Loop, t.Why, t.By = Pending, s.Round, "", "", s.c.By.ID
		t.Title = t.heading()
	}
	s.Tasks = append(kept, tasks...)
	return nil
}

// heading returns the title that a task of the plan gets: one line, because it becomes a line of a commit message.
func (t Task) heading() string { return cmp.Or(core.TaskTitle(t.Title), core.TaskTitle(t.Text)) }

// taskFault says what is wrong with tasks that are added to others.
func taskFault(kept, tasks []Task) string {
	if len(tasks) == 0 {
		return "there are no tasks"
	}
	if len(kept)+len(tasks) > 200 {
		return "there are more than 200 tasks"
	}
	known := map[string]Task{}
	for _, t := range kept {
		known[t.ID] = t
	}
	for _, t := range tasks {
		_, doubled := known[t.ID]
		switch {
		case strings.TrimSpace(t.ID) == "" || len(t.ID) > 60 || text.Sanitize(t.ID) != t.ID:
			return "the id of a task must be one line of 1 to 60 characters, all of them visible"
		case doubled:
			return fmt.Sprintf("two tasks have the id %s", t.ID)
		case t.heading() == "":
			return fmt.Sprintf("task %s has no text", t.ID)
		}
		known[t.ID] = t
	}
	for _, t := range tasks {
		for _, before := range t.After {
			if _, ok := known[before]; !ok {
				return fmt.Sprintf("task %s depends on %s, which is not in the plan", t.ID, before)
			}
		}
	}
	for _, t := range tasks {
		if reaches(known, t, t.ID, map[string]bool{}) {
			return fmt.Sprintf("task %s depends on itself", t.ID)
		}
	}
	return ""
}

func reaches(all map[string]Task, from Task, id string, seen map[string]bool) bool {
	for _, before := range from.After {
		if before == id {
			return true
		}
		if !seen[before] {
			seen[before] = true
			if reaches(all, all[before], id, seen) {
				return true
			}
		}
	}
	return false
}
