package land

import (
	"strings"

	"ferrus/hq/core"
)

// message words the commit: the title of the task, and below it the summary of the
// submission.
func (l *landing) message() (string, error) {
	if l.flow != nil {
		return workflowMessage(l.flow), nil
	}
	submission, err := l.readText(core.SubmissionText)
	if err != nil {
		return "", err
	}
	if cfg, _ := l.project.Config(); cfg.Merge.Message != "" { // the last good one
		return fillMessage(cfg.Merge.Message, l.w.Task.ID, l.w.Task.Title, summary(submission)), nil
	}
	text := l.w.Task.Title
	if s := summary(submission); s != "" {
		text += "\n\n" + s
	}
	return text + "\n", nil
}

// fillMessage fills a template in. A line that is empty because there is no summary leaves no gap.
func fillMessage(template, id, title, summary string) string {
	text := strings.NewReplacer("{title}", title, "{summary}", summary, "{task}", id,
		"{trailers}", "Ferrus-Task: "+id).Replace(template)
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return strings.TrimSpace(text) + "\n"
}

// summary is what stands below the heading Summary; without one, what comes before
// any other heading.
func summary(submission string) string {
	lines := strings.Split(strings.TrimSpace(submission), "\n")
	begin, end := 0, len(lines)
	for i, l := range lines {
		if strings.EqualFold(strings.TrimSpace(strings.TrimLeft(l, "# ")), "summary") && strings.HasPrefix(l, "#") {
			begin = i + 1
			break
		}
	}
	for i := begin; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "# ") || strings.HasPrefix(lines[i], "## ") {
			end = i
			break
		}
	}
	return strings.TrimSpace(strings.Join(lines[begin:end], "\n"))
}
