package conductor

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// spawn starts the process with a number. What cannot start at all is fatal: the
// same would happen the next time.
func (s *slot) spawn(number uint32) {
	player := s.player()
	adapter, err := agent.Lookup(player.Agent, custom(s.c.config.Agent))
	if err == nil {
		err = agent.Installed(adapter)
	}
	if err == nil {
		err = agent.CheckSupported(adapter)
	}
	if err != nil {
		s.step(session.FatalError{Message: err.Error()})
		s.step(session.SessionExited{Session: number, Outcome: session.Error}) // there never was a process
		return
	}
	s.prepare(number, adapter, player)
	if err := s.launch(number, adapter, player); err != nil {
		s.last = err.Error()
		s.entry.Status = project.Suspended
		s.c.notice(true, "%v", err)
		s.step(session.SessionExited{Session: number, Outcome: session.Error})
	}
}

// player is the agent that the configuration gives to the slot's role.
func (s *slot) player() config.RoleConfig {
	role := s.name.Role()
	if s.job.Want != nil && s.job.Want.Role != "" {
		role = s.job.Want.Role
	}
	if role == machine.Executor {
		return s.c.config.HQ.Executor
	}
	return s.c.config.HQ.Supervisor
}

// prepare says all of the session before it exists.
func (s *slot) prepare(number uint32, adapter agent.Adapter, player config.RoleConfig) {
	nonce := make([]byte, 16)
	rand.Read(nonce) // never fails
	job := s.job
	s.current = current{job: job, prompt: s.prompt, nonce: hex.EncodeToString(nonce), bypass: player.Bypass(), model: player.Model, output: &activity{}}
	s.typed = !s.c.options.Headless && interactive(job.Mode, player)
	s.entry = project.Entry{
		Role: s.name.Role(), AgentType: adapter.Name(), Name: fmt.Sprintf("%s:%s:%d", s.name.Role(), adapter.Name(), s.name.Index()),
		Status: project.Running, StartedAt: stamp(), Slot: s.name, Mode: job.Mode, Task: s.c.origin(job),
		Session: process.SessionID(s.nonce), SessionSeq: int(number),
		Model: player.Model, Bypass: player.Bypass(), Interactive: s.typed,
		Log: filepath.Join("logs", fmt.Sprintf("%s_%d_%d.log", s.name, number, time.Now().Unix())),
	}
}

// interactive reports whether a person types into the session.
func interactive(mode core.Mode, player config.RoleConfig) bool {
	return byHand(mode) || player.Interactive
}

// byHand reports whether a session of the mode is there for what a person types.
func byHand(mode core.Mode) bool {
	switch mode {
	case core.ModePlan, core.ModeSpec, core.ModeTask, core.ModeFree:
		return true
	}
	return false
}

// taskFor is the task whose end makes the session an orphan; a planner has none.
func (c *Conductor) taskFor(job core.Job) string {
	if job.Slot == core.SlotPlanner || job.Mode == core.ModeFree || c.state.World.Task == nil {
		return ""
	}
	return c.state.World.Task.ID
}

// origin is what the session is started for: a task, or a visit of a phase. A
// session of another origin has no claim to its slot.
func (c *Conductor) origin(job core.Job) string {
	if job.Mode == core.ModePhase && job.Want != nil {
		return job.Want.Text
	}
	return c.taskFor(job)
}

// launch writes the session down and then starts it, so that its server finds
// itself registered.
func (s *slot) launch(number uint32, adapter agent.Adapter, player config.RoleConfig) error {
	if !s.c.save() {
		return errors.New(s.c.trouble()) // its server would not find itself registered
	}
	wait := min(adapter.WaitSecs(), s.c.config.Limits.WaitTimeoutSecs)
	invocation, err := adapter.Invoke(agent.Launch{
		Role: string(s.name.Role()), Mode: string(s.job.Mode), Slot: string(s.name), Prompt: s.prompt, Model: player.Model,
		Workspace: s.c.workspace(s.job), Project: s.c.project.Dir, Nonce: s.nonce, Ferrus: s.c.options.Ferrus, Name: adapter.Name(),
		Index: s.name.Index(), WaitSecs: max(wait, 1), Columns: s.size[0], Rows: s.size[1], Interactive: s.typed, Bypass: s.bypass, CanEdit: s.c.edits(s.job),
	})
	if err != nil {
		return err
	}
	process, err := s.launchIn(number, invocation, rendererOf(adapter, invocation, s.c.config.Agent))
	if err != nil {
		return err
	}
	s.began(number, process, 0)
	return nil
}

// sessionRule begins the line between two sessions that only print.
const sessionRule = "── session "

