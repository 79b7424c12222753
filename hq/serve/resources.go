package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/store"
)

// scheme is in front of every resource's name.
const scheme = "ferrus://"

// resources are what agents may read, by name.
var resources = []struct{ name, title, about, text, file string }{
	{"task", "Task", "the text of the open task", core.TaskText, ""},
	{"review", "Review Notes", "the reviewer's last notes", core.ReviewText, ""},
	{"submission", "Submission", "what the executor handed in", core.SubmissionText, ""},
	{"question", "Question", "an agent's question to the human", core.QuestionText, ""},
	{"answer", "Answer", "the human's answer", core.AnswerText, ""},
	{"consult_template", "Consultation Template", "the headings a consultation must have", "", "CONSULT_TEMPLATE.md"},
	{"spec_template", "Specification Template", "the structure a specification follows", "", "SPEC_TEMPLATE.md"},
	{"consult_request", "Consult Request", "the executor's question to the supervisor", core.ConsultRequestText, ""},
	{"consult_response", "Consult Response", "the supervisor's answer to it", core.ConsultResponseText, ""},
	{"state", "State", "the state of the task loop", "", "STATE.json"},
}

func (s *server) addResources(m *mcp.Server) {
	for _, r := range resources {
		m.AddResource(&mcp.Resource{URI: scheme + r.name, Name: r.title, Title: r.title, Description: r.about,
			MIMEType: mime(r.name)}, s.read)
	}
	m.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: scheme + "{file}", Name: "ferrus-file", Description: "any of the texts of the open task",
		MIMEType: "text/markdown",
	}, s.read)
}

func mime(name string) string {
	if name == "state" {
		return "application/json"
	}
	return "text/markdown"
}

// read is a resource as it is now; a text that there is not yet is empty.
func (s *server) read(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := request.Params.URI
	name := strings.TrimPrefix(uri, scheme)
	for _, r := range resources {
		if r.name != name || name == uri {
			continue
		}
		s.refreshTicket()
		text, err := s.content(r.text, r.file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", uri, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime(name), Text: text}}},
			nil
	}
	return nil, mcp.ResourceNotFoundError(uri)
}

func (s *server) content(text, file string) (string, error) {
	if file == "" {
		return s.readText(text)
	}
	data, err := s.project.Store.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

func (s *server) addPrompts(m *mcp.Server) {
	m.AddPrompt(&mcp.Prompt{Name: "executor-context", Title: "Executor context",
		Description: "the open task with its state and review notes"}, s.prompt(core.ReviewText, "Review Notes"))
	m.AddPrompt(&mcp.Prompt{Name: "supervisor-review", Title: "Supervisor review",
		Description: "the submission under review with its task"}, s.prompt(core.SubmissionText, "Submission"))
}

// prompt is one message: where the task stands, its text, and one text more.
func (s *server) prompt(more, title string) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		var sections []string
		err := s.fresh(func(state store.State[core.World], t *texts) {
			w := state.World
			sections = []string{fmt.Sprintf("State: %s, check retries %d, review cycles %d", w.State, w.CheckRetries,
				w.ReviewCycles)}
			sections = add(sections, "Task", t.get(core.TaskText))
			sections = add(sections, title, t.get(more))
		})
		if err != nil {
			return nil, err
		}
		text := strings.Join(sections, "\n\n---\n\n")
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user",
			Content: &mcp.TextContent{Text: text}}}}, nil
	}
}

func add(sections []string, title, text string) []string {
	if text = strings.TrimSpace(text); text == "" {
		return sections
	}
	return append(sections, "# "+title+"\n\n"+text)
}
