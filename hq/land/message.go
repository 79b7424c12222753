package land

import (
	"strings"

	"ferrus/hq/core"
	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
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
	// git refuses a message with a NUL byte, and prints all other control characters as they are.
	title, words := unsigned(l.w.Task.Title), unsigned(summary(text.Plain(submission)))
	if cfg, _ := l.project.Config(); cfg.Merge.Message != "" { // the last good one
		return fillMessage(cfg.Merge.Message, l.w.Task.ID, title, words), nil
	}
	if words != "" {
		title += "\n\n" + words
	}
	return title + "\n", nil
}

// attests matches a line of a message that attributes a commit to someone, or to a task.
var attests = lazyregexp.New(`(?im)^(?:[a-z0-9-]+-by|ferrus-[a-z0-9-]+)[ \t]*:`)

// unsigned indents what an agent wrote that would be a trailer like Signed-off-by or Ferrus-Task: only you, git and
// ferrus make those.
func unsigned(words string) string {
	words = strings.ReplaceAll(strings.ReplaceAll(words, "\r\n", "\n"), "\r", "\n")
	return attests.ReplaceAllString(words, "    $0")
}

// fillMessage fills a template in. A line that is empty because there is no summary leaves no gap.
func fillMessage(template, id, title, summary string) string {
	filled := strings.NewReplacer("{title}", title, "{summary}", summary, "{task}", id,
		"{trailers}", "Ferrus-Task: "+id).Replace(template)
	for strings.Contains(filled, "\n\n\n") {
		filled = strings.ReplaceAll(filled, "\n\n\n", "\n\n")
	}
	return strings.TrimSpace(filled) + "\n"
}

// summary returns what stands below the heading Summary; without one, what comes before
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