// screen is the emulator of the pane. Sessions that only print go on below what
// the one before printed; a full-screen program gets a new screen.
func (s *slot) screen(number uint32) *screen {
	if s.terminal == nil || s.typed {
		s.terminal = vt.NewLocked(s.size[0], s.size[1], s.c.options.Scrollback)
	} else {
		rule := fmt.Sprintf("\x1b[0m\r\n\x1b[2m"+sessionRule+"%d ──\x1b[0m\r\n\r\n", number)
		io.WriteString(s.terminal, rule)
		s.terminal.Resize(s.size[0], s.size[1])
	}
	return &screen{Locked: s.terminal, poke: s.c.poke, output: s.output}
}

// began watches the process, which is of some age: its first call or its uptime
// make it Running, its end is put to the machine, and then nothing of it is left.
func (s *slot) began(number uint32, id agent.Session, age time.Duration) {
	s.process = id
	s.c.live.Store(s.name, id)
	s.entry.PID = id.PID()
	if identity, err := process.Identify(id.PID()); err == nil {
		s.entry.Process = identity
	}
	s.c.save()
	s.c.after(s.c.config.Session.MinUptime()-age, func() {
		if s.process == id {
			s.step(session.SessionStarted{Session: number})
		}
	})
	s.limit(id, age)
	s.c.ended.Go(func() {
		select {
		case <-id.Done():
		case <-s.c.left:
			return
		}
		exit := agent.End(s.c.ctx, id, 0) // what it left behind
		daemons := daemons()
		s.c.later(func() { s.c.daemons = daemons; s.exited(number, exit, s.c.going[s.name]) })
	})
}

// daemons are those that vendors' programs keep, in words.
func daemons() (all []string) {
	for _, d := range agent.Daemons() {
		all = append(all, d.String())
	}
	return all
}

// limit ends a session that takes too long, or an interactive one that has gone
// silent at its prompt.
func (s *slot) limit(process agent.Session, age time.Duration) {
	if d := s.c.config.Session.Timeout(); d > 0 {
		s.c.after(d-age, func() {
			if s.process == process {
				s.step(session.TimedOut{Session: s.snap.Data.Session})
			}
		})
	}
	if !s.typed || !byHand(s.job.Mode) {
		s.mind(process, time.Time{})
	}
	switch idle := s.c.config.Session.Idle(); {
	case !s.typed:
		s.listen(process, time.Time{})
	case idle > 0 && !byHand(s.job.Mode):
		s.idleAfter(process, idle)
	}
}

func (s *slot) idleAfter(process agent.Session, idle time.Duration) {
	s.c.after(idle, func() {
		if s.process != process {
			return
		}
		if quiet := time.Since(s.output.last()); quiet < idle || s.presence().Tool != "" {
			s.idleAfter(process, idle)
			return
		}
		if limit := s.limitOnScreen(); limit.Reached() {
			s.park(limit)
			return
		}
		s.report(s.diagnose(true))
		s.step(session.WentIdle{Session: s.snap.Data.Session})
	})
}

// presence is what the session's server says of itself; the zero value when it
// says nothing.
func (s *slot) presence() project.Presence {
	v, _, err := s.c.project.Presence(s.entry.Session)
	if err != nil {
		s.c.once(err.Error())
	}
	return v
}

// established makes a session Running whose server was called.
func (c *Conductor) established() {
	for _, s := range c.slots {
		if s.process != nil && s.snap.At == session.Spawning && s.presence().FirstCall != nil {
			s.step(session.SessionStarted{Session: s.snap.Data.Session})
		}
	}
}

// witness takes note of what a session achieved.
func (c *Conductor) witness(sid, event string) {
	if sid == "" || !counts(event) {
		return
	}
	for _, s := range c.slots {
		if s.entry.Session == sid {
			s.accepted = true
			if s.process != nil && s.snap.At == session.Spawning {
				s.step(session.SessionStarted{Session: s.snap.Data.Session})
			}
		}
	}
}

// prompt words what a session is told.
func (c *Conductor) prompt(job core.Job, message string) (string, error) {
	data := agent.PromptData{Project: c.workspace(job), State: string(c.state.World.State), Message: message}
	if data.Project != c.project.Dir {
		data.Home = c.project.Dir
	}
	if job.Want != nil {
		data.Text = job.Want.Text
		data.Milestone = c.milestone(*job.Want)
	}
	if job.Mode == core.ModePhase {
		data = c.phaseData(data)
	}
	if job.Mode == core.ModeConsult {
		data.Question = c.texts.Consult
	}
	return agent.Prompt(string(job.Mode), data)
}

func custom(agents map[string]config.Custom) map[string]agent.Custom {
	all := map[string]agent.Custom{}
	for name, c := range agents {
		all[name] = agent.Custom{Command: c.Command, InteractiveCommand: c.InteractiveCommand}
	}
	return all
}
