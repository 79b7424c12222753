package land

import (
	"fmt"
	"strings"
)

// Lines returns the plan in words: files, lines, verdict, alarms, and the message last,
// indented.
func (p Plan) Lines() []string {
	all := []string{p.Task + "  " + p.Title}
	out := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if p.Onto != "" {
		out("onto     %s%s%s", p.Onto, p.by(), p.ahead())
	}
	for _, f := range p.Files {
		out("%6s %6s  %s", fmt.Sprintf("+%d", f.Added), fmt.Sprintf("-%d", f.Removed), f.Path)
	}
	if p.Tree != "" {
		out("changes  %s, +%d -%d", count(len(p.Files), "file"), p.Added, p.Removed)
		if p.Verdict == "" {
			out("gate     runs on what lands")
		} else {
			out("gate     %s on tree %.12s", p.Verdict, p.Tree)
		}
	}
	for _, a := range p.Alarms {
		out("alarm    %s", a)
	}
	if p.Message != "" {
		all = append(all, "")
		for line := range strings.Lines(strings.TrimSpace(p.Message)) {
			all = append(all, "    "+strings.TrimRight(line, "\n"))
		}
	}
	return all
}

func (p Plan) by() string {
	if p.Via == "" {
		return ""
	}
	return " of the remote, by " + p.Via
}

func (p Plan) ahead() string {
	switch {
	case p.Lost != "":
		return fmt.Sprintf(", which was rewritten: it no longer has %.12s, where the task started", p.Lost)
	case p.Behind == 0:
		return ""
	case !p.Own:
		return fmt.Sprintf(", which got %s since the task started", count(p.Behind, "commit"))
	}
	return ", which is ahead by " + count(p.Behind, "commit")
}

func count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// String returns the landing in one sentence.
func (d Done) String() string {
	if d.Pull != "" {
		return fmt.Sprintf("%s lands through %s, once the forge has merged it%s", d.Staged, d.Pull,
			strings.Replace(on(d.Onto), " on ", " into ", 1))
	}
	if d.Staged != "" {
		return fmt.Sprintf("%s is staged%s: it lands once the checks have passed on the combined work", d.Staged,
			strings.Replace(on(d.Onto), " on ", " for ", 1))
	}
	words := fmt.Sprintf("landed: %.12s%s", d.Commit, on(d.Onto))
	if d.Kept != "" {
		words += "; the worktree is kept: " + d.Kept
	}
	if d.Teardown != "" {
		words += "; " + d.Teardown
	}
	return words
}
