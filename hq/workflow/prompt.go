package workflow

import (
	"fmt"
	"strings"

	"ferrus/ui/text"
)

// Brief returns the brief of a session of the phase: what is asked, what was recorded,
// and what was found before.
func (d *Document) Brief() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Workflow %s (%s): %s\n", d.ID, d.Type, d.Title)
	section(&b, "Request", d.Request)
	if t := d.Triage; t != nil {
		section(&b, "Symptom", strings.TrimSpace(t.Failure+"\n"+t.Reproduction+"\n"+t.AffectedArea))
	}
	if d.Investigation != nil {
		section(&b, "Root cause", d.Investigation.RootCause)
	}
	if d.Explore != nil {
		section(&b, "Scope", d.Explore.ScopeAssessment)
	}
	for _, name := range []string{"design", "brief", "rca", "fixDesign", "plan"} {
		section(&b, "artifacts."+name, shortText(d.Artifacts[name]))
		if d.Artifacts[name] == "" && d.Previous[name] != "" {
			section(&b, "artifacts."+name+" of the previous round", shortText(d.Previous[name]))
		}
	}
	for _, t := range d.Tasks {
		section(&b, fmt.Sprintf("Task %s, round %d, %s", t.ID, t.Round, t.Status), shortText(t.Text))
	}
	section(&b, "What the reviewers found, or what the human asks for", shortText(d.Notes))
	return bounded(b.String(), 24<<10)
}

// shortText returns a text that leaves room for others.
func shortText(text string) string { return bounded(text, 4<<10) }

// bounded cuts a text; workflow_status has the whole.
func bounded(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return text.CutBytes(s, most) + "\n... (workflow_status has the rest)"
}
