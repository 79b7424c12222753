package pair

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/core"
	loop "ferrus/machine/pair"
	"ferrus/machine/pair/run"
	"ferrus/machine/session"
)

// schema is the form of the manifest.
const schema = 1

const runsDir = "runs"

// ErrNone says that there is no such run.
var ErrNone = errors.New("there is no such run")

// Manifest is manifest.json: everything that a run goes on from.
type Manifest struct {
	Schema int    `json:"schema_version"`
	ID     string `json:"id"`
	Seq    int    `json:"seq"` // of the newest step

	Project       string          `json:"project"` // absolute
	Task          string          `json:"task"`
	Mode          loop.Mode       `json:"mode"`
	Primary       string          `json:"primary_agent"`
	Secondary     string          `json:"secondary_agent,omitempty"`
	MaxIterations int             `json:"max_iterations"`
	Words         loop.Words      `json:"words"`
	Definition    core.Definition `json:"definition"` // what the gate runs
	Setup         Setup           `json:"setup"`
	Base          core.Base       `json:"base"` // what the run began with

	State       run.State    `json:"state"`
	ResumeState run.State    `json:"resume_state,omitempty"` // while failed
	Iteration   int          `json:"current_iteration"`
	Error       string       `json:"error,omitempty"` // why it failed, in words
	Loop        loop.Data    `json:"loop"`
	History     []loop.State `json:"history"`
	Tree        string       `json:"tree,omitempty"` // that votes and a pending signal are bound to
	Gate        *Gate        `json:"gate,omitempty"` // the newest
	Gates       int          `json:"gates"`
	Asked       string       `json:"asked,omitempty"`    // tree whose alarms the person was shown
	Accepted    string       `json:"accepted,omitempty"` // tree whose alarms the person lets be

	Turns    int                     `json:"turns"`          // that ended
	Turn     *Turn                   `json:"turn,omitempty"` // in flight
	Inbox    map[string][]Message    `json:"inbox,omitempty"`
	Read     map[string]int64        `json:"read,omitempty"` // how far each agent was told messages.jsonl
	Sessions map[string]session.Snap `json:"sessions,omitempty"`
	Last     *Entry                  `json:"last,omitempty"` // of the transcript, should a crash have kept it out

	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
}

// Setup is the part of ferrus.toml that a run is played with, as it was when the
// run was created: who works may edit the file, and is not to choose who reviews.
type Setup struct {
	Executor   config.RoleConfig        `json:"executor"`
	Supervisor config.RoleConfig        `json:"supervisor"`
	Agents     map[string]config.Custom `json:"agents,omitempty"`
	Session    config.Session           `json:"session"`
}

// NewSetup is that of a configuration.
func NewSetup(c config.Config) Setup {
	return Setup{Executor: c.HQ.Executor, Supervisor: c.HQ.Supervisor, Agents: c.Agent, Session: c.Session}
}

// Bypass reports whether an agent's own permission checks are off.
func (s Setup) Bypass(who string) bool {
	if who == Secondary {
		return s.Supervisor.Bypass()
	}
	return s.Executor.Bypass()
}

// Gate is what the checks found.
type Gate struct {
	Verdict string `json:"verdict"`
	Green   bool   `json:"green"`
	Tree    string `json:"tree"`
	Why     string `json:"why"`
	Log     string `json:"log"`
}

// Turn is a turn in flight: what a crash leaves behind is found by it.
type Turn struct {
	Agent   string `json:"agent"`
	Session string `json:"session"` // id, as project.SessionOf
	PID     int    `json:"pid,omitempty"`
}

// Message is something that one agent, the gate or the person tells an agent.
type Message struct {
	From string `json:"from"`
	Kind string `json:"kind"` // result, review, report or message
	Text string `json:"text"`
}

// The kinds of messages.
const (
	kindResult  = "result"
	kindReview  = "review"
	kindReport  = "report"
	kindMessage = "message"
)

func (m *Manifest) dir() string { return path.Join(runsDir, m.ID) }

func (m *Manifest) file(name string) string { return path.Join(m.dir(), name) }

// Agent is the name of the program that plays primary or secondary.
func (m *Manifest) Agent(who string) string {
	if who == Secondary {
		return m.Secondary
	}
	return m.Primary
}

// machine is the machine of the run, where the manifest says it is.
func (m *Manifest) machine() *loop.Machine {
	return loop.NewMachine(loop.Snap{At: loop.FromRunState(m.State), Data: m.Loop}, m.History...)
}

func (m *Manifest) policy() loop.Policy {
	return loop.Policy{Iterations: m.MaxIterations, Silent: loop.SilentLimit}
}

// keep puts the machine into the manifest.
func (r *Run) keep() {
	m, s := &r.Manifest, r.machine.Snap()
	m.State, m.Loop, m.History = loop.ToRunState(s.At), s.Data, r.machine.History()
	m.Iteration, m.ResumeState = s.Data.Iteration, ""
	if s.At == loop.StateFailed {
		m.ResumeState = loop.ToRunState(s.Data.Resume)
	}
}

// save writes the manifest, whole or not at all.
func (r *Run) save() error {
	r.Manifest.UpdatedAt = time.Now().UTC()
	data, err := json.MarshalIndent(&r.Manifest, "", "  ")
	if err != nil {
		return err
	}
	return r.disk.WriteFile(r.Manifest.file("manifest.json"), append(data, '\n'))
}

var idForm = regexp.MustCompile(`^p-[0-9]{8}-[0-9]{6}-[0-9a-f]{4}$`)

// newID is p-20261120-101500-4f2a: when, and two random bytes.
func newID(now time.Time) string {
	var random [2]byte
	_, _ = rand.Read(random[:]) // It never fails.
	return now.UTC().Format("p-20060102-150405-") + hex.EncodeToString(random[:])
}

// read reads the manifest of a run.
func read(d disk, id string) (Manifest, error) {
	m := Manifest{ID: id}
	if !idForm.MatchString(id) {
		return m, fmt.Errorf("%w: %.60q is not the id of one", ErrNone, id)
	}
	data, err := d.ReadFile(m.file("manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%w here: %s", ErrNone, id)
	}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("read run %s: %w", id, err)
	case m.Schema > schema:
		return m, fmt.Errorf("read run %s: it was written by a newer ferrus (schema %d)", id, m.Schema)
	case m.ID != id:
		return m, fmt.Errorf("read run %s: its manifest is that of %.60q", id, m.ID)
	}
	return m, nil
}
