package workflow

import (
	"fmt"
	"strings"

	"ferrus/ui/text"
)

// Brief returns the brief of a session of the phase: what is asked, what was recorded,
// and what was found before.
func (w Workflow) Brief() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Workflow %s (%s): %s\n", w.ID, w.Type, w.Title)
	section(&b, "Request", w.Request)
	if t := w.Triage; t != nil {
		section(&b, "Symptom", strings.TrimSpace(t.Failure+"\n"+t.Reproduction+"\n"+t.AffectedArea))
	}
	if w.Investigation != nil {
		section(&b, "Root cause", w.Investigation.RootCause)
	}
	if w.Explore != nil {
		section(&b, "Scope", w.Explore.ScopeAssessment)
	}
	for _, name := range []string{"design", "brief", "rca", "fixDesign", "plan"} {
		section(&b, "artifacts."+name, brief(w.Artifacts[name]))
		if w.Artifacts[name] == "" && w.Previous[name] != "" {
			section(&b, "artifacts."+name+" of the previous round", brief(w.Previous[name]))
		}
	}
	for _, t := range w.Tasks {
		section(&b, fmt.Sprintf("Task %s, round %d, %s", t.ID, t.Round, t.Status), brief(t.Text))
	}
	section(&b, "What was found, or what the human says", brief(w.Notes))
	return bounded(b.String(), 24<<10)
}

// brief is a text that leaves room for others.
func brief(text string) string { return bounded(text, 4<<10) }

// bounded cuts a text; workflow_status has the whole.
func bounded(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return text.CutBytes(s, most) + "\n... (workflow_status has the whole)"
}
