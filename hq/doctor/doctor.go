// Package doctor diagnoses a project, and repairs what can be repaired.
//
// [Examine] changes nothing: it compares ferrus.toml, the agents' programs, the
// files of .ferrus and the running processes with each other, and returns a
// [Report] of findings, each with its remedy. [Repair] rebuilds what can be proven
// from other files, and is refused while a conductor is running. [Report.Bundle]
// writes the part that you can show to strangers.
//
// An edit of .ferrus that also rewrites the journal, its hashes and the head outside the
// project is not detected: nothing on the disk is secret from a process of the same user.
package doctor

import (
	"cmp"
	"context"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/project"
	"ferrus/store"
)

// Severity is how bad a finding is.
type Severity string

// The severities, from best to worst.
const (
	OK      Severity = "ok"
	Note    Severity = "note"    // temporary, or allowed
	Warning Severity = "warning" // something will not work as it should
	Error   Severity = "error"   // something does not work
)

// Finding is one thing that was looked at.
type Finding struct {
	// configuration, agents, files, state, journal, texts, sessions, gate, git, disk, sandbox,
	// worktrees
	Area     string   `json:"area"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Fix      string   `json:"fix,omitempty"`

	brief string // What without anything that a file or a program says
}

// Report is what Examine found, in the order in which it looked.
type Report struct {
	Project  string    `json:"project"`
	Version  string    `json:"version"`
	At       time.Time `json:"at"`
	Findings []Finding `json:"findings"`
	Repaired []string  `json:"repaired,omitempty"` // what Repair did before
	Left     []string  `json:"left,omitempty"`     // and had to leave

	inspected *inspection
}

// Worst returns the severity of the worst finding.
func (r Report) Worst() Severity {
	rank := map[Severity]int{OK: 0, Note: 1, Warning: 2, Error: 3}
	worst := OK
	for _, f := range r.Findings {
		if rank[f.Severity] > rank[worst] {
			worst = f.Severity
		}
	}
	return worst
}

// Options describe the program that Examine is part of.
type Options struct {
	Version  string
	Agents   config.Names  // that are built in
	Heads    store.Heads   // where the heads of records are kept; empty: nowhere
	Lanes    string        // directory of the gate's workspaces; empty: below .ferrus
	Patience time.Duration // for one program to say its version; 0 means 5 seconds
}

// inspection is a project that is looked at. It is not opened: that would finish
// what a crash left before it was seen.
type inspection struct {
	*project.Task
	options  Options
	findings []Finding
	versions map[string]string // of programs
}

// newInspection works on a directory of any content.
func newInspection(dir string, o Options) (*inspection, error) {
	t, err := project.Inspect(dir, o.Heads, o.Agents...)
	if err != nil {
		return nil, err
	}
	t.Lanes = o.Lanes
	o.Patience = cmp.Or(o.Patience, 5*time.Second)
	return &inspection{Task: t, options: o, versions: map[string]string{}}, nil
}

// Examine diagnoses the project in a directory. What is wrong with it are findings;
// the error is for a directory that cannot be read.
func Examine(ctx context.Context, dir string, o Options) (Report, error) {
	p, err := newInspection(dir, o)
	if err != nil {
		return Report{}, err
	}
	p.configuration(ctx)
	p.git(ctx)
	p.disk()
	p.sandbox(ctx)
	if p.files() {
		p.state()
		p.sessions()
		p.worktrees(ctx)
		p.workflows()
		p.queue()
		p.garbage(ctx)
	}
	return Report{Project: p.Dir, Version: o.Version, At: time.Now().UTC().Truncate(time.Second), Findings: p.findings,
		inspected: p}, nil
}

// find adds a finding. The detail may hold anything; brief is ours.
func (p *inspection) find(area string, s Severity, brief, detail, fix string) {
	what := brief
	if detail != "" {
		what += ": " + detail
	}
	p.findings = append(p.findings, Finding{Area: area, Severity: s, What: what, Fix: fix, brief: brief})
}
