package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
)

// EndedFile has one line for each session that has ended. Only the conductor appends.
const EndedFile = "sessions.jsonl"

// endedRead is how many bytes at the end of the file are read: some 10,000 sessions.
const endedRead = 8 << 20

// Ended is one line of sessions.jsonl. It has more than 12 fields because it is one flat
// object of a file format.
type Ended struct {
	Session  string       `json:"session"` // SessionOf(nonce)
	Slot     core.Slot    `json:"slot"`
	Mode     core.Mode    `json:"mode"`
	Role     machine.Role `json:"role"`
	Agent    string       `json:"agent"` // claude-code
	Name     string       `json:"name"`  // executor:codex:1
	Model    string       `json:"model,omitempty"`
	Task     string       `json:"task,omitempty"`    // id of the task it was started for
	Sandbox  string       `json:"sandbox,omitempty"` // what it ran in, in words
	Number   int          `json:"number"`            // in its slot
	Started  time.Time    `json:"started"`
	Ended    time.Time    `json:"ended"`
	Exit     string       `json:"exit"`     // in words
	Accepted bool         `json:"accepted"` // one of its calls was accepted
	Usage    *core.Usage  `json:"usage"`    // null: its agent did not report it
}

// EndedNow returns the line of a session that has ended.
func (e SessionRecord) EndedNow(at time.Time, used *core.Usage) Ended {
	return Ended{
		Session: e.Session, Slot: e.Slot, Mode: e.Mode, Role: e.Role, Agent: e.AgentType, Name: e.Name,
		Model: e.Model, Task: e.Task, Sandbox: e.Sandbox,
		Number: e.SessionSeq, Started: e.StartedAt, Ended: at.UTC().Round(0), Exit: e.Exit,
		Accepted: e.Accepted, Usage: used,
	}
}

// AddEnded appends a line, durably, after a line that a crash tore. Only the holder of
// [ConductorLock] may call it.
func (f RuntimeFiles) AddEnded(e Ended) (err error) {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	last, _, err := f.record.Tail(EndedFile, 1)
	if err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	if len(last) > 0 && last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	file, err := f.record.Append(EndedFile)
	if err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	return nil
}

// Ended returns the ended sessions of a task, oldest first; an empty task means all. Torn
// lines are left out. A session can have two lines, if its conductor died in between: the
// newer one counts. Of a very long file only the end is read.
func (f RuntimeFiles) Ended(task string) ([]Ended, error) {
	data, more, err := f.record.Tail(EndedFile, endedRead)
	if err != nil {
		return nil, err
	}
	if more { // the first line may be the end of one
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	all, at := []Ended{}, map[string]int{}
	for line := range bytes.Lines(data) {
		var e Ended
		if json.Unmarshal(line, &e) != nil || e.Session == "" || task != "" && e.Task != task {
			continue
		}
		if i, known := at[e.Session]; known {
			all[i] = e
			continue
		}
		at[e.Session] = len(all)
		all = append(all, e)
	}
	return all, nil
}

// SumUsage adds up what sessions used.
func SumUsage(sessions []Ended) core.TaskUsage {
	t := core.TaskUsage{Roles: map[machine.Role]core.UsageTotal{}}
	for _, e := range sessions {
		t.Add(e.Role, e.Usage)
	}
	return t
}
