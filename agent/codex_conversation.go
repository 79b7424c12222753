package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxRollouts is how many of the newest conversations are looked at: they are kept by date, not by
// directory.
const maxRollouts = 2000

// rolloutLine is one line of a conversation.
type rolloutLine struct {
	Type    string
	Payload struct {
		Type, ID, Cwd string
		ThreadSource  string `json:"thread_source"` // user, or a name of what the program started by itself
		Role, Message string
		Content       json.RawMessage
		Item          struct {
			Type    string
			Content json.RawMessage
		}
	}
}

// first returns what the user typed, if the line says so. Older releases say it in other lines.
func (l rolloutLine) first() string {
	p := l.Payload
	switch {
	case l.Type == "response_item" && p.Type == "message" && p.Role == "user":
		return contentText(p.Content)
	case l.Type == "event_msg" && p.Type == "user_message":
		return typed(p.Message)
	case l.Type == "event_msg" && p.Type == "item_completed" && p.Item.Type == "UserMessage":
		return contentText(p.Item.Content)
	}
	return ""
}

// conversations are in sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl, one object per line; the
// first says where it was held.
func (codex) conversations(home string, held func(string) bool) (all []Conversation) {
	top := clientDir("CODEX_HOME", home, ".codex")
	files, _ := filepath.Glob(filepath.Join(escapeGlob(top), "sessions", "*", "*", "*", "rollout-*.jsonl"))
	slices.Sort(files)
	slices.Reverse(files)
	for _, file := range files[:min(len(files), maxRollouts)] {
		c := Conversation{File: file}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		c.Changed = info.ModTime()
		if below, err := filepath.Rel(top, file); err == nil {
			c.Place = below
		}
		eachLine(file, func(line []byte) bool {
			var l rolloutLine
			if json.Unmarshal(line, &l) != nil {
				return true
			}
			if l.Type == "session_meta" {
				if source := l.Payload.ThreadSource; source == "" || source == "user" {
					c.ID, c.Dir = l.Payload.ID, l.Payload.Cwd
				}
				return c.Dir != "" && held(c.Dir)
			}
			c.First = l.first()
			return c.First == ""
		})
		if c.Dir != "" && held(c.Dir) && strings.HasSuffix(file, c.ID+".jsonl") {
			all = append(all, c)
		}
	}
	return all
}

// move puts the conversation where it was below the client's directory.
func (codex) move(c Conversation, _ string, content []byte) (string, []byte) {
	return filepath.Join(".codex", c.Place), content
}

// continuesElsewhere is true: the client finds an id in any folder.
func (codex) continuesElsewhere() bool { return true }
