package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/machine"
)

// registryFile is written only by the conductor.
const registryFile = "agents.json"

// Registry is agents.json: the newest session of each slot, and the sessions that the
// human requested.
type Registry struct {
	Agents []SessionRecord `json:"agents"`
	Wants  []core.Request  `json:"wants"`
}

// The values of SessionRecord.Status.
const (
	Running   = "running"
	Suspended = "suspended"
)

// SessionRecord is the newest session of one slot. It has more than 12 fields because it
// is one flat object of a file format.
type SessionRecord struct {
	Role      machine.Role `json:"role"`
	AgentType string       `json:"agent_type"` // claude-code
	Name      string       `json:"name"`       // executor:codex:1
	PID       int          `json:"pid"`
	Status    string       `json:"status"` // running, suspended
	StartedAt time.Time    `json:"started_at"`

	Slot        core.Slot         `json:"slot"`
	Mode        core.Mode         `json:"mode"`
	Task        string            `json:"task,omitempty"`    // id of the task it was started for
	Ticket      uint64            `json:"ticket,omitempty"`  // of the consult or question it is for
	Session     string            `json:"session"`           // SessionOf(nonce)
	SessionSeq  int               `json:"session_seq"`       // number in this slot, from 1
	State       machine.State     `json:"state"`             // of the session machine
	Process     *process.Identity `json:"process,omitempty"` // of the agent
	Counters    *Counters         `json:"counters,omitempty"`
	Wait        *Wait             `json:"wait,omitempty"`
	Prompt      string            `json:"prompt,omitempty"` // hash of its prompt
	Model       string            `json:"model,omitempty"`
	Bypass      bool              `json:"bypass,omitempty"`      // permission checks of the agent are off
	Sandbox     string            `json:"sandbox,omitempty"`     // what it runs in, in words; none and why
	Interactive bool              `json:"interactive,omitempty"` // the human types into it
	Log         string            `json:"log,omitempty"`
	Exit        string            `json:"exit,omitempty"`     // how it ended, in words
	Accepted    bool              `json:"accepted,omitempty"` // a call of it was accepted
	Trouble     string            `json:"trouble,omitempty"`  // what keeps it from working now, and the cure
}

// Counters has the counters of the slot's session machine.
type Counters struct {
	Consecutive int    `json:"consecutive_errors"`
	Total       int    `json:"total_errors"`
	Idle        int    `json:"idle"`             // sessions in a row that ended without an accepted call
	Ending      uint32 `json:"ending,omitempty"` // number of a process that is let go and not yet reaped

	Restarts int `json:"restarts,omitempty"` // sessions in a row that ended well and left work undone
	Troubles int `json:"troubles,omitempty"` // sessions in a row that ended in a trouble that lasts
	Limits   int `json:"limits,omitempty"`   // usage limits in a row without a reset time
}

// Registry reads agents.json; without the file it is empty. Entries of an earlier ferrus,
// which had no sessions, are left out.
func (f RuntimeFiles) Registry() (Registry, error) {
	data, err := f.record.ReadFile(registryFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Registry{}, nil
	}
	if err != nil {
		return Registry{}, fmt.Errorf("read %s: %w", registryFile, err)
	}
	var r Registry
	if err := json.Unmarshal(data, &r); err != nil {
		return Registry{}, fmt.Errorf("read %s: it is damaged: %w; run: ferrus doctor --repair", registryFile, err)
	}
	r.Agents = slices.DeleteFunc(r.Agents, func(e SessionRecord) bool {
		return e.Slot == "" && e.Session == "" && e.Process == nil
	})
	return r, nil
}

// Encoded returns what tells a registry that was read from others; empty: there was none.
func (r Registry) Encoded() string {
	if r.Agents == nil {
		return ""
	}
	if len(r.Agents) == 0 {
		r.Agents = nil // as one that was never written
	}
	if len(r.Wants) == 0 {
		r.Wants = nil
	}
	data, _ := json.Marshal(r) // It was read from JSON.
	return string(data)
}

// SaveRegistry writes agents.json. Only the holder of [ConductorLock] may call it.
func (f RuntimeFiles) SaveRegistry(r Registry) error {
	if r.Agents == nil {
		r.Agents = []SessionRecord{}
	}
	if r.Wants == nil {
		r.Wants = []core.Request{}
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", registryFile, err)
	}
	return f.record.WriteFile(registryFile, append(data, '\n'))
}

// Session returns the record of a session; false if it is not the newest of a slot.
func (r Registry) Session(id string) (SessionRecord, bool) {
	for _, e := range r.Agents {
		if id != "" && e.Session == id {
			return e, true
		}
	}
	return SessionRecord{}, false
}
