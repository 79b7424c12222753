package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/tui/tty"
	"ferrus/store"
	"ferrus/ui"
	"ferrus/ui/style"
)

// openOrSetUp opens the project for HQ. If there is none it shows the setup screen, and
// returns what to commit then; pr is nil if you left without setting up.
func openOrSetUp(ctx context.Context, std *streams) (pr *project.Task, advice string, err error) {
	pr, _, err = openValid()
	unset := errors.Is(err, project.ErrNone) || errors.Is(err, store.ErrNone)
	if !unset || os.Getenv(project.ProjectEnv) != "" || os.Getenv("FERRUS_NONCE") != "" {
		return pr, "", err // An agent sets nothing up for you.
	}
	dir, err := setupDir()
	if err != nil {
		return nil, "", err
	}
	g := &setupGuide{initialization: &initialization{streams: std, dir: dir}, ctx: ctx}
	if open, err := g.run(); err != nil || !open {
		return nil, "", err
	}
	pr, c, err := openValid()
	if err != nil {
		return nil, "", err
	}
	advice, err = commitAdvice(ctx, dir, c.Agents.Path)
	return pr, advice, err
}

// setupDir returns the directory to set up: the one with ferrus.toml, else the root of the
// repository.
func setupDir() (string, error) {
	if dir, err := findProject(); err == nil {
		return dir, requireRepository(dir)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("set up ferrus: %w", err)
	}
	if err := requireRepository(here); err != nil {
		return "", err
	}
	root, err := git.In(here).Output(context.Background(), "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("find the root of the repository: %w", err)
	}
	return filepath.FromSlash(root), nil
}

// setupGuide is the setup screen of a first run.
type setupGuide struct {
	*initialization
	ctx       context.Context
	agents    defaultAgents
	existing  string // ferrus.toml, if there is one
	untrusted []core.Definition
	project   *project.Task
}

// run shows the screen. It returns whether HQ should open.
func (g *setupGuide) run() (open bool, err error) {
	proposal, err := g.proposal()
	if err != nil {
		return false, err
	}
	proposal.Terminal = style.TerminalOf(os.Getenv)
	setup := ui.NewSetup(proposal)
	if err := tty.RunProgram(g.ctx, setup); err != nil {
		return false, fmt.Errorf("show the setup: %w", err)
	}
	switch {
	case setup.Err != nil:
		return false, setup.Err
	case setup.End == ui.SetupDemo:
		return false, g.showDemo()
	case setup.End == ui.SetupLeft:
		fmt.Fprintln(g.out, "nothing changed; ferrus asks again the next time you start it here")
	case setup.End == ui.SetupStopped:
		fmt.Fprintln(g.out, "ferrus is set up in", oneLine(g.dir))
	}
	return setup.End == ui.SetupReady, nil
}

// showDemo shows the demo instead of setting anything up.
func (g *setupGuide) showDemo() error {
	d := &demonstration{streams: g.streams, speed: -1}
	if err := d.run(g.ctx); err != nil {
		return err
	}
	fmt.Fprintln(g.out, "nothing was set up in", g.dir)
	return nil
}

func (g *setupGuide) proposal() (ui.Proposal, error) {
	g.agents, g.skills = chooseAgents(), config.Default().Agents.Path
	p := ui.Proposal{
		Where: g.dir, Now: time.Now,
		Choice: ui.SetupChoice{Supervisor: g.agents.supervisor, Executor: g.agents.executor,
			Checks: proposeInstalled(g.dir, io.Discard)},
		File: g.configText, Write: g.write, Trust: g.trust,
	}
	for _, a := range g.agents.all {
		p.Agents = append(p.Agents, ui.SetupAgent{Name: a.name, Missing: a.missing, Get: a.install})
	}
	c, err := config.Load(g.dir, agentNames(), keyActions()...)
	if errors.Is(err, config.ErrNone) {
		return p, nil
	} else if err != nil {
		return p, err
	}
	text, err := regular.Read(filepath.Join(g.dir, config.File), 1<<20)
	if err != nil {
		return p, fmt.Errorf("read %s: %w", config.File, err)
	}
	g.existing, p.Kept = string(text), true
	p.Choice = ui.SetupChoice{Supervisor: c.HQ.Supervisor.Agent, Executor: c.HQ.Executor.Agent,
		Checks: project.GateDefinition(c).Lines()}
	return p, nil
}

// configText returns the ferrus.toml that would be written.
func (g *setupGuide) configText(c ui.SetupChoice) string {
	if g.existing != "" {
		return g.existing
	}
	agents := g.agents
	agents.supervisor, agents.executor = c.Supervisor, c.Executor
	return config.Template(config.Proposal{Agents: agents.names(), Skills: g.skills, Checks: c.Checks,
		Setup: config.ProposeSetup(g.dir), Worktree: hasCommit(g.dir)})
}

// write sets up ferrus and returns the commands that are not trusted yet.
func (g *setupGuide) write(choice ui.SetupChoice) (ask []string, err error) {
	text := g.configText(choice)
	c, err := config.Parse([]byte(text), agentNames())
	if err != nil {
		return nil, err
	}
	if err := g.scaffold(g.ctx, text, c); err != nil {
		return nil, err
	}
	if g.project, err = openAt(g.dir); err != nil {
		return nil, err
	}
	if g.untrusted, err = untrustedChecks(g.streams, g.project); err != nil {
		return nil, err
	}
	for _, d := range g.untrusted {
		ask = append(ask, d.Lines()...)
	}
	return ask, nil
}

// trust trusts the commands that were shown.
func (g *setupGuide) trust() error { return g.project.Trust(g.untrusted...) }
