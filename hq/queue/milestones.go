package queue

import (
	"errors"
	"fmt"
	"strings"

	"ferrus/hq/spec"
)

// Milestones returns the open milestones of a specification that no item is for yet, as tasks. Each
// waits for the milestones that it depends on.
func (q *Queue) Milestones(s spec.Spec) ([]New, error) {
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("queue the milestones of %s: %w", s.Path, err)
	}
	state, err := q.Load()
	if err != nil {
		return nil, err
	}
	waits := map[string]Ref{} // by the id of a milestone
	for _, i := range state.World.Items {
		if i.Spec == s.Path && !i.Final() {
			waits[i.Milestone] = Ref{N: i.N}
		}
	}
	var all []New
	for _, m := range s.Milestones {
		if _, queued := waits[m.ID]; m.Done || queued {
			continue
		}
		if m.ID == "" {
			return nil, fmt.Errorf("queue the milestones of %s: line %d: %s has no line \"ID: m1.1\"", s.Path, m.Line,
				m.Marker)
		}
		waits[m.ID] = Ref{Title: m.Title}
		all = append(all, New{Text: request(s, m), Spec: s.Path, Milestone: m.ID})
	}
	if len(all) == 0 {
		return nil, errors.New("every milestone of " + s.Path + " is done or queued")
	}
	for i := range all {
		m, _ := s.Find(all[i].Milestone)
		for _, id := range m.Depends {
			if on, ok := waits[id]; ok {
				all[i].After = append(all[i].After, on)
			}
		}
	}
	return all, nil
}

// request returns the text of the task of a milestone.
func request(s spec.Spec, m spec.Milestone) string {
	text := fmt.Sprintf("# %s\n\nThis is milestone %s of the specification %s. Read the specification, and do this "+
		"milestone only.\n", m.Title, m.ID, s.Path)
	if own := strings.TrimSpace(m.Text); own != "" {
		text += "\n" + own + "\n"
	}
	return text
}
