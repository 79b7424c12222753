package agent

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
)

// records returns the conversations of the workspace.
func (qwen) records(s OwnScreen, dir func(variable, name string) string) []string {
	return glob(inWorkspace(dir("", ".qwen")+"/projects", s), "chats", "*.jsonl")
}

func (qwen) recordID(file string) string { return strings.TrimSuffix(filepath.Base(file), ".jsonl") }

// readTurn: an answer without a call is the last of its turn.
func (qwen) readTurn(line []byte) turnState {
	var l struct {
		Type    string
		Message struct{ Parts json.RawMessage }
	}
	if json.Unmarshal(line, &l) != nil {
		return turnUnknown
	}
	switch l.Type {
	case "assistant":
		if !bytes.Contains(l.Message.Parts, []byte(`"functionCall"`)) {
			return turnOver
		}
		return turnRuns
	case "user", "tool_result":
		return turnRuns
	}
	return turnUnknown
}

func (qwen) readUsage(line []byte) (id string, used Usage) {
	var l struct {
		Type, UUID string
		Usage      *struct {
			In       int `json:"promptTokenCount"` // including cached tokens
			Out      int `json:"candidatesTokenCount"`
			Thoughts int `json:"thoughtsTokenCount"`
			Cached   int `json:"cachedContentTokenCount"`
		} `json:"usageMetadata"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "assistant" || l.Usage == nil {
		return "", Usage{}
	}
	used.add(l.Usage.In, l.Usage.Cached, max(l.Usage.Out, l.Usage.Thoughts))
	return l.UUID, used
}
