package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ferrus/agent/acp"
	"ferrus/checks/redact"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/ui/text"
)

// askedPermission is what a client asks for.
type askedPermission struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"input"` // the arguments of the tool
	Call  string          `json:"tool_use_id"`
	// From a client that knows what its agent wants; empty: it is in the arguments of the tool.
	Kind   core.PermissionKind `json:"kind"`
	What   string              `json:"what"`
	Detail string              `json:"detail"`

	kind core.PermissionKind
	what string
	dir  string // where a command runs, as the client says it; empty: it does not
	rest string // of the arguments that say more than what
}

// readPermission reads the arguments of a call.
func readPermission(data json.RawMessage) (*askedPermission, error) {
	if len(data) > textLimit {
		return nil, errors.New("it is longer than 4 MiB")
	}
	a := &askedPermission{}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, errors.New("its arguments do not match the schema")
	}
	switch {
	case a.Kind != "":
		a.readKnown()
	case a.Tool != "":
		a.readTool()
	}
	if strings.TrimSpace(a.what) == "" {
		return nil, errors.New("it does not say what you want to do")
	}
	if size := len(a.what) + len(a.rest); size > maxWanted {
		return nil, tooLong(size)
	}
	return a, nil
}

// maxWanted is the longest text that the human can be asked about, in bytes.
const maxWanted = 64 << 10

// subjects are the arguments in which the tools of coding agents name what they act on.
var subjects = []struct {
	name string
	kind core.PermissionKind
}{
	{"command", core.PermitCommand}, {"file_path", core.PermitWrite}, {"notebook_path", core.PermitWrite},
	{"path", core.PermitWrite}, {"url", core.PermitHost},
}

// reading begins the names of tools that read the path that they name.
var reading = []string{"read", "glob", "grep", "ls", "list", "search", "view"}

// plain are arguments of commands that change nothing about what a command may do.
var plain = []string{"description", "timeout", "run_in_background", "is_background"}

// tooLong refuses a request that takes so many bytes to show.
func tooLong(size int) error {
	return fmt.Errorf("it takes %d bytes to show, more than the %d that a human can judge; write it to a file "+
		"in the workspace and ask to use that file", size, maxWanted)
}

// readKnown takes what the client says. Of a command or a tool, arguments that say more count, too.
func (a *askedPermission) readKnown() {
	a.kind, a.what = a.Kind, a.What
	if a.kind != core.PermitCommand && a.kind != core.PermitTool {
		return
	}
	var given map[string]json.RawMessage
	_ = json.Unmarshal(a.Input, &given) // other values say nothing
	switch {
	case a.kind == core.PermitCommand:
		a.dir = takeDir(given)
		a.rest = rest(given)
	case len(given) > 0: // a tool may mean anything by the names of its arguments
		a.rest = canonical(given)
	}
}

// directories are the arguments in which tools name where a command runs.
var directories = []string{"cwd", "workdir", "directory", "dir_path", "working_directory"}

// takeDir removes the directory of a command from its arguments; empty: they name none, or several.
func takeDir(given map[string]json.RawMessage) (dir string) {
	name := ""
	for _, n := range directories {
		var one string
		if json.Unmarshal(given[n], &one) != nil || one == "" {
			continue
		}
		if name != "" {
			return "" // which of them counts is the tool's secret
		}
		name, dir = n, one
	}
	delete(given, name)
	return dir
}

// rest returns the arguments of a command that say more than the command; empty: none do.
func rest(given map[string]json.RawMessage) string {
	if repeats(given["commands"], given["command"]) {
		delete(given, "commands")
	}
	for _, known := range append(plain, "command") {
		delete(given, known)
	}
	if len(given) == 0 {
		return ""
	}
	return canonical(given)
}

// repeats reports whether a list has nothing but one text.
func repeats(list, text json.RawMessage) bool {
	var all []string
	var one string
	return json.Unmarshal(list, &all) == nil && json.Unmarshal(text, &one) == nil && len(all) == 1 && all[0] == one
}

// readTool finds what a call of a tool is about. A tool of an MCP server may mean anything by the
// names of its arguments, so all of them count.
func (a *askedPermission) readTool() {
	name, ofServer := strings.ToLower(a.Tool), acp.ServerTool(a.Tool)
	var given map[string]json.RawMessage
	_ = json.Unmarshal(a.Input, &given) // other values name nothing
	for _, s := range subjects {
		var subject string
		if ofServer || json.Unmarshal(given[s.name], &subject) != nil ||
			strings.TrimSpace(subject) == "" {
			continue
		}
		a.kind, a.what = s.kind, subject
		if s.kind == core.PermitWrite && slices.ContainsFunc(reading, func(word string) bool {
			return strings.HasPrefix(name, word)
		}) {
			a.kind = core.PermitRead
		}
		_ = json.Unmarshal(given["description"], &a.Detail) // it may have none
		if s.kind == core.PermitCommand {
			a.dir = takeDir(given)
			a.rest = rest(given)
		}
		return
	}
	a.kind, a.what = core.PermitTool, a.Tool
	if len(given) > 0 {
		a.what += " " + canonical(given)
	}
}

// canonical returns JSON that is the same for equal arguments.
func canonical(given map[string]json.RawMessage) string {
	all := map[string]any{}
	for name, raw := range given {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var value any
		_ = decoder.Decode(&value) // it is part of valid JSON
		all[name] = value
	}
	data, _ := json.Marshal(all) // what was decoded can be encoded
	return string(data)
}

// wanted returns the request for the human, and all of what its text has only the ends of; empty: the text is all.
// Exactly what is asked for counts as the same, and what is shown of it has no secrets and nothing that a terminal
// acts on. The error is of what would be too long to read.
func (a *askedPermission) wanted(role machine.Role, workspace string) (w core.Wanted, whole string, err error) {
	what, dir := a.what, a.runsIn(workspace)
	if (a.kind == core.PermitRead || a.kind == core.PermitWrite) && !filepath.IsAbs(what) {
		what = filepath.Join(workspace, what)
	}
	key, parts := sha256.New(), []string{string(role), string(a.kind), what, a.rest}
	if dir != "" {
		parts = append(parts, dir)
	}
	for _, part := range parts {
		fmt.Fprintf(key, "%d %s\n", len(part), part)
	}
	if a.kind == core.PermitHost { // letters of another alphabet can look like a known host's
		what = strings.Trim(strconv.QuoteToASCII(what), `"`)
	}
	if a.rest != "" {
		what += "  with " + a.rest
	}
	what = redact.RemoveSecrets(what, os.Environ()...)
	w = core.Wanted{Kind: a.kind, What: ends(text.Reveal(what)), Detail: brief(a.Detail),
		Key: hex.EncodeToString(key.Sum(nil)), Call: brief(a.Call)}
	if dir != "" {
		w.Dir = text.Reveal(redact.RemoveSecrets(dir, os.Environ()...))
		if strings.ContainsAny(w.Dir, " :\"") { // it must not pass for a part of the command
			w.Dir = strconv.Quote(w.Dir)
		}
	}
	if w.What != text.Reveal(what) {
		whole = revealLines(what)
	}
	switch {
	case len(w.Dir) > shownBytes:
		err = errors.New("the name of its directory is too long")
	case len(whole) > maxWanted:
		err = tooLong(len(whole))
	}
	return w, whole, err
}

