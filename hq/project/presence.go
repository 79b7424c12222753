package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ferrus/agent/process"
	"ferrus/store"
	"ferrus/ui/text/lazyregexp"
)

// Presence is run/<session id>.json: what the MCP server of a session reports of itself.
// Only that server writes it. It has more than 12 fields because it is one flat object of
// a file format.
type Presence struct {
	PID       int           `json:"pid"`
	Start     uint64        `json:"start"` // as in process.Identity, like Host and Boot
	Host      string        `json:"host,omitempty"`
	Boot      string        `json:"boot,omitempty"`
	Role      string        `json:"role"`
	Mode      string        `json:"mode"`
	Agent     string        `json:"agent"` // executor:codex:1
	Managed   bool          `json:"managed"`
	FirstCall *time.Time    `json:"first_call,omitempty"` // of a tool
	Tool      string        `json:"tool,omitempty"`       // of the newest call in flight; empty: none
	Since     *time.Time    `json:"since,omitempty"`      // when Tool was called; without one, when the last call ended
	Calls     int           `json:"calls"`                // in flight
	Seq       uint64        `json:"seq"`                  // the newest seq in a result
	Refused   []RefusedCall `json:"refused,omitempty"`    // the newest RefusedKept, oldest first
}

// Presence reads the presence of a session's server; false if there is none.
func (f RuntimeFiles) Presence(session string) (Presence, bool, error) {
	var s Presence
	ok, err := f.readJSON(presenceFile(session), &s)
	return s, ok, err
}

// Presences returns the presences of all servers, by session. Files that cannot be read
// are left out.
func (f RuntimeFiles) Presences() (map[string]Presence, error) {
	names, err := f.record.List("run")
	all := map[string]Presence{}
	for _, name := range names {
		m := sessionFile.FindStringSubmatch(name)
		if m == nil || m[2] != "json" {
			continue
		}
		if one, ok, err := f.Presence(m[1]); ok && err == nil {
			all[m[1]] = one
		}
	}
	return all, err
}

// SavePresence writes a presence, or replaces it.
func (f RuntimeFiles) SavePresence(session string, s Presence) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return f.record.WriteTransient(presenceFile(session), append(data, '\n'))
}

// RemovePresence removes a presence, and the directive for its session. If there is none,
// nothing happens.
func (f RuntimeFiles) RemovePresence(session string) error {
	return errors.Join(f.record.Remove(presenceFile(session)), f.record.Remove(directiveFile(session)))
}

// sessionFile matches the name of a presence or a directive, below run.
var sessionFile = lazyregexp.New(`^([0-9a-f]{16})\.(json|in)$`)

// RemoveStalePresences removes the presences of servers that died. The presence of a
// registered session is its conductor's to remove: managed says that the caller is the
// conductor and that none of its sessions runs.
func (f RuntimeFiles) RemoveStalePresences(managed bool) error {
	names, err := f.record.List("run")
	for _, name := range names {
		m := sessionFile.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		one, ok, reading := f.Presence(m[1])
		alive, known := process.Alive(&process.Identity{Host: one.Host, Boot: one.Boot, PID: one.PID, Start: one.Start})
		switch {
		case reading != nil || !ok: // not written by a server: what one wrote can be read
			if !managed {
				continue
			}
		case alive || !known || one.Managed && !managed:
			continue
		}
		err = errors.Join(err, f.RemovePresence(m[1]))
	}
	return err
}

// The kinds of a Directive.
const (
	DirectiveMessage = "message" // the agent reads Text and continues
	DirectivePark    = "park"    // the agent ends, and is started again with the answer
	DirectiveEnd     = "end"     // the agent ends
)

// Directive is run/<session id>.in: one instruction to an agent. Its server returns it
// from the waiting call in flight, or from the next call.
type Directive struct {
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
}

// PostDirective leaves a directive for a session. It replaces one that was not taken.
func (f RuntimeFiles) PostDirective(session string, h Directive) error {
	return f.writeJSON(directiveFile(session), h)
}

// TakeDirective returns and removes the directive for a session; false if there is none.
// One that cannot be read is removed too, or it would block the next ones forever. One that
// ferrus did not write stays, for the next comparison of the record to tell; the
// error is a *store.DamagedError.
func (f RuntimeFiles) TakeDirective(session string) (Directive, bool, error) {
	var h Directive
	ok, err := f.readJSON(directiveFile(session), &h)
	if forged := (*store.DamagedError)(nil); errors.As(err, &forged) {
		return Directive{}, false, err
	}
	if ok || err != nil {
		err = errors.Join(err, f.record.Remove(directiveFile(session)))
	}
	return h, ok && err == nil, err
}

func presenceFile(session string) string  { return "run/" + session + ".json" }
func directiveFile(session string) string { return "run/" + session + ".in" }

func (f RuntimeFiles) readJSON(name string, into any) (bool, error) {
	data, err := f.record.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", name, err)
	}
	return true, nil
}

func (f RuntimeFiles) writeJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return f.record.WriteFile(name, append(data, '\n'))
}
