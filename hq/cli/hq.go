package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/advice"
	"ferrus/hq/comments"
	"ferrus/hq/conductor"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/guest"
	"ferrus/hq/human"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/register"
	"ferrus/hq/scheduler"
	"ferrus/hq/tui"
	"ferrus/hq/tui/slash"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// openHQ opens HQ for the project that encloses the working directory.
func openHQ(ctx context.Context, std *streams, debug bool) error {
	return openHQAfter(ctx, std, debug, nil)
}

// openHQAfter opens HQ in the place of one that has ended, if any.
func openHQAfter(ctx context.Context, std *streams, debug bool, ended *store.LockedError) error {
	if err := std.requireTerminal(os.Getenv("TERM")); err != nil {
		return err
	}
	pr, advice, err := openOrSetUp(ctx, std)
	if err != nil || pr == nil {
		return err
	}
	if err := pair.KillLeftovers(pr); err != nil {
		return err
	}
	process.Protect() // it holds the secrets of its sessions
	pr.Via = "HQ, " + human.Self()
	log, closeLog, err := openDebugLog(std, pr, debug)
	if err != nil {
		return err
	}
	defer closeLog()
	guests := make(chan tui.Client)
	admit := func(ctx context.Context, g guest.Guest) { serveGuest(ctx, g, guests) }
	conductor, err := startAfter(ctx, pr, conductor.Options{Debug: log, Notice: advice}, admit, ended)
	if held := (*store.LockedError)(nil); errors.As(err, &held) && held.Name == project.ConductorLock {
		opens, err := attachHQ(ctx, std, pr, held)
		if err != nil || !opens {
			return err
		}
		return openHQAfter(ctx, std, debug, held)
	}
	if err != nil {
		return err
	}
	return runHQ(ctx, std, pr, conductor, guests)
}

// A process that ends closes its sockets before its locks: lockPatience is how long its lock is
// waited for.
const (
	lockPatience = 10 * time.Second
	lockRetry    = 20 * time.Millisecond
)

// startAfter starts a conductor, once the process that has ended has released its lock.
func startAfter(
	ctx context.Context, pr *project.Task, o conductor.Options, admit func(context.Context, guest.Guest),
	ended *store.LockedError,
) (c *scheduler.Scheduler, err error) {
	for waited := time.Duration(0); ; waited += lockRetry {
		c, err = scheduler.Start(ctx, pr, o, admit)
		held := (*store.LockedError)(nil)
		if ended == nil || waited >= lockPatience || !errors.As(err, &held) || held.PID != ended.PID {
			return c, err
		}
		time.Sleep(lockRetry)
	}
}

// idleMark is set by tests that look at the screen; see [tui.Options].
var idleMark func(read int64) string

// garbage is how much memory of HQ may be garbage, in percent of what it uses: a flood leaves as much of it behind, and
// HQ is open all day. With less, a small HQ collects several times a second while you type: each time with all
// processors, and a key waits for them.
const garbage = 100

// leastProcs is how many goroutines of HQ run at the same time, also with fewer cores. One that is busy keeps its
// place for 10 ms, in which a key that has arrived would wait; the system shares the cores more finely.
const leastProcs = 8

// runHQ runs HQ until you quit; HQ closes the conductor.
func runHQ(ctx context.Context, std *streams, pr *project.Task, c *scheduler.Scheduler, guests chan tui.Client) error {
	typed, err := loadHistory(pr)
	if err != nil {
		return errors.Join(err, c.Close(false))
	}
	c.RecoverPair()
	defer admitClients(ctx, pr, c, guests)()
	runsOn(garbage)
	runtime.GOMAXPROCS(max(leastProcs, runtime.NumCPU()))
	s := scheduler.Select(c)
	return tui.Run(ctx, tui.Options{
		Engine:   s,
		Commands: commandsOf(s, pr),
		History:  typed,
		Layout:   loadLayout(pr),
		Memory:   hqMemory{pr},
		Settings: func(pin *core.Pin) tui.Settings { return hqSettings(pr, pin) },
		Via:      pr.Via,
		Clients:  guests,
		Another: func() tui.Screen {
			own, leave := s.Another()
			return tui.Screen{Engine: own, Commands: commandsOf(own, pr), Leave: leave}
		},
		IdleMark: idleMark,
	})
}

// commandsOf returns what the commands of a screen work with.
func commandsOf(s *scheduler.Selection, pr *project.Task) *slash.Env {
	return &slash.Env{
		Viewer: s, Tasks: s, Sessions: s, Gate: s, Humans: s, Landing: s, Specs: s, Workflows: s, Models: s,
		Pairs: s, Project: hqProject{hqFiles{s.Selected}, pr, s}, Comments: hqComments{s.Selected},
		Queue: s, Adopter: s,
	}
}

// hqProject is what HQ's commands need of the project beside its conductor.
type hqProject struct {
	hqFiles
	project   *project.Task
	selection *scheduler.Selection
}

// Workers lists the workers.
func (p hqProject) Workers(ctx context.Context) (string, error) {
	var lines strings.Builder
	err := listWorkers(ctx, &lines, p.project)
	return lines.String(), err
}

