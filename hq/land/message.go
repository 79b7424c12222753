package land

import (
	"strings"

	"ferrus/hq/core"
)

// message words the commit: the title of the task, and below it the summary of the
// submission.
func (l *landing) message() (string, error) {
	submission, err := l.readText(core.SubmissionText)
	if err != nil {
		return "", err
	}
	text := l.w.Task.Title
	if s := summary(submission); s != "" {
		text += "\n\n" + s
	}
	return text + "\n", nil
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
