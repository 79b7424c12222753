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
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/task"
)

// setupFile says what prepares a worktree now. It is there only while that runs, or
// after a conductor died over it.
const setupFile = "run/setup.json"

// workspaceSetup prepares the worktree of the task.
type workspaceSetup struct {
	*observed
	current *setupRun // nil: no setup commands run
}

// setupRun is one run of the setup commands.
type setupRun struct {
	Task   string `json:"task"`
	Marker string `json:"marker"` // carried by every process of the commands
	Log    string `json:"log"`    // below .ferrus
	cancel context.CancelFunc
}

// ready reports that a session of the task can be started where it works.
func (s *workspaceSetup) ready() bool {
	task := s.world().Task
	return task == nil || task.Workspace == nil || task.Workspace.Ready && s.current == nil
}

// reconcile has the setup commands of the task's worktree run, once, when they may run
// on this machine. They are ended when the task is held or gone.
func (s *workspaceSetup) reconcile(cfg config.Config) {
	w := *s.world()
	wanted := w.Task != nil && w.Task.Workspace != nil && w.Hold == nil && needsWorkspace(w)
	if s.current != nil {
		if !wanted || s.current.Task != w.Task.ID {
			s.current.cancel()
		}
		return
	}
	if !wanted {
		return
	}
	if info, err := os.Stat(s.project.Workspace(w)); err != nil || !info.IsDir() {
		gone := "the worktree of the task is gone: " + s.project.Workspace(w)
		s.notices.once(gone + "; /reset archives the task")
		s.hold("setup", gone)
		return
	}
	if !w.Task.Workspace.Ready {
		s.begin(w, project.Setup(cfg))
	}
}

// needsWorkspace reports a state in which the workspace is worked in.
func needsWorkspace(w core.World) bool {
	return w.State != task.Idle && w.State != task.Complete && w.State != task.Failed
}

func (s *workspaceSetup) begin(w core.World, d core.Definition) {
	if trusted, err := s.project.Trusted(d); err != nil || !trusted {
		return // the human is asked, as for check commands
	}
	ctx, cancel := context.WithCancel(s.loop.Context)
	this := &setupRun{Task: w.Task.ID, Marker: marker(), Log: fmt.Sprintf("logs/setup_%d.txt", time.Now().Unix()), cancel: cancel}
	data, err := json.Marshal(this)
	if err == nil {
		err = s.project.Store.WriteFile(setupFile, append(data, '\n'))
	}
	if err != nil {
		cancel()
		s.reportError(err)
		return
	}
	s.current = this
	s.notices.add(false, "preparing the worktree (setup commands: %d)", len(d.Commands))
	dir := s.project.Workspace(w)
	s.loop.Go(func() {
		record, err := s.run(ctx, this, dir, d)
		s.loop.Post(func() { s.end(ctx, this, record, err) })
	})
}

func (s *workspaceSetup) run(ctx context.Context, this *setupRun, dir string, d core.Definition) (checks.Record, error) {
	log, err := s.project.Store.Append(this.Log)
	if err != nil {
		return checks.Record{}, err
	}
	record := checks.Run(ctx, checks.Options{
		Dir: dir, Commands: d.Commands, Timeout: time.Duration(d.TimeoutSecs) * time.Second,
		AllowNone: true, Log: log, Marker: this.Marker,
	})
	return record, log.Close()
}

// end takes the end of the commands. A run that was ended says nothing; the next turn
// begins another where one is wanted.
func (s *workspaceSetup) end(ctx context.Context, this *setupRun, record checks.Record, err error) {
	ended := ctx.Err() != nil
	this.cancel()
	s.current = nil
	s.notices.onceIf(s.project.Store.Remove(setupFile))
	if ended {
		return
	}
	if err == nil && record.Verdict != checks.Pass && !record.Allowed {
		err = fmt.Errorf("%s; see .ferrus/%s", record.Why, this.Log)
	}
	if err != nil {
		s.notices.add(true, "the worktree could not be prepared: %v", err)
		s.hold("setup", err.Error())
		return
	}
	s.do(core.Command{Kind: core.KindPrepared})
}

// killLeftover ends what a conductor that died had running.
func (s *workspaceSetup) killLeftover() error {
	data, err := s.project.Store.ReadFile(setupFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var dead setupRun
	if err == nil && json.Unmarshal(data, &dead) == nil {
		err = checks.KillMarked(dead.Marker, 0)
	}
	if err != nil {
		return fmt.Errorf("end what the last conductor left: %w", err)
	}
	return s.project.Store.Remove(setupFile)
}

func marker() string {
	var random [16]byte
	rand.Read(random[:]) //nolint:errcheck // it never fails
	return hex.EncodeToString(random[:])
}
