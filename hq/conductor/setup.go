package conductor

import (
	"context"
	"os"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
)

// workspaceSetup prepares the worktree of the task: it runs its setup commands.
type workspaceSetup struct {
	*observed
	view    *gateview.Watch
	changed func()
	current *setupRun // nil: no setup commands run
}

// setupRun is one run of the setup commands.
type setupRun struct {
	task   string // id
	cancel context.CancelFunc
}

// ready reports whether sessions of the task can start in its workspace.
func (s *workspaceSetup) ready() bool {
	task := s.world().Task
	return task == nil || task.Workspace == nil || task.Workspace.Ready && s.current == nil
}

// reconcile runs the setup commands of the task's worktree once, if they are trusted on this
// machine. It cancels them when the task is on hold or gone.
func (s *workspaceSetup) reconcile(cfg config.Config) {
	w := *s.world()
	wanted := w.Task != nil && w.Task.Workspace != nil && w.Hold == nil && w.IsOpen()
	if s.current != nil {
		if !wanted || s.current.task != w.Task.ID {
			s.current.cancel()
		}
		return
	}
	if !wanted {
		return
	}
	if err := s.project.OpenWorkspace(w); err != nil {
		s.notices.AddOnce(err.Error())
	}
	if info, err := os.Stat(s.project.Workspace(w)); err != nil || !info.IsDir() {
		gone := "the task's worktree is missing: " + s.project.Workspace(w)
		s.notices.AddOnce(gone + "; reset the task to archive it")
		s.hold(core.HoldSetup, gone)
		return
	}
	if !w.Task.Workspace.Ready {
		if trusted, err := s.project.Trusted(project.GateDefinition(cfg)); err != nil || !trusted {
			return // the human is asked, as for check commands
		}
		d := project.Setup(cfg)
		d.Sandbox = project.InEffect(cfg, w).Sandbox
		s.startCommands(w, d)
	}
}

func (s *workspaceSetup) startCommands(w core.World, d core.Definition) {
	ctx, cancel := context.WithCancel(s.loop.Context)
	s.current = &setupRun{task: w.Task.ID, cancel: cancel}
	s.notices.Add(false, "preparing the worktree (setup commands: %d)", len(d.Commands))
	dir := s.project.Workspace(w)
	progress, over := s.view.Track("setup", d.Titles(), s.changed)
	s.loop.Go(func() {
		err := gate.Setup(ctx, s.project, w.Task.ID, dir, d, progress)
		over(setupVerdict(ctx, err))
		s.loop.Post(func() { s.finished(ctx.Err() != nil, err) })
	})
}

// setupVerdict returns how the commands ended, for the screen.
func setupVerdict(ctx context.Context, err error) (gate.Record, error) {
	var r gate.Record
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil:
		r.Verdict, r.Why = checks.Fail, err.Error()
	default:
		r.Verdict = checks.Pass
	}
	return r, nil
}

// finished handles the end of the commands. A cancelled run changes nothing; the next turn
// starts another one if it is still needed.
func (s *workspaceSetup) finished(ended bool, err error) {
	s.current.cancel()
	s.current = nil
	switch {
	case ended:
		s.notices.AddErrorOnce(err)
	case err != nil:
		s.notices.Add(true, "the worktree could not be prepared: %v", err)
		s.hold(core.HoldSetup, err.Error())
	default:
		s.do(core.Command{Kind: core.KindPrepared})
	}
}