// DrainWorker stops giving tasks to a worker, or starts again.
func (p hqProject) DrainWorker(ctx context.Context, name string, drained bool) (string, error) {
	return drainWorker(ctx, p.project, name, drained)
}

// Register sets agents up as the flags of ferrus register say.
func (p hqProject) Register(ctx context.Context, flags string) (string, error) {
	return registerLine(ctx, flags)
}

// TaskTexts returns the texts of a task as Markdown.
func (p hqProject) TaskTexts(id string) (string, error) { return taskMarkdown(p.project, id) }

// Stats adds up what tasks took.
func (p hqProject) Stats() (string, error) {
	r, err := readStats(p.project, time.Time{}, time.Now())
	var b strings.Builder
	if err == nil {
		printStats(&b, r, 0)
	}
	return b.String(), err
}

// AnswerHost says whether programs in the sandbox may reach a host.
func (p hqProject) AnswerHost(host string, answer advice.HostAnswer) (advice.AskedHost, error) {
	return p.selection.AnswerHost(host, answer)
}

// Completions returns what HQ's commands are completed with.
func (p hqProject) Completions() view.Completions { return hqCompletions(p.project) }

// hqComments keeps and sends your comments on the change of the selected task.
type hqComments struct{ task func() *project.Task }

// SaveDrafts keeps the comments that were not sent.
func (c hqComments) SaveDrafts(all []comments.Draft) error { return c.task().SaveDrafts(all) }

// SendComments sends a round, and keeps no drafts then.
func (c hqComments) SendComments(ctx context.Context, all []comments.Draft, note string) (comments.How, error) {
	of := c.task()
	how, _, err := of.SendComments(ctx, all, note)
	if err != nil {
		return how, err
	}
	return how, of.SaveDrafts(nil)
}

// hqMemory keeps what you did in HQ for the next one.
type hqMemory struct{ project *project.Task }

// SaveHistory saves a line of the prompt.
func (m hqMemory) SaveHistory(line string) { appendHistory(m.project, line) }

// SaveLayout saves the layout.
func (m hqMemory) SaveLayout(layout view.SavedLayout) { saveLayout(m.project, layout) }

// hqSettings returns what ferrus.toml says about HQ. A task that has pinned agents has its own.
func hqSettings(pr *project.Task, pin *core.Pin) tui.Settings {
	c, _ := pr.Config() // the conductor reports a broken file
	model := func(role machine.Role, r config.RoleConfig) view.RoleModel {
		now := view.RoleModel{Role: string(role), Agent: r.Agent, Model: r.Model}
		if pin != nil {
			now.Agent, now.Model = pin.Of(role).Agent, pin.Of(role).Model
		}
		now.Known = agent.Models(now.Agent)
		return now
	}
	return tui.Settings{
		Agents: register.Names(), Notify: c.HQ.Notify.Terminal,
		Preferences: view.Preferences{
			Keys: c.Keys, Theme: style.Choice{Name: c.HQ.Theme, Colors: c.HQ.Colors}, Talk: c.HQ.Talk,
			Vi: c.HQ.KeyPreset == "vi",
		},
		Models: []view.RoleModel{model(machine.Supervisor, c.HQ.Supervisor), model(machine.Executor, c.HQ.Executor)},
	}
}

// screenFile has the layout of HQ in this project.
const screenFile = "screen.json"

// loadLayout returns the saved layout; a file that cannot be read is none.
func loadLayout(pr *project.Task) (k view.SavedLayout) {
	if data, err := pr.Store.ReadFile(screenFile); err == nil && json.Unmarshal(data, &k) != nil {
		return view.SavedLayout{}
	}
	return k
}

// saveLayout saves the layout. A failure is not worth a message.
func saveLayout(pr *project.Task, k view.SavedLayout) {
	if data, err := json.Marshal(k); err == nil {
		_ = pr.Store.WriteFile(screenFile, append(data, '\n'))
	}
}

// historyFile has what was typed at the prompt of this project, oldest first: one
// quoted line for each, because a prompt may have several.
const (
	historyFile = "history"
	maxHistory  = 500
)

func loadHistory(pr *project.Task) ([]string, error) {
	data, err := pr.Store.ReadFile(historyFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the prompt's history: %w", err)
	}
	var all []string
	for quoted := range strings.Lines(string(data)) {
		if line, err := strconv.Unquote(strings.TrimSpace(quoted)); err == nil {
			all = append(all, line)
		}
	}
	if len(all) < 2*maxHistory {
		return all, nil
	}
	all = all[len(all)-maxHistory:]
	var b strings.Builder
	for _, line := range all {
		b.WriteString(strconv.Quote(line) + "\n")
	}
	return all, pr.Store.WriteFile(historyFile, []byte(b.String()))
}

// appendHistory saves a line. A failure is not worth a message.
func appendHistory(pr *project.Task, line string) {
	f, err := pr.Store.Append(historyFile)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // as above
	_, _ = f.WriteString(strconv.Quote(line) + "\n")
}
