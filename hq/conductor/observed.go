package conductor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
)

// diskRetry is how long the conductor waits before it tries to write again.
const diskRetry = 2 * time.Second

// diskFaults are what a disk says that takes nothing now.
var diskFaults = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO, store.ErrNone}

// observed is what is on the disk, as it was read last, and the one way in which the
// conductor itself changes it.
type observed struct {
	project    *project.Project
	loop       *session.Loop
	notices    *notices
	lock       *store.Lock       // the conductor's
	handleLine func(store.Entry) // gets each new line of the journal
	retry      func()            // writes again what the disk refused

	state      store.State[core.World]
	problem    string // the state cannot be read: the last good one stays, and nothing is started
	writeError error  // nothing can be written: sessions run on, none is started; nil: it can
	texts      Texts
	cache      textCache // texts that events wrote
	journal    journal
	spec       string // the newest specification, below the project; empty: there is none
}

// world is the task's state.
func (o *observed) world() *core.World { return &o.state.World }

// reload takes in what is on the disk now. When it cannot be read the last good state
// stays.
func (o *observed) reload() {
	state, err := o.project.World()
	if err == nil && o.problem != "" {
		err = o.relock()
	}
	if err != nil {
		o.problem = err.Error()
		return
	}
	o.problem = ""
	before := o.state.Seq
	o.state = state
	if state.Seq < before {
		o.journal.lines = nil // another .ferrus has taken the place of the one before
	}
	if state.Seq == before && o.journal.lines != nil {
		return
	}
	o.readTexts()
	o.cache.add(o.project, state)
	o.readSpec()
	lines, err := o.project.Store.Journal(o.journal.next(state.Seq))
	if err != nil {
		o.notices.once(err.Error())
		return
	}
	for _, line := range lines {
		o.handleLine(line)
	}
	o.journal.add(lines)
}

// relock takes the lock of a .ferrus that is not the one it was taken in: that was
// removed, and another is in its place.
func (o *observed) relock() error {
	pid, held, err := o.project.Store.Holder(project.ConductorLock)
	switch {
	case err != nil:
		return err
	case held && pid != os.Getpid():
		return fmt.Errorf("process %d conducts this project now: quit this one, or stop that", pid)
	case held:
		return nil
	}
	lock, err := o.project.Store.TryLock(project.ConductorLock)
	if err != nil {
		return err
	}
	old := o.lock
	o.lock = lock
	return old.Close()
}

func (o *observed) readTexts() {
	for name, into := range map[string]*string{
		core.TaskText: &o.texts.Task, core.QuestionText: &o.texts.Question, core.ConsultRequestText: &o.texts.Consult,
		core.ReviewText: &o.texts.Review, core.SubmissionText: &o.texts.Submission,
	} {
		text, err := o.project.Store.ReadText(o.state, name)
		if err != nil {
			o.notices.once(err.Error())
			continue
		}
		*into = text
	}
}

// readSpec takes in which specification was written last. One that is gone is none.
func (o *observed) readSpec() {
	o.spec = ""
	data, err := o.project.Store.ReadFile(project.LastSpec)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.notices.once(err.Error())
	}
	name := strings.TrimSpace(string(data))
	if !filepath.IsLocal(name) {
		return
	}
	if info, err := os.Stat(filepath.Join(o.project.Dir, name)); err == nil && info.Mode().IsRegular() {
		o.spec = name
	}
}

// fault is what the human must know of the disk; empty: it is well.
func (o *observed) fault() string {
	if o.problem == "" && o.writeError != nil {
		return "nothing can be written, so nothing is started: " + o.writeError.Error()
	}
	return o.problem
}

// unwritable reports an error that is the disk's and not the caller's.
func (o *observed) unwritable(err error) bool {
	if slices.ContainsFunc(diskFaults, func(one error) bool { return errors.Is(err, one) }) {
		return true
	}
	var at *fs.PathError
	return errors.Is(err, fs.ErrPermission) && errors.As(err, &at) && strings.HasPrefix(at.Path, o.project.Store.Path())
}

// reportError shows an error. One of the disk is kept, and what it kept from being
// written is tried again until it can be.
func (o *observed) reportError(err error) {
	if !o.unwritable(err) {
		o.notices.once(err.Error())
		return
	}
	if o.writeError == nil {
		o.loop.After(diskRetry, o.tryAgain)
	}
	o.writeError = err
}

func (o *observed) tryAgain() {
	if o.writeError != nil {
		o.writeError = nil
		o.retry()
	}
}

// do gives a command as ferrus itself, about the session of command.By if it names
// one. A refusal means that the state has moved on, which the next turn of the loop
// sees; anything else is shown.
func (o *observed) do(command core.Command) bool {
	command.By = core.Actor{Role: machine.Ferrus, ID: "ferrus", Session: command.By.Session}
	_, err := o.project.Do(o.loop.Context, store.Call{}, command)
	if err != nil && !machine.IsRefusal(err) {
		o.reportError(err)
	}
	o.reload()
	return err == nil
}

// hold puts the task on hold until the human resumes it.
func (o *observed) hold(reason, because string) {
	if o.world().Hold == nil {
		o.do(core.Command{Kind: core.KindHold, Text: reason, Because: because})
	}
}
