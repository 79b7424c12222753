package pair

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine/pair"
	"ferrus/machine/pair/run"
	"ferrus/ui/text/lazyregexp"
)

// schema is the version of the manifest's format.
const schema = 1

const runsDir = "runs"

// ErrNoRun is returned for a run that does not exist.
var ErrNoRun = errors.New("there is no such run")

// Manifest is manifest.json: everything that a run continues from.
type Manifest struct {
	Schema int    `json:"schema_version"`
	ID     string `json:"id"`
	Seq    int    `json:"seq"` // of the newest step
	Terms
	Position
	Proof
	Exchange
	Dates
}

// Terms are what a run was created with. Only MaxIterations changes, when the human
// raises it.
type Terms struct {
	Project       string          `json:"project"` // absolute
	Task          string          `json:"task"`
	Mode          pair.Mode       `json:"mode"`
	Primary       string          `json:"primary_agent"`
	Secondary     string          `json:"secondary_agent,omitempty"`
	MaxIterations int             `json:"max_iterations"`
	Words         pair.Words      `json:"words"`
	Definition    core.Definition `json:"definition"` // what the gate runs
	Setup         Setup           `json:"setup"`
	Base          core.Base       `json:"base"` // what the run began with
}

// Position is the state of a run's machine, and its history.
type Position struct {
	State       run.State    `json:"state"`
	ResumeState run.State    `json:"resume_state,omitempty"` // while failed
	Iteration   int          `json:"current_iteration"`
	Error       string       `json:"error,omitempty"` // why it failed, in words
	Loop        pair.Data    `json:"loop"`
	History     []pair.State `json:"history"`
	Tree        string       `json:"tree,omitempty"` // that votes and a pending signal are bound to
}

// Proof is the newest verdict, and what the human accepted.
type Proof struct {
	Gate     *Gate  `json:"gate,omitempty"` // the newest
	Gates    int    `json:"gates"`
	Asked    string `json:"asked,omitempty"`    // tree whose alarms the human was shown
	Accepted string `json:"accepted,omitempty"` // tree whose alarms the human accepts
}

// Exchange is what the agents send each other.
type Exchange struct {
	Turns    int                     `json:"turns"`          // that ended
	Turn     *Turn                   `json:"turn,omitempty"` // in flight
	Inbox    map[string][]Message    `json:"inbox,omitempty"`
	Read     map[string]int64        `json:"read,omitempty"` // offset in messages.jsonl that each agent has read up to
	Sessions map[string]session.Snap `json:"sessions,omitempty"`
	Last     *Entry                  `json:"last,omitempty"` // newest line of the transcript, for addLostStep
}

// Dates are when a run was created, last written, and over, and how long it had failed or was stopped before it was
// resumed.
type Dates struct {
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
	CompletedAt *time.Time    `json:"completed_at,omitempty"`
	Idle        time.Duration `json:"idle_ns,omitempty"`
}

// Setup is the part of ferrus.toml that a run uses, pinned when the run is created: the
// working agent may edit the file, and must not choose its reviewer.
type Setup struct {
	Executor   config.RoleConfig        `json:"executor"`
	Supervisor config.RoleConfig        `json:"supervisor"`
	Agents     map[string]config.Custom `json:"agents,omitempty"`
	MCP        map[string]string        `json:"mcp,omitempty"`
	Session    config.Session           `json:"session"`
	Sandbox    core.Sandbox             `json:"sandbox"`
}

// NewSetup returns the setup of a configuration.
func NewSetup(c config.Config) Setup {
	return Setup{Executor: c.HQ.Executor, Supervisor: c.HQ.Supervisor, Agents: c.Agent, MCP: c.MCP, Session: c.Session,
		Sandbox: project.SandboxOf(c)}
}

