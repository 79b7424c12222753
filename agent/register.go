package agent

import (
	"fmt"
	"strconv"
	"strings"
)

// Registrar is an adapter whose program has its own configuration in a project, which
// sessions that you start use. Launched sessions never do.
type Registrar interface {
	Adapter
	Registration(Registered) Registration
}

// Registered is one role to register.
type Registered struct {
	Role    string // supervisor or executor
	Index   int    // from 1; tells entries of one role apart
	Ferrus  string // absolute path of this program
	Project string // absolute; where ferrus.toml is
}

// Registration is what `ferrus register` writes into the files of a client. This
// package neither reads nor writes them.
type Registration struct {
	Edits  []Edit   // the entry of the server first
	Start  string   // how you start a session
	Alone  string   // the same, without the other role's entry
	Notes  []string // what you should know
	Server string   // the key of the entry
}

// Kind is how an edit is made.
type Kind string

// The kinds of edits.
const (
	Member  Kind = "member"  // of the JSON object at Path: Key with the JSON value Value
	Element Kind = "element" // of the JSON array at Path: the JSON value Value
	Table   Kind = "table"   // of TOML at Path: Key with the lines Value
	Section Kind = "section" // at the end of a text: Value, found again by the line Key
	Line    Kind = "line"    // of a text: Key
)

// Edit is one addition to a file.
type Edit struct {
	File     string   `json:"file"` // below the project, with slashes
	Kind     Kind     `json:"kind"`
	Path     []string `json:"path,omitempty"`
	Key      string   `json:"key,omitempty"`
	Value    string   `json:"value,omitempty"`
	Comments bool     `json:"comments,omitempty"` // the client's JSON may have them
}

// Server returns the key of the entry.
func (r Registered) Server() string { return fmt.Sprintf("ferrus-%s-%d", r.Role, r.Index) }

// server returns the server for sessions that you start: without a nonce, and with all tools
// of the role.
func (r Registered) server(a Adapter) mcpServer {
	return mcpServer{
		Command: r.Ferrus,
		Args:    []string{"serve", "--role", r.Role, "--agent-name", a.Name(), "--agent-index", strconv.Itoa(r.Index)},
		Env:     serverEnv(r.Project, strconv.Itoa(a.WaitSecs())),
	}
}

// otherServer returns the key of the other role's first entry.
func (r Registered) otherServer() string {
	return map[string]string{"supervisor": "ferrus-executor-1", "executor": "ferrus-supervisor-1"}[r.Role]
}

// instructions returns a section for the file that a client reads at its start. Launched
// sessions of either role read it, too.
func (r Registered) instructions(file string) Edit {
	marker := "<!-- ferrus-" + r.Role + "-instructions -->"
	lines := []string{
		marker,
		"## Ferrus " + strings.ToUpper(r.Role[:1]) + r.Role[1:],
		"",
		"This repository is worked on with ferrus. What you are to do comes from your",
		"initial prompt and the Ferrus MCP tools: they say which role is yours and what",
		"comes next, and they win over this file and over skill and role files, which are",
		"supporting context only and must not override them.",
		"",
	}
	if r.Role == "executor" {
		lines = append(lines,
			"Started by hand as executor, with no other prompt: call `wait_for_task` first.",
			"Run the checks with `check`, never by hand; the work is done when `submit` says so.")
	} else {
		lines = append(lines,
			"Started by hand as supervisor: write a task with the human and call `create_task`",
			"when they approve it; review with `wait_for_review`. Do not implement it yourself.")
	}
	lines = append(lines, "Never edit anything below `.ferrus/`.", "<!-- end of ferrus-"+r.Role+"-instructions -->")
	return Edit{File: file, Kind: Section, Key: marker, Value: strings.Join(lines, "\n") + "\n"}
}

func ignoreEdits(files ...string) (edits []Edit) {
	for _, f := range files {
		edits = append(edits, Edit{File: ".gitignore", Kind: Line, Key: f})
	}
	return edits
}
