package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/hq/adopt"
	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/hq/workflow"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// fixture is a screen with the commands of HQ. It runs nothing, but records the intents.
type fixture struct {
	*testing.T
	screen *ui.Model
	wants  []intent.Intent
}

func openFixture(t *testing.T, v view.View) *fixture {
	b := &fixture{T: t}
	b.screen = ui.New(ui.Options{Commands: Table, Do: func(i intent.Intent) tea.Cmd {
		switch i.(type) {
		case intent.Resize, intent.LoadCompletions, intent.SaveHistory: // the screen's own affair
		default:
			b.wants = append(b.wants, i)
		}
		return nil
	}})
	b.send(ui.ViewMsg{View: v}, tea.WindowSizeMsg{Width: 120, Height: 40}, ui.FoundMsg{Found: v.Found})
	return b
}

func (b *fixture) send(msgs ...tea.Msg) {
	for _, msg := range msgs {
		b.screen.Update(msg)
	}
}

var named = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp},
	"down": {Code: tea.KeyDown}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+]": {Code: ']', Mod: tea.ModCtrl},
}

// press types keys by name; what has no name is typed letter by letter.
func (b *fixture) press(names ...string) {
	for _, name := range names {
		if k, ok := named[name]; ok {
			b.send(tea.KeyPressMsg(k))
			continue
		}
		for _, r := range name {
			b.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

func (b *fixture) frame() string { return ansi.Strip(b.screen.View().Content) }

func (b *fixture) shows(words ...string) {
	b.Helper()
	frame := b.frame()
	for _, w := range words {
		if !strings.Contains(frame, w) {
			b.Errorf("the screen does not show %q:\n%s", w, frame)
		}
	}
}

// wanted compares the intents since the last call.
func (b *fixture) wanted(want ...intent.Intent) {
	b.Helper()
	if fmt.Sprintf("%#v", b.wants) != fmt.Sprintf("%#v", want) {
		b.Errorf("intents\n%#v, want\n%#v", b.wants, want)
	}
	b.wants = nil
}

// running is HQ with a task that an executor works on.
func running() view.View {
	return view.View{
		Panes: []view.Pane{
			{Slot: "planner", Title: view.Title{Number: 1, Name: "supervisor", Agent: "claude-code", Status: "done"},
				Left: true, Born: 1},
			{Slot: "executor", Title: view.Title{Number: 2, Name: "executor", Agent: "codex", Status: "running"},
				Living: true, Born: 2},
		},
		Texts: view.Texts{Documents: []view.Document{{Name: "task", Text: "x"}, {Name: "submission", Text: "x"}}},
		Commands: view.Commands{
			Disabled: map[string]string{"approve": "the task is Executing, not Reviewing", "task": "a task is open"},
			Models: []view.RoleModel{
				{Role: "supervisor", Agent: "claude-code", Known: []string{"opus", "sonnet"}},
				{Role: "executor", Agent: "codex", Model: "gpt-5"},
			},
		},
	}
}

// idle is HQ in which every command is available.
func idle() view.View {
	v := running()
	v.Disabled = nil
	return v
}

// calls is the fake that all commands run on: it records its calls.
type calls struct {
	notes []string
	view  conductor.View
	specs []spec.Spec
	plan  land.Plan
	fails error         // what every call ends with
	began chan struct{} // a forced check tells of itself, and then waits to be cancelled; nil: it passes
}

func (c *calls) note(format string, args ...any) error {
	c.notes = append(c.notes, strings.TrimSpace(fmt.Sprintf(format, args...)))
	return c.fails
}

// noted compares the calls since the last one.
func (c *calls) noted(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(c.notes, want) {
		t.Errorf("asked %q, want %q", c.notes, want)
	}
	c.notes = nil
}

func newCalls() (*calls, *Env) {
	c := &calls{}
	return c, &Env{
		Viewer: c, Tasks: c, Sessions: c, Gate: c, Humans: c, Pairs: c, Landing: c, Specs: c, Workflows: c,
		Models: c, Project: c, Queue: c, Adopter: c,
	}
}

func (c *calls) View() conductor.View { return c.view }

func (c *calls) Do(_ context.Context, command core.Command) (core.Result, error) {
	err := c.note("do %s %d by %s: %s", command.Kind, command.Ticket, command.By.Role, command.Text)
	return core.Result{State: "Executing", Status: "approved"}, err
}

func (c *calls) WholeRequest(number uint64) (string, error) {
	err := c.note("whole %d", number)
	if number == 42 {
		return "", err
	}
	return "run: make\n\trm x", err
}

func (c *calls) Want(w core.Request) error {
	return c.note("want %s %s manual=%v %s", w.Kind, w.Role, w.Manual, w.Text)
}
func (c *calls) Start(slot core.Slot) error { return c.note("start %s", slot) }

func (c *calls) TakeLease(_ context.Context, slot core.Slot) error { return c.note("take %s", slot) }
func (c *calls) Resume(context.Context) (string, error) {
	return "The executor starts again", c.note("resume")
}
func (c *calls) SendMessage(slot core.Slot, text string) (string, error) {
	return "The message is left", c.note("tell %s %s", slot, text)
}
func (c *calls) SwitchScreen(slot core.Slot) (string, error) {
	return "The executor continues", c.note("screen %s", slot)
}
func (c *calls) Stop(context.Context) error { return c.note("stop") }

func (c *calls) CheckForce(ctx context.Context) error {
	if err := c.note("force"); err != nil || c.began == nil {
		return err
	}
	close(c.began)
	<-ctx.Done()
	return ctx.Err()
}
func (c *calls) CheckCancel(context.Context) error { return c.note("cancel") }
func (c *calls) Allow(_ context.Context, number int, allow bool) error {
	return c.note("allow %d %v", number, allow)
}
func (c *calls) Trust(_ context.Context, shown []string) error {
	return c.note("trust %s", strings.Join(shown, "; "))
}

func (c *calls) Pair(_ context.Context, q pair.Request) (string, error) {
	return "A pair starts", c.note("pair %s again=%v", q.Task, q.Again)
}

func (c *calls) LandPlan(_ context.Context, o land.Options) (land.Plan, error) {
	return c.plan, c.note("plan landing keep=%v", o.Keep)
}

func (c *calls) Land(_ context.Context, o land.Options) (land.Done, error) {
	return land.Done{Commit: "0123456789abcdef", Onto: "main"}, c.note("land %q keep=%v", o.Message, o.Keep)
}

func (c *calls) Specs() ([]spec.Spec, error) { return c.specs, c.fails }
func (c *calls) SelectMilestone(_ context.Context, name, milestone string) error {
	return c.note("choose %s %s", name, milestone)
}

func (c *calls) QueueSpec(_ context.Context, s spec.Spec) ([]queue.Item, error) {
	return []queue.Item{{N: 4}, {N: 5}}, c.note("queue %s", s.Path)
}

func (c *calls) ApproveProposed(_ context.Context, n int) ([]queue.Item, error) {
	return make([]queue.Item, 2), c.note("approve #%d", n)
}

func (c *calls) Merges() ([]string, error) { return []string{"main < #1"}, c.note("merges") }

func (c *calls) DecideMerge(_ context.Context, what, name string) (string, error) {
	return "main", c.note("merge %s", strings.TrimSpace(what+" "+name))
}

func (c *calls) Unland(_ context.Context, name string) (queue.Item, error) {
	return queue.Item{N: 13, Title: "Revert"}, c.note("unland %s", name)
}

func (c *calls) LookAt(_ context.Context, dir string, o adopt.Options) (adopt.Found, error) {
	return adopt.Found{Dir: "/w/fetch retry", Branch: "fetch-retry", Base: "0123456789abcdef", Target: "main",
		Commits: 2, Changes: 1, Text: "Add retry to fetch"}, c.note("look at %s %s", dir, o.Agent)
}

func (c *calls) AdoptFrom(_ context.Context, dir string, o adopt.Options, text string) (queue.Item, error) {
	return queue.Item{N: 14, Title: text}, c.note("adopt %s %s: %s", dir, o.Agent, text)
}

func (c *calls) CancelProposed(_ context.Context, n int) error { return c.note("cancel #%d", n) }

func (c *calls) Rewrite(_ context.Context, n int, text string) error {
	return c.note("rewrite #%d: %s", n, text)
}

func (c *calls) Request(n int) (string, error) { return fmt.Sprintf("# Text of %d", n), nil }

func (c *calls) Workflow() (workflow.Workflow, string, error) {
	return workflow.Workflow{Document: workflow.Document{Type: "feature"}}, "# Story", c.note("workflow")
}

func (c *calls) StartWorkflow(_ context.Context, kind, title string) (workflow.Workflow, error) {
	return workflow.Workflow{}, c.note("start workflow %s: %s", kind, title)
}

func (c *calls) Decide(_ context.Context, kind, text string) (workflow.Workflow, error) {
	return workflow.Workflow{}, c.note("decide %s: %s", kind, text)
}

func (c *calls) SetModel(role, model string) error    { return c.note("model %s %s", role, model) }
func (c *calls) SwitchAgent(role, agent string) error { return c.note("switch %s %s", role, agent) }

func (c *calls) Workers(context.Context) (string, error) { return "big\n", c.note("workers") }

func (c *calls) DrainWorker(_ context.Context, name string, drained bool) (string, error) {
	return "Drained", c.note("drain %s %v", name, drained)
}

func (c *calls) Register(_ context.Context, flags string) (string, error) {
	return "Registered", c.note("register %s", flags)
}

func (c *calls) AnswerHost(host string, answer advice.HostAnswer) (advice.AskedHost, error) {
	return advice.AskedHost{Host: host, Answer: answer}, c.note("host %s %s", host, answer)
}

func (c *calls) Stats() (string, error) { return "1 task\n", nil }

func (c *calls) TaskTexts(id string) (string, error) {
	if id != "t-1" {
		return "", errors.New("there is no task " + id)
	}
	return "# Its text", nil
}

func (c *calls) Projects(context.Context) ([]view.Project, error) {
	return []view.Project{{Dir: "/src/web", Name: "~/web", Words: "Executing  needs you: question"},
		{Dir: "/src/api", Name: "~/api", Words: "Idle", Here: true}}, c.note("projects")
}

func (c *calls) List(context.Context) (*view.Files, error) { return &view.Files{}, c.fails }
func (c *calls) Attach(path string) (view.File, error)     { return view.File{Path: path}, c.fails }
func (c *calls) Check(_ core.Slot, text string) (string, error) {
	if strings.Contains(text, "@shot.png") {
		return "", errors.New("it takes no images")
	}
	if _, missing, gone := strings.Cut(text, "@gone "); gone {
		return "not found, and sent as text: " + missing, nil
	}
	return "", nil
}

func (c *calls) CheckNew(_ context.Context, slot core.Slot, text string, starts bool) (string, error) {
	note, err := c.Check(slot, text)
	if starts && strings.Contains(text, "@mine") {
		note = "not committed: mine"
	}
	return note, err
}

func (c *calls) Completions() view.Completions {
	return view.Completions{Runs: []view.PairRun{{ID: "p-2", Status: "running"},
		{ID: "p-1", Status: "completed", Over: true}}}
}
