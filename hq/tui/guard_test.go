package tui

import (
	"context"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"ferrus/checks"
	"ferrus/hq/adopt"
	"ferrus/hq/advice"
	"ferrus/hq/comments"
	"ferrus/hq/conductor"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/hq/workflow"
	"ferrus/ui"
	"ferrus/ui/view"
)

// guard is everything that HQ reaches outside the screen. It fails the test when it is
// reached from Update.
type guard struct {
	*testing.T
	updating bool
	reached  map[string]bool
	view     conductor.View
}

func (g *guard) reach(name string) {
	if g.updating {
		g.Errorf("Update calls %s", name)
	}
	g.reached[name] = true
}

func (g *guard) View() conductor.View                       { g.reach("View"); return g.view }
func (g *guard) Updates() <-chan struct{}                   { g.reach("Updates"); return nil }
func (g *guard) Printed() <-chan struct{}                   { g.reach("Printed"); return nil }
func (g *guard) Input(core.Slot, []byte)                    { g.reach("Input") }
func (g *guard) Resize(core.Slot, int, int)                 { g.reach("Resize") }
func (g *guard) Close(bool) error                           { g.reach("Close"); return nil }
func (g *guard) Detach() error                              { g.reach("Detach"); return nil }
func (g *guard) SaveHistory(string)                         { g.reach("SaveHistory") }
func (g *guard) SaveLayout(view.SavedLayout)                { g.reach("SaveLayout") }
func (g *guard) Want(core.Request) error                    { g.reach("Want"); return nil }
func (g *guard) TakeLease(context.Context, core.Slot) error { g.reach("TakeLease"); return nil }
func (g *guard) Start(core.Slot) error                      { g.reach("Start"); return nil }
func (g *guard) Stop(context.Context) error                 { g.reach("Stop"); return nil }
func (g *guard) CheckForce(context.Context) error           { g.reach("CheckForce"); return nil }
func (g *guard) CheckCancel(context.Context) error          { g.reach("CheckCancel"); return nil }
func (g *guard) Trust(context.Context, []string) error      { g.reach("Trust"); return nil }
func (g *guard) Allow(context.Context, int, bool) error     { g.reach("Allow"); return nil }
func (g *guard) SwitchAgent(string, string) error           { g.reach("SwitchAgent"); return nil }
func (g *guard) SetModel(string, string) error              { g.reach("SetModel"); return nil }

func (g *guard) ReadEntry(uint64) (journal.Detail, error) {
	g.reach("ReadEntry")
	return journal.Detail{}, nil
}

func (g *guard) Diff(context.Context, int) (project.CommentedDiff, error) {
	g.reach("Diff")
	return project.CommentedDiff{Files: []checks.FilePatch{{Path: "a.go", Added: 1, Patch: "@@ -0,0 +1 @@\n+x\n"}}}, nil
}

func (g *guard) SaveDrafts([]comments.Draft) error { g.reach("SaveDrafts"); return nil }

func (g *guard) SendComments(context.Context, []comments.Draft, string) (comments.How, error) {
	g.reach("SendComments")
	return comments.AsMessage, nil
}

func (g *guard) WholeRequest(uint64) (string, error) {
	g.reach("WholeRequest")
	return "", nil
}

func (g *guard) Do(context.Context, core.Command) (core.Result, error) {
	g.reach("Do")
	return core.Result{}, nil
}

func (g *guard) Resume(context.Context) (string, error) { g.reach("Resume"); return "", nil }

func (g *guard) SendMessage(core.Slot, string) (string, error) {
	g.reach("SendMessage")
	return "", nil
}

func (g *guard) SwitchScreen(core.Slot) (string, error) { g.reach("SwitchScreen"); return "", nil }

func (g *guard) Pair(context.Context, pair.Request) (string, error) { g.reach("Pair"); return "", nil }

func (g *guard) LandPlan(context.Context, land.Options) (land.Plan, error) {
	g.reach("LandPlan")
	return land.Plan{}, nil
}

func (g *guard) Land(context.Context, land.Options) (land.Done, error) {
	g.reach("Land")
	return land.Done{}, nil
}

func (g *guard) Specs() ([]spec.Spec, error) {
	g.reach("Specs")
	return []spec.Spec{spec.Parse("docs/specs/cache.md", "# Cache\n\n- [ ] #1.0 Keep\n  ID: m1.0\n")}, nil
}

func (g *guard) SelectMilestone(context.Context, string, string) error {
	g.reach("SelectMilestone")
	return nil
}

func (g *guard) QueueSpec(context.Context, spec.Spec) ([]queue.Item, error) {
	g.reach("QueueSpec")
	return []queue.Item{{N: 1}}, nil
}

