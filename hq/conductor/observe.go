package conductor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// How many lines of the journal the screen gets, and how many of them it gets at
// once: more than it shows before somebody scrolls.
const (
	journalKept   = 500
	journalGlance = 60
)

// reload takes in what is on the disk now. When it cannot be read the last good
// state stays, and nothing is started until it can.
func (c *Conductor) reload() {
	state, err := c.project.World()
	if err == nil && c.problem != "" {
		err = c.relock()
	}
	if err != nil {
		c.problem = err.Error()
		return
	}
	c.problem = ""
	before := c.state.Seq
	c.state = state
	if state.Seq < before {
		c.journal = nil // another .ferrus is in the place of the one before
	}
	if state.Seq == before && c.journal != nil {
		return
	}
	c.readTexts()
	c.keepTexts(state)
	c.readSpec()
	lines, err := c.project.Store.Journal(c.journalFrom())
	if err != nil {
		c.once(err.Error())
		return
	}
	for _, line := range lines {
		c.witness(line.Session, line.Event)
		c.gateEnded(line)
		c.repeated.witness(line)
	}
	if c.journal == nil {
		c.glanced = true
	}
	c.journal = append(c.journal, lines...)
	if extra := len(c.journal) - journalKept; extra > 0 {
		c.journal = append(c.journal[:0:0], c.journal[extra:]...)
	}
}

// readOlder takes in what comes before the lines that the first look at a journal
// found. It is for the loop: the first picture does not wait for it.
func (c *Conductor) readOlder() {
	if !c.glanced {
		return
	}
	c.glanced = false
	if len(c.journal) > 0 && c.journal[0].Seq > 1 {
		lines, err := c.project.Store.Journal(max(c.state.Seq, journalKept) - journalKept)
		if err != nil {
			c.once(err.Error())
		}
		known := func(l store.Line) bool { return l.Seq >= c.journal[0].Seq }
		c.journal = append(slices.DeleteFunc(lines, known), c.journal...)
	}
	c.repeated = repetition{}
	for _, line := range c.journal {
		c.witness(line.Session, line.Event)
		c.repeated.witness(line)
	}
}

// configure takes in ferrus.toml as it is now. A broken edit is shown and the
// last good one kept.
func (c *Conductor) configure() {
	cfg, err := c.project.Config()
	if err != nil {
		c.once(err.Error())
		c.broken = err.Error()
		return
	}
	c.config, c.broken = cfg, ""
	c.gate.trust(c.untrusted())
}

// untrusted are the check commands that nobody let run on this machine.
func (c *Conductor) untrusted() []string {
	all, err := c.project.Untrusted(c.state.World)
	if err != nil {
		c.once(err.Error())
		return nil
	}
	var lines []string
	for _, d := range all {
		lines = append(lines, d.Lines()...)
	}
	return lines
}

// Trust lets the commands run that were shown, and goes on where the want of
// trust held the task.
func (c *Conductor) Trust(ctx context.Context, shown []string) error {
	state, err := c.project.World()
	if err != nil {
		return err
	}
	all, err := c.project.Untrusted(state.World)
	if err != nil {
		return err
	}
	var lines []string
	for _, d := range all {
		lines = append(lines, d.Lines()...)
	}
	if !slices.Equal(lines, shown) {
		c.ask(c.configure)
		return errors.New("the check commands have changed: look at them again")
	}
	if err := c.project.Trust(all...); err != nil {
		return err
	}
	c.ask(c.configure)
	if hold := state.World.Hold; hold != nil && hold.Reason == "unproven" {
		_, err = c.Do(ctx, core.Command{Kind: "resume", Text: "unproven"})
	}
	return err
}

// journalFrom is the seq after which lines are not known yet.
func (c *Conductor) journalFrom() uint64 {
	if n := len(c.journal); n > 0 {
		return c.journal[n-1].Seq
	}
	return max(c.state.Seq, journalGlance) - journalGlance
}

// once shows a problem unless it is the one shown last.
func (c *Conductor) once(text string) {
	if n := len(c.notices); n > 0 && c.notices[n-1].Text == text {
		return
	}
	c.notice(true, "%s", text)
}

func (c *Conductor) readTexts() {
	for name, into := range map[string]*string{
		core.TaskText: &c.texts.Task, core.QuestionText: &c.texts.Question, core.ConsultRequestText: &c.texts.Consult,
		core.ReviewText: &c.texts.Review, core.SubmissionText: &c.texts.Submission,
	} {
		text, err := c.project.Store.Text(c.state, name)
		if err != nil {
			c.once(err.Error())
			continue
		}
		*into = text
	}
}

// readSpec takes in which specification was written last. One that is gone is none.
func (c *Conductor) readSpec() {
	c.spec = ""
	data, err := c.project.Store.ReadFile(project.LastSpec)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.once(err.Error())
	}
	name := strings.TrimSpace(string(data))
	if !filepath.IsLocal(name) {
		return
	}
	if info, err := os.Stat(filepath.Join(c.project.Dir, name)); err == nil && info.Mode().IsRegular() {
		c.spec = name
	}
}

// publish makes a view of this turn for whoever draws.
func (c *Conductor) publish() {
	v := View{
		Project: c.project.Dir, State: c.state, Texts: c.texts, Options: core.OpenTransitions(c.state.World),
		Limits:  core.Limits{CheckRetries: c.config.Limits.MaxCheckRetries, ReviewCycles: c.config.Limits.MaxReviewCycles},
		Journal: c.journal[:len(c.journal):len(c.journal)], Notices: c.notices[:len(c.notices):len(c.notices)],
		StateError: c.trouble(), Branch: c.branch, Spec: c.spec, Tethered: c.options.Tethered, Daemons: c.daemons,
	}
	c.count()
	v.Sessions, v.Used = c.account.sessions[:len(c.account.sessions):len(c.account.sessions)], c.account.used
	for _, name := range core.Slots {
		if s := c.slots[name]; s != nil && s.terminal != nil {
			v.Panes = append(v.Panes, s.pane())
		}
	}
	v.ConfigError = c.broken
	v.Refused = c.refused.all[:len(c.refused.all):len(c.refused.all)]
	v.Workflow, v.Next, v.Story = c.flow.current, c.flow.next, c.flow.lines[:len(c.flow.lines):len(c.flow.lines)]
	c.view.Store(&v)
	c.poke()
}

func isRefusal(err error) bool {
	var refusal *machine.Refusal
	return errors.As(err, &refusal)
}

// stamp is now, without a monotonic part that would not survive a file.
func stamp() time.Time { return time.Now().UTC().Round(0) }
