package agent

import (
	"cmp"
	"encoding/json"
	"path/filepath"
)

// conversations are in projects/<slug of the directory>/<id>.jsonl, one object per line.
func (claude) conversations(home string, held func(string) bool) []Conversation {
	top := filepath.Join(clientDir("CLAUDE_CONFIG_DIR", home, ".claude"), "projects")
	return underProjects(top, "", held, func(c *Conversation) {
		eachLine(c.File, func(line []byte) bool {
			var l struct {
				Type, Cwd   string
				IsMeta      bool
				IsSidechain bool
				Message     struct{ Content json.RawMessage }
			}
			if json.Unmarshal(line, &l) != nil {
				return true
			}
			c.Dir = cmp.Or(c.Dir, l.Cwd)
			if l.Type == "user" && !l.IsMeta && !l.IsSidechain {
				c.First = contentText(l.Message.Content)
			}
			return c.Dir == "" || c.First == ""
		})
	})
}

// move puts the conversation into the folder of the workspace: the client searches no other.
func (claude) move(c Conversation, workspace string, content []byte) (string, []byte) {
	return filepath.Join(".claude", "projects", slug(workspace), c.ID+".jsonl"), content
}

// continuesElsewhere: it looks for the id in all folders.
func (claude) continuesElsewhere() bool { return true }
