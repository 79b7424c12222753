package queue

import (
	"fmt"
	"strings"

	"ferrus/hq/core"
)

// ParseFile reads a file of tasks. Each heading of the first level begins a task and is its
// title; what follows is its text. Right below the heading, lines "After: #12, Another title",
// "Touches: fetch/*.go" and "Needs: gpu" say what has to land first, what it will change, and the
// labels of the worker that it runs on. A heading inside a fenced block is text.
func ParseFile(content string) ([]New, error) {
	var all []New
	fence := ""
	head := false // only blank lines and fields came since the heading
	for at, line := range strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		title, isHeading := strings.CutPrefix(line, "# ")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case isHeading:
			if len(all) == maxInFile {
				return nil, fmt.Errorf("line %d: the file has more than %d tasks: split it", at+1, maxInFile)
			}
			if core.TaskTitle(title) == "" {
				return nil, fmt.Errorf("line %d: the heading has no title: write it after the \"# \"", at+1)
			}
			all, head = append(all, New{Text: "# " + strings.TrimSpace(title) + "\n"}), true
			continue
		}
		if len(all) == 0 {
			if trimmed != "" {
				return nil, fmt.Errorf("line %d: %.60q comes before the first task: start each with a line \"# Title\"",
					at+1, core.TaskTitle(trimmed))
			}
			continue
		}
		now := &all[len(all)-1]
		if head && fence == "" {
			if is, err := now.field(trimmed); err != nil {
				return nil, fmt.Errorf("line %d: %w", at+1, err)
			} else if is {
				continue
			}
		}
		head = head && trimmed == ""
		now.Text += line + "\n"
	}
	for i := range all {
		all[i].Text = strings.TrimSpace(all[i].Text) + "\n"
	}
	return all, nil
}

// maxInFile bounds what is read of a file; the queue takes fewer.
const maxInFile = MaxWaiting

// field takes a line below the heading, if it is one of the fields.
func (n *New) field(line string) (is bool, err error) {
	name, value, found := strings.Cut(line, ":")
	switch {
	case !found:
		return false, nil
	case strings.EqualFold(name, "after"):
		refs, err := ParseRefs(value)
		n.After = append(n.After, refs...)
		return true, err
	case strings.EqualFold(name, "touches"):
		n.Touches = append(n.Touches, Words(value)...)
		return true, nil
	case strings.EqualFold(name, "needs"):
		n.Needs = append(n.Needs, Words(value)...)
		return true, nil
	}
	return false, nil
}

// ParseRefs reads "#12, Another title".
func ParseRefs(list string) (all []Ref, err error) {
	for _, word := range Words(list) {
		var n int
		if _, err := fmt.Sscanf(word, "#%d", &n); err == nil && word == fmt.Sprintf("#%d", n) {
			all = append(all, Ref{N: n})
		} else if strings.HasPrefix(word, "#") {
			return nil, fmt.Errorf("%.40q is not a task number such as #12", word)
		} else {
			all = append(all, Ref{Title: core.TaskTitle(word)})
		}
	}
	return all, nil
}

// Words splits a list at its commas.
func Words(list string) (all []string) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}
