package conductor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// setupFile says what makes a work tree ready now. It is there only while that runs,
// or after a conductor died over it.
const setupFile = "run/setup.json"

// setup is one run of the setup commands.
type setup struct {
	Task   string `json:"task"`
	Marker string `json:"marker"` // carried by every process of the commands
	Log    string `json:"log"`    // below .ferrus
	cancel context.CancelFunc
}

// workspace is where the session of a job works: a planner and a free session in the
// project, everybody else where the task is.
func (c *Conductor) workspace(job core.Job) string {
	if c.taskFor(job) == "" {
		return c.project.Dir
	}
	return c.project.Workspace(c.state.World)
}

// prepared reports that a session of the job can be started where it works.
func (c *Conductor) prepared(job core.Job) bool {
	if c.taskFor(job) == "" || c.state.World.Task.Workspace == nil {
		return true
	}
	return c.state.World.Task.Workspace.Ready && c.setup == nil
}

// settleWorkspace has the setup commands of the task's work tree run, once, when the
// person let them. They are ended when the task is held or gone.
func (c *Conductor) settleWorkspace() {
	w := c.state.World
	wanted := w.Task != nil && w.Task.Workspace != nil && w.Hold == nil && works(w)
	if c.setup != nil {
		if !wanted || c.setup.Task != w.Task.ID {
			c.setup.cancel()
		}
		return
	}
	if !wanted {
		return
	}
	if info, err := os.Stat(c.project.Workspace(w)); err != nil || !info.IsDir() {
		gone := "the work tree of the task is gone: " + c.project.Workspace(w)
		c.once(gone + "; /reset puts the task away")
		c.hold("setup", gone)
		return
	}
	if !w.Task.Workspace.Ready {
		c.beginSetup(w)
	}
}

// works are the states in which somebody needs the workspace.
func works(w core.World) bool {
	return w.State != "Idle" && w.State != "Complete" && w.State != "Failed"
}

func (c *Conductor) beginSetup(w core.World) {
	definition := project.Setup(c.config)
	if trusted, err := c.project.Trusted(definition); err != nil || !trusted {
		return // The person is asked, as for check commands.
	}
	ctx, cancel := context.WithCancel(c.ctx)
	s := &setup{Task: w.Task.ID, Marker: marker(), Log: fmt.Sprintf("logs/setup_%d.txt", time.Now().Unix()), cancel: cancel}
	data, err := json.Marshal(s)
	if err == nil {
		err = c.project.Store.WriteFile(setupFile, append(data, '\n'))
	}
	if err != nil {
		cancel()
		c.deny(err)
		return
	}
	c.setup = s
	c.notice(false, "the work tree is made ready: %d setup commands", len(definition.Commands))
	dir := c.project.Workspace(w)
	c.ended.Go(func() {
		record, err := c.runSetup(ctx, s, dir, definition)
		c.later(func() { c.endSetup(ctx, s, record, err) })
	})
}

func (c *Conductor) runSetup(ctx context.Context, s *setup, dir string, d core.Definition) (checks.Record, error) {
	log, err := c.project.Store.Append(s.Log)
	if err != nil {
		return checks.Record{}, err
	}
	record := checks.Run(ctx, checks.Options{
		Dir: dir, Commands: project.Commands(d), Timeout: time.Duration(d.TimeoutSecs) * time.Second,
		AllowNone: true, Log: log, Marker: s.Marker,
	})
	return record, log.Close()
}

// endSetup takes the end of the commands. A run that was ended says nothing; the next
// turn begins another where one is wanted.
func (c *Conductor) endSetup(ctx context.Context, s *setup, record checks.Record, err error) {
	ended := ctx.Err() != nil
	s.cancel()
	c.setup = nil
	if removed := c.project.Store.Remove(setupFile); removed != nil {
		c.once(removed.Error())
	}
	if ended {
		return
	}
	if err == nil && record.Verdict != checks.Pass && !record.Allowed {
		err = fmt.Errorf("%s; see .ferrus/%s", record.Why, s.Log)
	}
	if err != nil {
		c.notice(true, "the work tree could not be made ready: %v", err)
		c.hold("setup", err.Error())
		return
	}
	c.ferrus(core.Command{Kind: "prepared"})
}

// burySetup ends what a conductor that died had running.
func (c *Conductor) burySetup() error {
	data, err := c.project.Store.ReadFile(setupFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var dead setup
	if err == nil && json.Unmarshal(data, &dead) == nil {
		err = checks.KillMarked(dead.Marker, 0)
	}
	if err != nil {
		return fmt.Errorf("end what the last conductor left: %w", err)
	}
	return c.project.Store.Remove(setupFile)
}

func marker() string {
	var random [16]byte
	rand.Read(random[:]) //nolint:errcheck // it never fails
	return hex.EncodeToString(random[:])
}
