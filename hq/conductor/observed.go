package conductor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ferrus/hq/conductor/journal"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/diskfault"
)

// diskRetry is how long the conductor waits before it tries to write again.
const diskRetry = 2 * time.Second

// observed is what the conductor last read from disk, and the one way in which the
// conductor itself changes it. The loop owns it, but for the cache.
type observed struct {
	project    *project.Task
	loop       *session.Loop
	notices    *notice.List
	lock       *store.Lock       // the conductor's
	handleLine func(store.Entry) // gets each new line of the journal
	retry      func()            // writes again what the disk refused
	owed       *core.Command     // a hold that is in force, but could not be recorded; nil: there is none
	diskState
}

// diskState is what was read last. Nothing is started while either error is set; sessions
// run on.
type diskState struct {
	state      store.State[core.World]
	problem    string // why the state cannot be read; the last good one stays
	damage     error  // what is wrong with the record, whether the state can be read or not; nil: nothing is known
	writeError error  // why nothing can be written; nil: the last write succeeded
	texts      Texts
	cache      journal.Cache // texts that events wrote
	journal    journal.Tail
	file       fs.FileInfo // of the journal when it was read; nil: there is none
	spec       string      // the newest spec, below the project; empty: there is none
}

// world returns the state of the task.
func (o *observed) world() *core.World { return &o.state.World }

// reload reads what is on disk now. If that fails, the last good state stays. It reads the
// journal and the texts only when the state has changed, and hands each new line to
// handleLine.
func (o *observed) reload() {
	state, err := o.project.World()
	if err == nil && o.damage != nil {
		o.damage = o.project.Store.Verify(o.loop.Context)
		err = o.damage
	}
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
		o.journal.Lines = nil // another .ferrus took the place of the previous one
	}
	if state.Seq == before && o.journal.Lines != nil {
		o.verifyTouched()
		return
	}
	o.file, _ = o.project.Store.JournalInfo() // Verify says what is wrong with it.
	o.readTexts()
	o.cache.Add(o.project, state)
	o.readSpec()
	lines, err := o.project.Store.Journal(o.journal.Next(state.Seq))
	if err != nil {
		o.notices.AddOnce(err.Error())
		return
	}
	for _, line := range lines {
		o.handleLine(line)
	}
	o.journal.Add(lines)
}

// verifyTouched compares the whole record if its journal was changed without a change of the state.
func (o *observed) verifyTouched() {
	before := o.file
	now, err := o.project.Store.JournalInfo()
	o.file = now
	if before == nil || err == nil && (now.Size() > before.Size() ||
		now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())) {
		return // A line more may be of a state that is being written.
	}
	o.verified(o.project.Store.Verify(o.loop.Context))
}

// relock takes the lock again if .ferrus was removed and another one is in its place: the
// lock that we hold is in the removed one.
func (o *observed) relock() error {
	pid, held, err := o.project.Store.Holder(project.ConductorLock)
	switch {
	case err != nil:
		return err
	case held && pid != os.Getpid():
		return fmt.Errorf("process %d is running this project: quit this HQ, or stop that process", pid)
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

// readTexts reads the texts that the screen shows.
func (o *observed) readTexts() {
	for name, into := range map[string]*string{
		core.TaskText: &o.texts.Task, core.QuestionText: &o.texts.Question, core.ConsultRequestText: &o.texts.Consult,
		core.ReviewText: &o.texts.Review, core.SubmissionText: &o.texts.Submission,
	} {
		text, err := o.project.Store.ReadText(o.state, name)
		if err != nil {
			o.notices.AddOnce(err.Error())
			continue
		}
		*into = text
	}
}

// readSpec reads which spec was written last. One that was deleted counts as none.
func (o *observed) readSpec() {
	o.spec = ""
	data, err := o.project.Store.ReadFile(project.LastSpec)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.notices.AddOnce(err.Error())
	}
	name := strings.TrimSpace(string(data))
	if !filepath.IsLocal(name) {
		return
	}
	if info, err := os.Stat(filepath.Join(o.project.Dir, name)); err == nil && info.Mode().IsRegular() {
		o.spec = name
	}
}

// fault returns what the human must know of the disk; empty: it works.
func (o *observed) fault() string {
	if o.problem == "" && o.writeError != nil {
		words := "nothing can be written, so nothing starts: " + notice.OneLine(o.writeError.Error())
		if fix := diskfault.Fix(o.writeError); fix != "" {
			words += "; " + fix
		}
		return words
	}
	return notice.OneLine(o.problem)
}

// announceDecision sends what a human decided to the other terminals.
func (o *observed) announceDecision(e store.Entry) {
	if !journal.IsDecision(machine.Kind(e.Event)) || !core.IsHuman(e.By) || o.journal.Lines == nil {
		return
	}
	o.notices.AddBy(cmp.Or(e.Via, o.project.Via), journal.DescribeDecision(e))
}

// verified takes what a comparison of the whole record found.
func (o *observed) verified(err error) {
	if isDamage(err) {
		o.reportError(err)
	}
	if why := o.project.Store.HeadProblem(); why != "" {
		o.notices.AddOnce("the head of the record cannot be saved outside the project: " + why)
	}
}

// moved returns how the project came here, if you have not said that it is right; else empty.
func (o *observed) moved() string {
	at := new(*store.PlaceError)
	if !errors.As(o.damage, at) {
		return ""
	}
	return (*at).Why
}

// isDamage reports an error that says that the record is not what ferrus wrote.
func isDamage(err error) bool {
	return errors.As(err, new(*store.DamagedError)) || errors.As(err, new(*store.PlaceError))
}

// unwritable reports an error that is the disk's and not the caller's.
func (o *observed) unwritable(err error) bool {
	if diskfault.Is(err) || errors.Is(err, store.ErrNone) || errors.As(err, new(*store.ReplacedError)) {
		return true
	}
	name := ""
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		name = at.Path
	} else if moved := (*os.LinkError)(nil); errors.As(err, &moved) {
		name = moved.New
	}
	return strings.HasPrefix(name, o.project.Store.Path()) &&
		slices.ContainsFunc(unlike, func(one error) bool { return errors.Is(err, one) })
}

