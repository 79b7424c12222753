package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"ferrus/agent/process"
)

// Presence is run/<session id>.json: what the server of a session says of
// itself. Only that server writes it.
type Presence struct {
	PID       int        `json:"pid"`
	Start     uint64     `json:"start"` // as in hq.Process, like the two below
	Host      string     `json:"host,omitempty"`
	Boot      string     `json:"boot,omitempty"`
	Role      string     `json:"role"`
	Mode      string     `json:"mode"`
	Agent     string     `json:"agent"` // executor:codex:1
	Managed   bool       `json:"managed"`
	FirstCall *time.Time `json:"first_call,omitempty"` // of a tool
	Tool      string     `json:"tool,omitempty"`       // in flight; empty: none
	Since     *time.Time `json:"since,omitempty"`      // when Tool began, or ended when there is none
	Calls     int        `json:"calls"`                // in flight
	Seq       uint64     `json:"seq"`                  // newest that a caller was told
	Refused   []Refused  `json:"refused,omitempty"`    // the newest, oldest first
}

// Presence reads what a session's server says; false when there is none.
func (p *Project) Presence(session string) (Presence, bool, error) {
	var s Presence
	ok, err := p.readJSON(presenceFile(session), &s)
	return s, ok, err
}

// Presences are those of all servers that tell of themselves, by their sessions.
// One that cannot be read tells of nothing.
func (p *Project) Presences() (map[string]Presence, error) {
	names, err := p.Store.List("run")
	all := map[string]Presence{}
	for _, name := range names {
		m := sessionFile.FindStringSubmatch(name)
		if m == nil || m[2] != "json" {
			continue
		}
		if one, ok, err := p.Presence(m[1]); ok && err == nil {
			all[m[1]] = one
		}
	}
	return all, err
}

// SavePresence replaces it.
func (p *Project) SavePresence(session string, s Presence) error {
	return p.writeJSON(presenceFile(session), s)
}

// RemovePresence takes it away, with what was left for a session that is over;
// without one nothing happens.
func (p *Project) RemovePresence(session string) error {
	return errors.Join(p.Store.Remove(presenceFile(session)), p.Store.Remove(directiveFile(session)))
}

// sessionFile is the name of a presence or a handover, below run.
var sessionFile = regexp.MustCompile(`^([0-9a-f]{16})\.(json|in)$`)

// RemoveStalePresences takes away what servers that died could not. A session that a
// conductor registered is its conductor's: managed says that the caller is it,
// and that none of its sessions lives.
func (p *Project) RemoveStalePresences(managed bool) error {
	names, err := p.Store.List("run")
	for _, name := range names {
		m := sessionFile.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		one, ok, reading := p.Presence(m[1])
		alive, known := process.Alive(&process.Identity{Host: one.Host, Boot: one.Boot, PID: one.PID, Start: one.Start})
		switch {
		case reading != nil || !ok: // nobody's: what a server wrote can be read
			if !managed {
				continue
			}
		case alive || !known || one.Managed && !managed:
			continue
		}
		err = errors.Join(err, p.RemovePresence(m[1]))
	}
	return err
}

// The kinds of a Handover.
const (
	DirectiveMessage = "message" // the agent reads Text and goes on
	DirectivePark    = "park"    // the agent ends and is started again with the answer
	DirectiveEnd     = "end"     // the agent ends
)

// Directive is run/<session id>.in: one thing to tell an agent. Its server hands
// it over with the wait that is in flight or with the next call.
type Directive struct {
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
}

// PostDirective leaves h for a session; a newer one replaces one that was not taken.
func (p *Project) PostDirective(session string, h Directive) error {
	return p.writeJSON(directiveFile(session), h)
}

// TakeDirective takes what was left for a session. What cannot be read is taken
// away too: it would be in the way for ever.
func (p *Project) TakeDirective(session string) (Directive, bool, error) {
	var h Directive
	ok, err := p.readJSON(directiveFile(session), &h)
	if ok || err != nil {
		err = errors.Join(err, p.Store.Remove(directiveFile(session)))
	}
	return h, ok && err == nil, err
}

func presenceFile(session string) string  { return "run/" + session + ".json" }
func directiveFile(session string) string { return "run/" + session + ".in" }

func (p *Project) readJSON(name string, into any) (bool, error) {
	data, err := p.Store.ReadFile(name)
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

func (p *Project) writeJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		err = p.Store.WriteFile(name, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