// runsIn returns the directory of a command, clean and absolute; empty: the workspace.
func (a *askedPermission) runsIn(workspace string) string {
	if a.dir == "" {
		return ""
	}
	dir := a.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(workspace, dir)
	}
	if dir = filepath.Clean(dir); dir == filepath.Clean(workspace) {
		return ""
	}
	return dir
}

// The longest texts of a request, in bytes.
const (
	shownBytes  = 1500
	shownEnd    = 300 // of what is longer
	shownDetail = 200
)

// ends returns a text for a line of a screen. Where its middle is missing, it says how much: the human must not answer
// for what cannot be seen without knowing.
func ends(s string) string {
	if len(s) <= shownBytes {
		return s
	}
	head, tail := text.CutBytes(s, shownBytes-shownEnd), strings.ToValidUTF8(s[len(s)-shownEnd:], "")
	return fmt.Sprintf("%s ... (%d bytes that are not shown) ... %s", head, len(s)-len(head)-len(tail), tail)
}

// revealLines returns a text as lines of a page, with nothing in it hidden.
func revealLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = text.Reveal(l)
	}
	return strings.Join(lines, "\n")
}

// brief returns a text that nothing is decided by.
func brief(s string) string {
	s = text.CutBytes(redact.RemoveSecrets(s, os.Environ()...), 2*shownDetail)
	return text.CutBytes(text.Sanitize(s), shownDetail)
}
