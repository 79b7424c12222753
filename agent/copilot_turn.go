package agent

import (
	"encoding/json"
	"path/filepath"
)

// records returns the event files of Copilot's sessions; the newest is the session's.
func (copilot) records(s OwnScreen, dir func(variable, name string) string) (files []string) {
	top := escapeGlob(filepath.Join(dir("COPILOT_HOME", ".copilot"), "session-state"))
	for _, file := range glob(top, "*", "events.jsonl") {
		if s.Home != "" || newest([]string{file}, s.Since) != "" && startedIn(file, s.Workspace) {
			files = append(files, file)
		}
	}
	return files
}

// startedIn reports whether a session began, or was continued, in a directory.
func startedIn(file, dir string) (started bool) {
	eachLine(file, func(line []byte) bool {
		var l struct {
			Data struct{ Context struct{ Cwd string } }
		}
		started = json.Unmarshal(line, &l) == nil && l.Data.Context.Cwd == dir
		return false
	})
	return started
}

func (copilot) recordID(file string) string { return filepath.Base(filepath.Dir(file)) }

// readTurn: an answer without a call is the last of its turn. What the program calls a turn is one request to
// the model.
func (copilot) readTurn(line []byte) turnState {
	var l struct {
		Type string
		Data struct {
			Requests []json.RawMessage `json:"toolRequests"`
		}
	}
	if json.Unmarshal(line, &l) != nil {
		return turnUnknown
	}
	switch l.Type {
	case "assistant.message":
		if len(l.Data.Requests) == 0 {
			return turnOver
		}
		return turnRuns
	case "abort", "session.error":
		return turnOver
	case "user.message", "tool.execution_start", "tool.execution_complete":
		return turnRuns
	}
	return turnUnknown
}

func (copilot) readUsage(line []byte) (id string, used Usage) {
	var l struct {
		Type string
		ID   string
		Data struct {
			Usage struct {
				In     int `json:"inputTokens"` // including cached tokens
				Out    int `json:"outputTokens"`
				Cached int `json:"cacheReadTokens"`
			}
		}
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "session.usage_record" {
		return "", Usage{}
	}
	used.add(l.Data.Usage.In, l.Data.Usage.Cached, l.Data.Usage.Out)
	return l.ID, used
}
