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

var prompting = template.Must(template.New("").ParseFS(prompts, "prompts/*.tmpl"))

// wordiest is how long one text in a prompt may be. A prompt is one argument of
// a command line, which the system limits to 128 KiB.
const wordiest = 32 << 10

// PromptData is what the templates may name. Texts of people and agents are put
// between tags, as data.
type PromptData struct {
	Project   string // absolute directory: where the session works
	Home      string // of a session in a work tree: the project directory itself
	Text      string // the person's opening request
	Milestone string // of a specification, as the source of a task
	Message   string // from the person, told with this prompt
	Question  string // that a consultant is to answer
	State     string // of the task, for a session that goes on with it
	Phase     string // of a workflow
	Work      string // what the workflow knows
}

// Prompt words what a session of a mode is told. The mode free is told what the
// person said and nothing else.
func Prompt(mode string, data PromptData) (string, error) {
	if len(data.Question) > wordiest {
		data.Question = "" // the prompt names the file that holds it
	}
	for _, content := range []*string{&data.Text, &data.Milestone, &data.Message, &data.Question, &data.Work} {
		*content = strings.TrimSpace(text.Plain(*content))
		if len(*content) > wordiest {
			return "", fmt.Errorf("word %s prompt: a text of %d bytes is too long for a command line, at most %d", mode, len(*content), wordiest)
		}
	}
	if mode == "free" {
		return strings.TrimSpace(data.Text + "\n\n" + data.Message), nil
	}
	t := prompting.Lookup(mode + ".tmpl")
	if t == nil || mode == "parts" {
		return "", fmt.Errorf("word prompt: no mode %q", mode)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("word %s prompt: %w", mode, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}
