package agent

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
)

// records returns the conversations of the workspace. It copies one that it continues.
func (claude) records(s OwnScreen, dir func(variable, name string) string) []string {
	return glob(inWorkspace(dir("CLAUDE_CONFIG_DIR", ".claude")+"/projects", s), "*.jsonl")
}

func (claude) recordID(file string) string { return strings.TrimSuffix(filepath.Base(file), ".jsonl") }

// readTurn: an answer says why it stopped. A new prompt and a result begin what follows.
func (claude) readTurn(line []byte) turnState {
	var l struct {
		Type, Subtype string
		IsSidechain   bool
		IsMeta        bool
		IsAPIError    bool `json:"isApiErrorMessage"`
		Message       struct {
			Stop    string `json:"stop_reason"`
			Content json.RawMessage
		}
	}
	if json.Unmarshal(line, &l) != nil || l.IsSidechain || l.IsMeta {
		return turnUnknown
	}
	switch {
	case l.Type == "system" && l.Subtype == "turn_duration", l.Type == "assistant" && l.IsAPIError:
		return turnOver
	case l.Type == "assistant":
		switch l.Message.Stop {
		case "end_turn", "stop_sequence", "max_tokens", "refusal":
			return turnOver
		}
		return turnRuns
	case l.Type == "user":
		if bytes.Contains(l.Message.Content, []byte("[Request interrupted by user")) {
			return turnOver
		}
		return turnRuns
	}
	return turnUnknown
}

func (claude) readUsage(line []byte) (id string, used Usage) {
	var l struct {
		Type    string
		Message struct {
			ID    string
			Usage *streamUsage
		}
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "assistant" || l.Message.Usage == nil {
		return "", Usage{}
	}
	return l.Message.ID, l.Message.Usage.usage()
}