// roleConfig returns the configuration of an agent in a slot, with the model and the
// permissions of its role in ferrus.toml.
func (s Setup) roleConfig(who, agent string) config.RoleConfig {
	p := config.RoleConfig{Agent: agent, Permissions: s.Executor.Permissions}
	if who == Secondary { // a reviewer does not edit
		p.Permissions = s.Supervisor.Permissions
	}
	for _, role := range []config.RoleConfig{s.Supervisor, s.Executor} {
		if role.Agent == agent {
			p.Model = role.Model
		}
	}
	return p
}

// local returns a launcher of the agents on this machine. Its sessions end with this process.
func (s Setup) local(p *project.Task) *session.Local {
	return &session.Local{
		Project: p, StopOnExit: true, NoServer: true,
		Agents:  func() map[string]config.Custom { return s.Agents },
		Only:    func(agent string) bool { return s.MCP[agent] == config.MCPOnly },
		Sandbox: func() core.Sandbox { return s.Sandbox },
	}
}

// Gate is a verdict of the check gate.
type Gate struct {
	Verdict string `json:"verdict"`
	Green   bool   `json:"green"`
	Tree    string `json:"tree"`
	Why     string `json:"why"`
	Log     string `json:"log"`
}

// Turn is a turn in flight. By it a session is found after a crash.
type Turn struct {
	Agent   string `json:"agent"`
	Session string `json:"session"` // id, as project.SessionOf
	PID     int    `json:"pid,omitempty"`
}

// Message is a message of an agent, the gate or the human to an agent.
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

// Agent returns the name of the agent in a slot; empty: the slot is unused.
func (m *Manifest) Agent(who string) string {
	if who == Secondary {
		return m.Secondary
	}
	return m.Primary
}

// machine returns the machine of the run, in the state that the manifest has.
func (m *Manifest) machine() *pair.Machine {
	return pair.NewMachine(pair.Snap{At: pair.FromRunState(m.State), Data: m.Loop}, m.History...)
}

func (m *Manifest) policy() pair.Policy {
	return pair.Policy{Iterations: m.MaxIterations, Silent: pair.SilentLimit}
}

// syncMachine copies the state of the machine into the manifest.
func (r *Run) syncMachine() {
	m, s := &r.Manifest, r.machine.Snap()
	m.State, m.Loop, m.History = pair.ToRunState(s.At), s.Data, r.machine.History()
	m.Iteration, m.ResumeState = s.Data.Iteration, ""
	if s.At == pair.StateFailed {
		m.ResumeState = pair.ToRunState(s.Data.Resume)
	}
}

// save replaces the manifest atomically.
func (r *Run) save() error {
	r.Manifest.UpdatedAt = time.Now().UTC()
	data, err := json.MarshalIndent(&r.Manifest, "", "  ")
	if err != nil {
		return err
	}
	return r.disk.WriteFile(r.Manifest.file("manifest.json"), append(data, '\n'))
}

var idForm = lazyregexp.New(`^p-[0-9]{8}-[0-9]{6}-[0-9a-f]{4}$`)

// newID returns an id like p-20261120-101500-4f2a: the time, and two random bytes.
func newID(now time.Time) string {
	return now.UTC().Format("p-20060102-150405-") + random(2)
}

// readManifest reads the manifest of a run.
func readManifest(d disk, id string) (Manifest, error) {
	m := Manifest{ID: id}
	if !idForm.MatchString(id) {
		return m, fmt.Errorf("%w: %.60q is not the id of one", ErrNoRun, id)
	}
	data, err := d.ReadFile(m.file("manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%w here: %s", ErrNoRun, id)
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
		return m, fmt.Errorf("read run %s: its manifest belongs to %.60q", id, m.ID)
	}
	return m, nil
}

// keepSession records the counters of an agent's sessions, and the number of the newest.
func (m *Manifest) keepSession(who string, s session.Snap) {
	if m.Sessions == nil {
		m.Sessions = map[string]session.Snap{}
	}
	m.Sessions[who] = s
}
