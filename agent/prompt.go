package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ferrus/ui/text"
)

// tag matches what begins or ends a text in a prompt.
var tag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(/?\s*(?:` + strings.Join(tagNames(), "|") + `)\b)`)
})

// tagNames returns the names of the tags that the templates put around texts.
func tagNames() (names []string) {
	closing := regexp.MustCompile(`</([a-z]+)>`)
	for _, t := range promptTrees() {
		for _, found := range closing.FindAllStringSubmatch(t.Root.String(), -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// data returns a text as it is put between tags: nothing in it can end them, or begin others.
func data(s string) string { return tag().ReplaceAllString(trimPlain(s), "&lt;$1") }

func trimPlain(s string) string { return strings.TrimSpace(text.Plain(s)) }

// maxText limits one text in a prompt. A prompt is one argument of a command line, which the
// system limits to 128 KiB.
const maxText = 32 << 10

// PromptData is the data of the templates. Texts of yours and of agents are put between
// tags, as data.
type PromptData struct {
	Project   string // absolute directory: where the session works
	Home      string // of a session in a worktree: the project directory itself
	Text      string // the human's opening request
	Milestone string // of a specification, as the source of a task
	Message   string // from the human, told with this prompt
	HandOver  string // what another agent did of the task before this one
	Adopted   string // what the human had done of the task before it was one
	Question  string // that a consultant is to answer
	Judged    string // what is different about work that was approved before, on another base
	State     string // of the task, for a session that continues it
	Phase     string // of a workflow
	Work      string // what the workflow knows
}

// Prompt returns the prompt of a session of a mode. In the mode free it is your text and
// nothing else.
func Prompt(mode string, d PromptData) (string, error) {
	if len(d.Question) > maxText {
		d.Question = "" // the prompt names the file that holds it
	}
	if len(d.Judged) > maxText {
		d.Judged = "It is too long for this prompt: review_pending has it." // as the earlier review notes
	}
	clean := data
	if mode == "free" {
		clean = trimPlain // it is yours, and between no tags
	}
	for _, content := range []*string{&d.Text, &d.Milestone, &d.Message, &d.Question, &d.Work, &d.HandOver,
		&d.Judged, &d.Adopted} {
		*content = clean(*content)
		if len(*content) > maxText {
			return "", fmt.Errorf("write %s prompt: a text of %d bytes is too long for a command line, at most %d",
				mode, len(*content), maxText)
		}
	}
	if mode == "free" {
		return strings.TrimSpace(d.Text + "\n\n" + d.Message), nil
	}
	name := mode + ".tmpl"
	if promptTrees()[name] == nil || mode == "parts" {
		return "", fmt.Errorf("write prompt: unknown mode %q", mode)
	}
	prompt, err := executePrompt(name, d)
	if err != nil {
		return "", fmt.Errorf("write %s prompt: %w", mode, err)
	}
	return prompt, nil
}
