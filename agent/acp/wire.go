package acp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The messages of the protocol, as far as they are used. A test holds them against its schema.

// InitializeRequest offers no capability: the agent has tools of its own for files and commands.
type InitializeRequest struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities"`
	ClientInfo         Implementation     `json:"clientInfo"`
}

// ClientCapabilities are what a client does for its agent.
type ClientCapabilities struct {
	FS       FileSystemCapabilities `json:"fs"`
	Terminal bool                   `json:"terminal"`
}

// FileSystemCapabilities says which file system requests the client serves.
type FileSystemCapabilities struct {
	ReadTextFile  bool `json:"readTextFile"`
	WriteTextFile bool `json:"writeTextFile"`
}

// Implementation is a program and its version.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func (i Implementation) name() string {
	if i.Title != "" {
		i.Name = i.Title
	}
	return strings.TrimSpace(i.Name + " " + i.Version)
}

// InitializeResponse is what an agent can do.
type InitializeResponse struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AgentInfo         Implementation    `json:"agentInfo"`
	AuthMethods       []AuthMethodAgent `json:"authMethods"`
}

// AgentCapabilities says whether the agent can continue a conversation; ferrus uses no other capability.
type AgentCapabilities struct {
	LoadSession bool `json:"loadSession"`
}

// AuthMethodAgent is a way to log in.
type AuthMethodAgent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NewSessionRequest begins a conversation in an absolute directory.
type NewSessionRequest struct {
	Cwd        string   `json:"cwd"`
	MCPServers []Server `json:"mcpServers"`
}

// LoadSessionRequest continues a conversation.
type LoadSessionRequest struct {
	Cwd        string   `json:"cwd"`
	MCPServers []Server `json:"mcpServers"`
	SessionID  string   `json:"sessionId"`
}

// Server is an MCP server on standard streams.
type Server struct {
	Name    string        `json:"name"`
	Command string        `json:"command"`
	Args    []string      `json:"args"`
	Env     []EnvVariable `json:"env"`
}

// EnvVariable is a variable of a server.
type EnvVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// NewSessionResponse is a conversation, and its options. Models comes from drafts of the
// protocol; agents of version 1 still send it.
type NewSessionResponse struct {
	SessionID     string                `json:"sessionId"`
	ConfigOptions []SessionConfigOption `json:"configOptions"`
	Models        SessionModelState     `json:"models"`
}

// SessionModelState has the models of an agent.
type SessionModelState struct {
	AvailableModels []struct {
		ModelID string `json:"modelId"`
	} `json:"availableModels"`
}

// SessionConfigOption is a choice, such as of a model.
type SessionConfigOption struct {
	ID       string `json:"id"`
	Category string `json:"category"`
}

// SetConfigOptionRequest makes a choice.
type SetConfigOptionRequest struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Value     string `json:"value"`
}

// SetModelRequest chooses a model as the drafts of the protocol do.
type SetModelRequest struct {
	SessionID string `json:"sessionId"`
	ModelID   string `json:"modelId"`
}

// PromptRequest begins a turn.
type PromptRequest struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// ContentBlock is a text; others have no text.
type ContentBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// PromptResponse ends a turn.
type PromptResponse struct {
	StopReason string `json:"stopReason"`
	Usage      usage  `json:"usage"`
	Meta       meta   `json:"_meta"`
}

// CancelNotification asks for the end of a turn.
type CancelNotification struct {
	SessionID string `json:"sessionId"`
}

// SessionNotification reports something of a turn.
type SessionNotification struct {
	SessionID string        `json:"sessionId"`
	Update    sessionUpdate `json:"update"`
}

// sessionUpdate is one of several kinds. Content is a block of a message, or a list of parts
// of a call.
type sessionUpdate struct {
	SessionUpdate string `json:"sessionUpdate"`
	ToolCallUpdate
	Entries []PlanEntry `json:"entries"`
	Cost    *Cost       `json:"cost"`
}

// ToolCallUpdate is a call of a tool, or what changed of it.
type ToolCallUpdate struct {
	ToolCallID string             `json:"toolCallId"`
	Title      string             `json:"title"`
	Kind       string             `json:"kind"`
	Status     string             `json:"status"`
	Content    json.RawMessage    `json:"content"`
	Locations  []ToolCallLocation `json:"locations"`
	RawInput   json.RawMessage    `json:"rawInput"`
	RawOutput  json.RawMessage    `json:"rawOutput"`
	Meta       meta               `json:"_meta"`
}

// ToolCallLocation is a file that a call is about.
type ToolCallLocation struct {
	Path string `json:"path"`
}

// toolCallContent is content, a diff or a terminal.
type toolCallContent struct {
	Type    string       `json:"type"`
	Content ContentBlock `json:"content"`
	Path    string       `json:"path"`
	OldText string       `json:"oldText"`
	NewText string       `json:"newText"`
}

// PlanEntry is a step of a plan: pending, in_progress or completed.
type PlanEntry struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// RequestPermissionRequest asks whether a call may be made.
type RequestPermissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCallUpdate     `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
}

// PermissionOption is a possible answer: allow_once, allow_always, reject_once, reject_always.
type PermissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

// RequestPermissionResponse answers.
type RequestPermissionResponse struct {
	Outcome outcome `json:"outcome"`
}

// outcome is cancelled, or selected with an option.
type outcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitempty"`
}

// Cost is what a conversation has cost so far.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// usage comes from drafts of the protocol; agents of version 1 already send it.
type usage struct {
	InputTokens      int `json:"inputTokens"`
	OutputTokens     int `json:"outputTokens"`
	ThoughtTokens    int `json:"thoughtTokens"`
	CachedReadTokens int `json:"cachedReadTokens"`
	CachedTokens     int `json:"cachedTokens"`
	CacheWriteTokens int `json:"cachedWriteTokens"`
}

// meta is what agents add to messages: the name of a tool, or the usage in one of two forms.
type meta struct {
	ToolName string `json:"toolName"`
	Usage    *usage `json:"usage"`
	Quota    *struct {
		TokenCount struct {
			InputTokens  int `json:"input_tokens"`
			OutputTokens int `json:"output_tokens"`
		} `json:"token_count"`
	} `json:"quota"`
}

// orMeta returns the usage, or else the usage in the metadata.
func (u usage) orMeta(m meta) usage {
	switch {
	case u != usage{}:
	case m.Usage != nil:
		u = *m.Usage
	case m.Quota != nil:
		u = usage{InputTokens: m.Quota.TokenCount.InputTokens, OutputTokens: m.Quota.TokenCount.OutputTokens}
	}
	return u
}

// Error is an error that the agent answers with.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string {
	text := e.Message
	var data struct{ Details, Message string }
	if json.Unmarshal(e.Data, &data) == nil && data.Details+data.Message != "" {
		text += ": " + strings.Trim(data.Details+": "+data.Message, ": ")
	}
	// Such a code is the status of its model's server.
	if e.Code >= 400 && e.Code < 600 && !strings.Contains(text, fmt.Sprint(e.Code)) {
		text = fmt.Sprint(e.Code, " ", text)
	}
	return text
}
