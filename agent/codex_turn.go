package agent

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// records returns the conversations of the days since the session's start (Codex keeps them by day), and
// the one that the session continues. Another session of yours in the same home counts if its directory
// is the workspace.
func (codex) records(s OwnScreen, dir func(variable, name string) string) (files []string) {
	top := escapeGlob(filepath.Join(dir("CODEX_HOME", ".codex"), "sessions"))
	if s.Conversation != "" {
		files = glob(top, "*", "*", "*", "rollout-*-"+s.Conversation+".jsonl")
	}
	for day := s.Since.Add(-24 * time.Hour); day.Before(time.Now().Add(48 * time.Hour)); day = day.Add(24 * time.Hour) {
		for _, file := range glob(top, day.Format("2006/01/02"), "rollout-*.jsonl") {
			if s.Home != "" || newest([]string{file}, s.Since) != "" && heldIn(file, s.Workspace) {
				files = append(files, file)
			}
		}
	}
	return files
}

// recordID returns the end of the name.
func (codex) recordID(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	const uuid = 36
	return name[max(len(name)-uuid, 0):]
}

// heldIn reports whether a conversation was held in a directory.
func heldIn(file, dir string) (held bool) {
	eachLine(file, func(line []byte) bool {
		var l rolloutLine
		held = json.Unmarshal(line, &l) == nil && l.Payload.Cwd == dir
		return false
	})
	return held
}

// readTurn: the program notes where each turn begins and ends.
func (codex) readTurn(line []byte) turnState {
	var l rolloutLine
	if json.Unmarshal(line, &l) != nil || l.Type != "event_msg" {
		return turnUnknown
	}
	switch l.Payload.Type {
	case "task_complete", "turn_complete", "turn_aborted":
		return turnOver
	case "task_started", "turn_started", "user_message":
		return turnRuns
	}
	return turnUnknown
}

func (codex) readUsage(line []byte) (id string, used Usage) {
	var l struct {
		Type    string
		Payload struct {
			Response string `json:"response_id"`
			Usage    struct {
				In     int `json:"input_tokens"`
				Cached int `json:"cached_input_tokens"`
				Out    int `json:"output_tokens"`
			}
		}
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "token_usage_record" {
		return "", Usage{}
	}
	used.add(l.Payload.Usage.In, l.Payload.Usage.Cached, l.Payload.Usage.Out)
	return l.Payload.Response, used
}