func (g *guard) ApproveProposed(context.Context, int) ([]queue.Item, error) {
	g.reach("ApproveProposed")
	return nil, nil
}

func (g *guard) Merges() ([]string, error) { g.reach("Merges"); return nil, nil }
func (g *guard) DecideMerge(context.Context, string, string) (string, error) {
	g.reach("DecideMerge")
	return "main", nil
}
func (g *guard) Unland(context.Context, string) (queue.Item, error) {
	g.reach("Unland")
	return queue.Item{}, nil
}
func (g *guard) LookAt(context.Context, string, adopt.Options) (adopt.Found, error) {
	g.reach("LookAt")
	return adopt.Found{Dir: "/w", Text: "Continue"}, nil
}
func (g *guard) AdoptFrom(context.Context, string, adopt.Options, string) (queue.Item, error) {
	g.reach("AdoptFrom")
	return queue.Item{}, nil
}
func (g *guard) CancelProposed(context.Context, int) error { g.reach("CancelProposed"); return nil }

func (g *guard) Rewrite(context.Context, int, string) error { g.reach("Rewrite"); return nil }

func (g *guard) Request(int) (string, error) { g.reach("Request"); return "", nil }

func (g *guard) Workflow() (workflow.Workflow, string, error) {
	g.reach("Workflow")
	return workflow.Workflow{}, "# Story", nil
}

func (g *guard) StartWorkflow(context.Context, string, string) (workflow.Workflow, error) {
	g.reach("StartWorkflow")
	return workflow.Workflow{}, nil
}

func (g *guard) Decide(context.Context, string, string) (workflow.Workflow, error) {
	g.reach("Decide")
	return workflow.Workflow{}, nil
}

func (g *guard) Workers(context.Context) (string, error) { g.reach("Workers"); return "", nil }

func (g *guard) DrainWorker(context.Context, string, bool) (string, error) {
	g.reach("DrainWorker")
	return "", nil
}

func (g *guard) Register(context.Context, string) (string, error) {
	g.reach("Register")
	return "", nil
}

func (g *guard) AnswerHost(string, advice.HostAnswer) (advice.AskedHost, error) {
	g.reach("AnswerHost")
	return advice.AskedHost{}, nil
}
func (g *guard) TaskTexts(string) (string, error) { g.reach("TaskTexts"); return "# Text", nil }

func (g *guard) Stats() (string, error) { g.reach("Stats"); return "1 task", nil }

func (g *guard) Projects(context.Context) ([]view.Project, error) {
	g.reach("Projects")
	return nil, nil
}

func (g *guard) List(context.Context) (*view.Files, error) {
	g.reach("List")
	return &view.Files{}, nil
}

func (g *guard) Attach(path string) (view.File, error) {
	g.reach("Attach")
	if path != "/tmp/shot.png" {
		return view.File{}, fs.ErrNotExist
	}
	return view.File{Name: "shot.png", Path: path, Image: true}, nil
}

func (g *guard) CheckNew(context.Context, core.Slot, string, bool) (string, error) {
	g.reach("CheckNew")
	return "", nil
}
func (g *guard) Check(core.Slot, string) (string, error) { g.reach("Check"); return "", nil }

func (g *guard) Completions() view.Completions {
	g.reach("Completions")
	return view.Completions{Runs: []view.PairRun{{ID: "p-1"}}}
}

func (g *guard) WorkIn() (string, []string, error) {
	g.reach("WorkIn")
	return "", nil, fs.ErrNotExist
}

func methodsOf[T any]() (names []string) {
	for i := range reflect.TypeFor[T]().NumMethod() {
		names = append(names, reflect.TypeFor[T]().Method(i).Name)
	}
	return names
}

// send gives the screen a message, and then the results of that message.
func (g *guard) send(screen *ui.Model, msg tea.Msg) {
	g.updating = true
	_, cmd := screen.Update(msg)
	_ = screen.View()
	g.updating = false
	g.run(screen, cmd)
}

func (g *guard) run(screen *ui.Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			g.run(screen, c)
		}
	default:
		if strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "ferrus/") {
			g.send(screen, msg)
		}
	}
}

func (g *guard) typeLine(screen *ui.Model, line string) {
	g.press(screen, "ctrl+c") // closes and clears everything
	g.send(screen, tea.PasteMsg{Content: line})
	g.press(screen, "enter", "enter", "y")
}

func (g *guard) press(screen *ui.Model, names ...string) {
	for _, name := range names {
		g.send(screen, keyMsg(name))
	}
}
