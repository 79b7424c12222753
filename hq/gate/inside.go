package gate

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/proxy"
	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/checks/lane"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// inside is how the commands of one definition are isolated.
type inside struct {
	walls   map[string]sandbox.Walls // by the network
	outside map[string]*sandbox.Proxy
	core.Sandbox
	env     []string // of [checks]
	project string   // a directory of the files that sessions change
	protect []string // parts of what may be written
}

// brief returns walls for a record: what was found, without what was tried.
func brief(w sandbox.Walls) sandbox.Walls {
	w.Findings = nil
	return w
}

// enclose finds the walls for the commands of a definition. Where they are weaker than
// asked for, the log says why.
func enclose(ctx context.Context, p *project.Task, d core.Definition, ask func(string) bool,
	log io.Writer) (inside, error) {
	rules := gateRules(d, ask)
	if ask == nil {
		rules.Ask = func(host string) bool { return p.Reaches("the gate", host) }
		rules.Refused = p.Refuses
	}
	in := inside{Sandbox: d.Sandbox, env: d.Env, project: p.Top(), walls: map[string]sandbox.Walls{},
		outside: map[string]*sandbox.Proxy{}}
	for _, network := range []string{d.Sandbox.Network, d.Sandbox.SetupNetwork} {
		w, err := sandbox.Recent(ctx, sandbox.Mode(d.Sandbox.Mode), sandbox.Network(network))
		if err != nil {
			return in, fmt.Errorf("%w; %s", err, sandbox.Cure(err))
		}
		if in.walls[network] = w; in.outside[network] != nil {
			continue
		}
		if in.outside[network], err = w.StartProxy(rules); err != nil {
			in.close()
			return in, err
		}
	}
	if w := in.walls[d.Sandbox.Network]; w.Kind != "" {
		fmt.Fprintf(log, "=== sandbox: %s\n", w.Describe()) //nolint:errcheck // the record says the same
	}
	return in, nil
}

// findWalls finds the walls for the commands of a definition while the caller prepares what they run on. What
// needs them reports what went wrong.
func findWalls(ctx context.Context, d core.Definition) {
	for _, network := range []string{d.Sandbox.Network, d.Sandbox.SetupNetwork} {
		_, _ = sandbox.Recent(ctx, sandbox.Mode(d.Sandbox.Mode), sandbox.Network(network))
	}
}

// close ends the proxies.
func (in inside) close() {
	for _, p := range in.outside {
		p.Close()
	}
}

// gateRules return what the proxy of a gate reaches: registries of packages and what the definition
// names.
func gateRules(d core.Definition, ask func(string) bool) proxy.Rules {
	return proxy.Rules{Hosts: slices.Concat(proxy.Registries, d.Sandbox.Hosts), Ports: d.Sandbox.Ports, Ask: ask}
}

// wrap returns what starts a command inside; nil without walls.
func (in inside) wrap(l lane.Lane, place *lane.Place, network string) func(argv ...string) ([]string, error) {
	return in.command(network, l.Writable(), place.Objects)
}

// command returns the function that starts a command inside. The command may write and
// read some trees besides the definition's. It is nil without walls.
func (in inside) command(network string, write, read []string) func(argv ...string) ([]string, error) {
	w := in.walls[network]
	if w.Kind == "" || w.Kind == sandbox.None {
		return nil
	}
	home, _ := os.UserHomeDir() // Without one the variables count.
	tools, _ := sandbox.Toolchains(home, os.Environ())
	policy := sandbox.Policy{
		Write: slices.Concat(write, in.Write, in.caches()), Read: slices.Concat(tools, read, in.Read),
		Shared: []string{in.project}, Protect: in.protect, Sockets: in.Sockets, Devices: in.Devices, Network: w.Network,
	}
	policy = in.outside[network].Policy(policy)
	return func(argv ...string) ([]string, error) { return w.Command(policy, argv...) }
}

// caches returns the directories of your caches that [checks] env lets in.
func (in inside) caches() (all []string) {
	for _, entry := range in.env {
		name, value, set := strings.Cut(entry, "=")
		if !sandbox.IsCache(name) {
			continue
		}
		if !set {
			value = lane.Present(name)
		}
		if filepath.IsAbs(value) {
			all = append(all, value)
		}
	}
	return all
}

// setupInside returns how the setup commands of a task's worktree run: as you, or inside a
// sandbox with their own home. It also returns what ends the sandbox's proxy.
func setupInside(ctx context.Context, p *project.Task, task, dir string, d core.Definition,
	log io.Writer) (o checks.Options, end func(), err error) {
	none := func() {}
	o = checks.Options{Dir: dir, AllowNone: true}
	own, err := p.WorkspaceEnv(dir)
	if err != nil {
		return o, none, err
	}
	own = append(own, project.TaskEnv+"="+task) // a worktree has the id of its task
	o.Env = append(os.Environ(), own...)
	d.Sandbox.Network = d.Sandbox.SetupNetwork
	in, err := enclose(ctx, p, d, nil, log)
	if err != nil {
		return o, none, err
	}
	if w := in.walls[d.Sandbox.Network]; w.Kind == "" || w.Kind == sandbox.None {
		return o, none, nil
	}
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	l := LaneOf(p)
	home, env, err := l.SetupHome()
	if err != nil {
		return o, none, err
	}
	source, err := p.Repo().Source(ctx)
	if err != nil {
		return o, none, err
	}
	o.Env = append(env, own...)
	top := p.Worktree(task).Top()
	if git := filepath.Join(top, ".git"); exists(git) { // Another one would have your git run what it names.
		in.protect = []string{git}
	}
	o.Wrap = in.command(d.Sandbox.Network, []string{top, home},
		append(source.Stores, source.User.Common))
	return o, in.close, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
