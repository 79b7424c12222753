package agent

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"ferrus/ui/text"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

var promptTemplates = template.Must(template.New("").ParseFS(prompts, "prompts/*.tmpl"))

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
	Question  string // that a consultant is to answer
	State     string // of the task, for a session that continues it
	Phase     string // of a workflow
	Work      string // what the workflow knows
}

// Prompt returns the prompt of a session of a mode. In the mode free it is your text and
// nothing else.
func Prompt(mode string, data PromptData) (string, error) {
	if len(data.Question) > maxText {
		data.Question = "" // the prompt names the file that holds it
	}
	for _, content := range []*string{&data.Text, &data.Milestone, &data.Message, &data.Question, &data.Work} {
		*content = strings.TrimSpace(text.Plain(*content))
		if len(*content) > maxText {
			return "", fmt.Errorf("write %s prompt: a text of %d bytes is too long for a command line, at most %d",
				mode, len(*content), maxText)
		}
	}
	if mode == "free" {
		return strings.TrimSpace(data.Text + "\n\n" + data.Message), nil
	}
	t := promptTemplates.Lookup(mode + ".tmpl")
	if t == nil || mode == "parts" {
		return "", fmt.Errorf("write prompt: no mode %q", mode)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("write %s prompt: %w", mode, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}
