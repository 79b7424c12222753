package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/store"
	"ferrus/ui/text"
)

// scheme is in front of every resource's name.
const scheme = "ferrus://"

// resources are what agents may read, by name.
var resources = []struct{ name, title, about, text, file string }{
	{"task", "Task", "the text of the open task", core.TaskText, ""},
	{"review", "Review Notes", "the reviewer's last notes", core.ReviewText, ""},
	{"comments", "Comments", "the human's comments on the change, and the answers to them", core.CommentsText, ""},
	{"submission", "Submission", "the executor's submission", core.SubmissionText, ""},
	{"question", "Question", "an agent's question to the human", core.QuestionText, ""},
	{"answer", "Answer", "the human's answer", core.AnswerText, ""},
	{"consult_template", "Consultation Template", "the headings a consultation must have", "", "CONSULT_TEMPLATE.md"},
	{"spec_template", "Specification Template", "the structure a specification follows", "", "SPEC_TEMPLATE.md"},
	{"consult_request", "Consult Request", "the executor's question to the supervisor", core.ConsultRequestText, ""},
	{"consult_response", "Consult Response", "the supervisor's answer to it", core.ConsultResponseText, ""},
	{"state", "State", "the state of the task loop", "", "STATE.json"},
}

func addResources(m *mcp.Server, c *conn) {
	for _, r := range resources {
		m.AddResource(&mcp.Resource{URI: scheme + r.name, Name: r.title, Title: r.title, Description: r.about,
			MIMEType: mimeType(r.name)}, c.readResource)
	}
	m.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: scheme + "{file}", Name: "ferrus-file", Description: "any of the texts of the open task",
		MIMEType: "text/markdown",
	}, c.readResource)
}

func mimeType(name string) string {
	if name == "state" {
		return "application/json"
	}
	return "text/markdown"
}

// withTexts is a result whose empty texts are sent too: without its text, a content says
// that it has none.
type withTexts struct{ *mcp.ReadResourceResult }

// MarshalJSON returns the result as the protocol has it.
func (r withTexts) MarshalJSON() ([]byte, error) {
	type content struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType,omitempty"`
		Text     string `json:"text"`
	}
	contents := []content{}
	for _, c := range r.Contents {
		contents = append(contents, content{c.URI, c.MIMEType, c.Text})
	}
	data, err := json.Marshal(r.ReadResourceResult)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	all["contents"] = contents
	return json.Marshal(all)
}

// readResource returns a resource as it is now; a text that there is not yet is empty.
func (c *conn) readResource(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := request.Params.URI
	name := strings.TrimPrefix(uri, scheme)
	for _, r := range resources {
		if r.name != name || name == uri {
			continue
		}
		c.refreshTickets()
		text, err := c.resourceText(r.text, r.file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", uri, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri,
				MIMEType: mimeType(name), Text: text}}},
			nil
	}
	return nil, mcp.ResourceNotFoundError(uri)
}

func (c *conn) resourceText(text, file string) (string, error) {
	if file == "" {
		content, err := c.readText(text)
		if err != nil || text != core.CommentsText {
			return content, err
		}
		set, err := comments.Decode(content)
		return set.Markdown(), err
	}
	data, err := c.project.Store.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

func addPrompts(m *mcp.Server, c *conn) {
	m.AddPrompt(&mcp.Prompt{Name: "executor-context", Title: "Executor context",
		Description: "the open task with its state and review notes"}, c.prompt(core.ReviewText, "Review Notes"))
	m.AddPrompt(&mcp.Prompt{Name: "supervisor-review", Title: "Supervisor review",
		Description: "the submission under review with its task"}, c.prompt(core.SubmissionText, "Submission"))
}

// prompt returns the handler of one message: where the task stands, its text, and one text more.
func (c *conn) prompt(more, title string) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		var sections []string
		err := c.fresh(func(state store.State[core.World], t *texts) {
			w := state.World
			sections = []string{fmt.Sprintf("State: %s, check retries %d, review cycles %d", w.State, w.CheckRetries,
				w.ReviewCycles)}
			sections = addSection(sections, "Task", t.get(core.TaskText))
			sections = addSection(sections, title, text.Fence("", t.get(more)))
		})
		if err != nil {
			return nil, err
		}
		text := strings.Join(sections, "\n\n---\n\n")
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user",
			Content: &mcp.TextContent{Text: text}}}}, nil
	}
}

func addSection(sections []string, title, text string) []string {
	if text = strings.TrimSpace(text); text == "" {
		return sections
	}
	return append(sections, "# "+title+"\n\n"+text)
}
