package agent

import (
	"cmp"
	"encoding/json"
	"path/filepath"
)

// conversations are in projects/<slug of the directory>/chats/<id>.jsonl, one object per line.
func (qwen) conversations(home string, held func(string) bool) []Conversation {
	return underProjects(filepath.Join(home, ".qwen", "projects"), "chats", held, func(c *Conversation) {
		eachLine(c.File, func(line []byte) bool {
			var l struct {
				Type, Cwd string
				Message   struct{ Parts json.RawMessage }
			}
			if json.Unmarshal(line, &l) != nil {
				return true
			}
			c.Dir = cmp.Or(c.Dir, l.Cwd)
			if l.Type == "user" {
				c.First = contentText(l.Message.Parts)
			}
			return c.Dir == "" || c.First == ""
		})
	})
}

// move makes each line name the workspace: the client continues no conversation of another
// directory.
func (qwen) move(c Conversation, workspace string, content []byte) (string, []byte) {
	return filepath.Join(".qwen", "projects", slug(workspace), "chats", c.ID+".jsonl"),
		moveDir(content, c.Dir, workspace)
}
