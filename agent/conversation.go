package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ferrus/ui/text/lazyregexp"
)

// Conversation is what a client keeps of a session that you had with it, and can continue.
type Conversation struct {
	Agent   string    // claude-code
	ID      string    // the client continues the conversation with it
	Dir     string    // where the client was started
	File    string    // absolute, in your home
	Place   string    // File as the client finds it, relative to its home; the workspace is not known yet
	Changed time.Time // of File
	First   string    // your first message, as you typed it; empty: there is none
}

// converser is an adapter whose client continues a conversation by its id, from a file that can be
// copied.
type converser interface {
	// conversations returns what was held where held says, in any order.
	conversations(home string, held func(dir string) bool) []Conversation
	// move returns the file and the content of a conversation for a home in which it continues in a
	// workspace. File is relative to that home.
	move(c Conversation, workspace string, content []byte) (file string, moved []byte)
}

// Continues reports whether the client of an agent can continue a conversation by its id.
func Continues(a Adapter) bool {
	_, ok := a.(converser)
	return ok
}

// ContinuesElsewhere reports whether the client continues a conversation also in another directory than the one
// it was held in, in the same home.
func ContinuesElsewhere(a Adapter) bool {
	c, ok := a.(interface{ continuesElsewhere() bool })
	return ok && c.continuesElsewhere()
}

// Conversations returns your conversations with every client that can continue one, the newest first.
// Home is your home directory; held reports whether conversations in a directory are wanted. Sessions
// that ferrus started are not among them.
func Conversations(home string, held func(dir string) bool) (all []Conversation) {
	for _, name := range Names() {
		c, ok := adapters[name].(converser)
		if !ok {
			continue
		}
		for _, found := range c.conversations(home, held) {
			found.Agent = name
			if conversationID.MatchString(found.ID) && !strings.Contains(found.First, ferrusPrefix) {
				all = append(all, found)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Conversation) int { return b.Changed.Compare(a.Changed) })
	return all
}

// ferrusPrefix is in the prompt of each session that ferrus starts: it names the tools of its server.
const ferrusPrefix = "mcp__ferrus__"

// MoveConversation returns the file, relative to a home, and the content with which a client continues a
// conversation in a workspace.
func MoveConversation(a Adapter, c Conversation, workspace string, content []byte) (string, []byte, error) {
	mover, ok := a.(converser)
	if !ok {
		return "", nil, errors.New(a.Name() + " cannot continue a conversation by its id")
	}
	file, moved := mover.move(c, workspace, content)
	if !filepath.IsLocal(file) {
		return "", nil, errors.New("the conversation cannot be placed in a home")
	}
	return file, moved, nil
}

// conversationID matches the ids of conversations: they become arguments and names of files.
var conversationID = lazyregexp.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// What is read of a conversation to find out what it is about: lines, and bytes of one line.
const (
	maxConversationLines = 400
	maxConversationLine  = 1 << 20
)

// eachLine calls f with the first lines of a file that are JSON, until it returns false.
func eachLine(name string, f func(line []byte) bool) {
	file, err := openInside(name)
	if err != nil {
		return // it was removed meanwhile
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, maxConversationLine)
	for range maxConversationLines {
		line, err := r.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // a longer line says nothing that is looked for
			line = nil
			_, err = r.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) || len(line) > 0 && !f(line) || err != nil {
			return
		}
	}
}

// slug returns a directory as clients name the folder of its conversations.
func slug(dir string) string { return notInSlug.ReplaceAllString(dir, "-") }

var notInSlug = lazyregexp.New(`[^A-Za-z0-9]`)

// underProjects returns the files of conversations that are in folders named after directories, below
// top/<slug>/sub. Of each, read fills in where it was held and what it began with.
func underProjects(top, sub string, held func(string) bool, read func(*Conversation)) (all []Conversation) {
	files, _ := filepath.Glob(filepath.Join(escapeGlob(top), "*", sub, "*.jsonl")) // a broken pattern finds none
	for _, file := range files {
		c := Conversation{ID: strings.TrimSuffix(filepath.Base(file), ".jsonl"), File: file}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || !conversationID.MatchString(c.ID) {
			continue
		}
		c.Changed = info.ModTime()
		if read(&c); c.Dir != "" && held(c.Dir) {
			all = append(all, c)
		}
	}
	return all
}

// escapeGlob escapes a path, so that as a pattern it matches only itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// moveDir replaces the directory in each line of a conversation that names it as its own.
func moveDir(content []byte, from, to string) []byte {
	return bytes.ReplaceAll(content, []byte(`"cwd":`+toJSON(from)), []byte(`"cwd":`+toJSON(to)))
}

// clientDir returns where a client keeps its files: what a variable says, else below the home.
func clientDir(variable, home, name string) string {
	if dir := os.Getenv(variable); variable != "" && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, name)
}

// typed returns a text of the user's, unless the client wrote it in the user's name.
func typed(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "Caveat: ") ||
		strings.HasPrefix(text, "# AGENTS.md instructions") {
		return ""
	}
	return text
}

// contentText returns the texts of a message, which is one text or a list of parts.
func contentText(raw json.RawMessage) string {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		return typed(whole)
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		if text := typed(p.Text); text != "" {
			return text
		}
	}
	return ""
}