// unlike are the errors of a file or a directory below .ferrus whose mode or kind is not what it was.
var unlike = []error{fs.ErrPermission, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP}

// reportError shows an error. A disk error is kept instead, and retry is called until the
// disk takes writes again.
func (o *observed) reportError(err error) {
	if isDamage(err) {
		if o.damage == nil {
			o.loop.After(diskRetry, o.verifyAgain)
		}
		o.damage, o.problem = err, err.Error()
		return
	}
	if !o.unwritable(err) {
		o.notices.AddOnce(err.Error())
		return
	}
	if o.writeError == nil {
		o.loop.After(diskRetry, o.tryAgain)
	}
	o.writeError = err
}

// verifyAgain is reportError's timer for a damaged record: what repairs it may send no notice.
func (o *observed) verifyAgain() {
	if o.reload(); o.damage != nil {
		o.loop.After(diskRetry, o.verifyAgain)
	}
}

// tryAgain is the timer of reportError.
func (o *observed) tryAgain() {
	if o.writeError != nil {
		o.writeError = nil
		o.retry()
	}
}

// do executes a command as ferrus itself, about the session of command.By if it names one,
// and reports success. A refusal means that the state has moved on, which the next turn of
// the loop sees; any other error is shown.
func (o *observed) do(command core.Command) bool { return o.try(command) == nil }

// try is do, with the reason.
func (o *observed) try(command core.Command) error {
	command.By = core.Actor{Role: machine.Ferrus, ID: "ferrus", Session: command.By.Session}
	_, err := o.project.Do(o.loop.Context, store.Call{}, command)
	if err != nil && !machine.IsRefusal(err) {
		o.reportError(err)
	}
	o.reload()
	return err
}

// hold puts the task on hold until the human resumes it.
func (o *observed) hold(reason, because string) {
	o.holdBy(core.Command{Kind: core.KindHold, Text: reason, Cause: because})
}

// holdBy is hold, by a command. It reports whether the hold is recorded now; one that cannot be is in force all
// the same: an agent that can write .ferrus could otherwise be started without a limit.
func (o *observed) holdBy(command core.Command) bool {
	owed := o.owed
	if o.owed = nil; o.world().Hold != nil {
		return false
	}
	err := o.try(command)
	if err != nil && !machine.IsRefusal(err) {
		if o.owed = &command; owed == nil {
			o.loop.After(diskRetry, o.recordHold)
		}
	}
	return err == nil
}

// recordHold is the timer of holdBy.
func (o *observed) recordHold() {
	if owed := o.owed; owed != nil {
		o.owed = nil
		o.holdBy(*owed)
	}
}

// held returns the state of the task, with a hold that could not be recorded.
func (o *observed) held() core.World {
	w := *o.world()
	if o.owed != nil && w.Hold == nil {
		w.Hold = &core.Hold{Reason: o.owed.Text, Cause: o.owed.Cause}
	}
	return w
}
