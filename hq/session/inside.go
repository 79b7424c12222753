package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/agent/home"
	"ferrus/agent/paths"
	"ferrus/agent/proxy"
	"ferrus/agent/sandbox"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/machine"
	"ferrus/store"
)

// enclosed returns how the sessions of an agent run: inside which walls, or why without.
// The error says why they must not run at all.
func (l *Local) enclosed(adapter agent.Adapter) (walls sandbox.Walls, outside string, err error) {
	if l.Sandbox == nil {
		return walls, "these sessions run outside the sandbox", nil
	}
	mode := sandbox.Mode(l.Sandbox().Mode)
	require := mode == sandbox.Require
	if why := untried(adapter); why != "" && !require {
		return walls, why + `; [sandbox] mode = "require" runs it there all the same`, nil
	}
	network := cmp.Or(sandbox.Network(l.Sandbox().Sessions), sandbox.Open)
	walls, err = sandbox.Chosen(context.Background(), cmp.Or(mode, sandbox.Auto), network)
	if err != nil {
		return walls, "", fmt.Errorf("start a session in the sandbox: %w; %s", err, sandbox.Cure(err))
	}
	if walls.Kind != sandbox.Namespace && walls.Kind != sandbox.Landlock {
		outside = cmp.Or(walls.Reason, "the walls here are "+walls.String())
	}
	return walls, outside, nil
}

// untried returns why an agent runs inside only where that is required; empty: it works there.
func untried(adapter agent.Adapter) string {
	switch list := agent.Home(adapter); {
	case !list.Tried:
		return adapter.Name() + " has not been shown to work inside"
	case list.Unfit != "":
		return adapter.Name() + ": " + list.Unfit
	}
	return ""
}

// Enclosure describes in a few words what the sessions of an agent run in.
func (l *Local) Enclosure(name string) string {
	adapter, err := l.lookup(name)
	if err != nil || adapter.Binary() == "" { // ferrus itself
		return ""
	}
	walls, outside, err := l.enclosed(adapter)
	if err != nil {
		return ""
	}
	if outside != "" {
		return "none: " + outside
	}
	return walls.String()
}

// IsInside reports whether a session runs inside, by what its record says.
func IsInside(record string) bool {
	return strings.HasPrefix(record, string(sandbox.Namespace)) || strings.HasPrefix(record, string(sandbox.Landlock))
}

// hold reports whether the walls keep a program inside that wants out.
func (in *inside) hold() bool { return in.walls.Kind == sandbox.Namespace }

// note records in the journal what a session runs in.
func (in *inside) note(p *project.Task, s Launch, bypass bool) {
	text := fmt.Sprintf("%s runs in a sandbox (%s)", agentID(s.Slot, s.Agent.Agent), in.walls)
	if bypass && in.hold() {
		text += "; its own sandbox and permission prompts are off there"
	}
	if len(in.missing) > 0 {
		text += "; your MCP servers that cannot run there: " + strings.Join(in.missing, ", ") +
			"; [sandbox] read and sockets in ferrus.toml can give them what they need"
	}
	if len(in.hooks) > 0 {
		text += "; your hooks that lack a file there: " + strings.Join(in.hooks, ", ") +
			"; name it by its absolute path, and in [sandbox] read"
	}
	_, _ = p.Do(context.Background(), store.Call{}, core.Command{ // agents.json has it, too
		Kind: core.KindNoted, By: project.FerrusActor(), Text: text,
	})
}

// inside is a session that runs inside the sandbox.
type inside struct {
	walls  sandbox.Walls
	dir    string // of the task, which its sessions share
	cache  string // the directory of its caches
	home   home.Home
	door   *host.Door
	proxy  *host.Proxy // nil: it has your network
	policy sandbox.Policy

	missing     []string // MCP servers of yours that cannot run there, and why
	hooks       []string // hooks of yours, and what they lack there
	gitReadOnly bool     // its repository can be read only
}

// enclose prepares the inside a session: its door, its home, its git directory and its
// caches. It returns nil for a session that runs outside.
func (l *Local) enclose(s Launch, adapter agent.Adapter) (*inside, error) {
	walls, outside, err := l.enclosed(adapter)
	if err != nil || outside != "" {
		return nil, err
	}
	origin := s.Origin
	if l.NoServer { // the files of a run are not a task's, and must not be freed with one
		origin = ""
	}
	in := &inside{walls: walls, dir: TaskDir(l.Project, origin)}
	if !l.NoServer {
		socket, err := host.MakeDoor(s.ID)
		if err != nil {
			return nil, fmt.Errorf("prepare the sandbox of the %s: %w", s.Slot, err)
		}
		in.door = &host.Door{Socket: socket}
	}
	if err = in.makeProxy(s.ID, adapter, l.Sandbox()); err == nil {
		err = in.makeHome(adapter, string(s.Slot))
	}
	if err == nil {
		err = in.build(l.Project.Project, s, l.Sandbox())
		in.missing, in.hooks = agent.MissingOfYours(adapter, in.home.Real, in.policy.Shows)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare the sandbox of the %s: %w", s.Slot, err)
	}
	return in, nil
}

// makeProxy says what the proxy of the session reaches: what its agent needs, registries of
// packages, what [sandbox] names, and the model that your environment names.
func (in *inside) makeProxy(session string, adapter agent.Adapter, more core.Sandbox) error {
	if in.walls.Network != sandbox.Proxied {
		return nil
	}
	socket, err := host.MakeProxy(session)
	if err != nil {
		return err
	}
	real, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	in.proxy = &host.Proxy{
		Socket: socket,
		Hosts:  slices.Concat(agent.Hosts(adapter), proxy.Registries, more.Hosts),
		Ports:  slices.Clone(more.Ports),
	}
	for _, server := range agent.ModelServers(adapter, real, os.Environ()) {
		if name, port, err := net.SplitHostPort(server); err == nil && name == "localhost" {
			server = port
		}
		in.proxy.Ports = append(in.proxy.Ports, server)
	}
	return nil
}

// makeHome makes the private home of a slot, which conversations of the task stay in.
func (in *inside) makeHome(adapter agent.Adapter, slot string) error {
	real, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	in.home = home.Of(real, agent.Home(adapter))
	in.home.Dir, in.home.State = filepath.Join(in.dir, "home", slot), filepath.Join(in.dir, "home", slot+".logins")
	in.home.Locks = filepath.Join(filepath.Dir(filepath.Dir(in.dir)), "logins")
	return in.home.Fill()
}

// build writes the policy.
func (in *inside) build(p *project.Project, s Launch, more core.Sandbox) error {
	tools, variables := sandbox.Toolchains(in.home.Real, os.Environ())
	in.cache = in.cacheDir(s)
	caches, err := in.caches()
	if err != nil {
		return err
	}
	in.policy = sandbox.Policy{
		Dir:     s.Workspace,
		Write:   append([]string{in.home.Dir, in.cache}, more.Write...),
		Shared:  []string{p.Top()},
		Sockets: more.Sockets, Devices: more.Devices,
		Env:     slices.Concat(variables, in.ownPlaces(), in.home.Env(), caches),
		Network: in.walls.Network,
	}
	in.policy.Read = slices.Concat(tools, in.withoutParents(in.home.Readable()), in.texts(), more.Read)
	if in.door != nil {
		dir := filepath.Dir(in.door.Socket)
		in.policy.Mounts = []sandbox.Mount{{From: dir, To: dir}}
	}
	if in.proxy != nil {
		in.policy.Proxy, in.policy.Ports = in.proxy.Socket, proxy.LoopbackPorts(in.proxy.Ports)
	}
	return in.showWorkspace(p.Dir, s)
}

// ownPlaces returns, as NAME=value, where a program inside keeps files that its environment would place
// outside: some programs end at once if such a directory is not there. On Landlock there is no /tmp.
func (in *inside) ownPlaces() []string {
	tmp := "/tmp"
	if !in.hold() {
		tmp = filepath.Join(in.home.Dir, "tmp")
	}
	all := []string{"TMPDIR=" + tmp, "TMP=" + tmp, "TEMP=" + tmp}
	for _, place := range [][2]string{{"XDG_CACHE_HOME", ".cache"}, {"XDG_CONFIG_HOME", ".config"},
		{"XDG_DATA_HOME", ".local/share"}, {"XDG_STATE_HOME", ".local/state"}} {
		if os.Getenv(place[0]) != "" {
			all = append(all, place[0]+"="+filepath.Join(in.home.Dir, place[1]))
		}
	}
	return all
}

// showWorkspace shows the files of the workspace, which only a session that edits them can
// write, with a git directory of their own.
func (in *inside) showWorkspace(project string, s Launch) error {
	repository, err := workspaceRepository(project, s.Workspace)
	if errors.Is(err, git.ErrNoRepository) {
		repository.Top = s.Workspace
	} else if err != nil {
		return err
	}
	top := repository.Top
	if edits(s) {
		in.policy.Write = append(in.policy.Write, top)
	} else {
		in.policy.Read = append(in.policy.Read, top)
	}
	in.policy.Hide = append(in.policy.Hide, git.StateDirs(top)...)
	if judges(s) {
		left, err := settingsLeft(context.Background(), repository, s.Workspace)
		if err != nil {
			return err
		}
		in.policy.Hide = append(in.policy.Hide, left...)
		in.policy.Env = append(in.policy.Env, "PATH="+pathOutside(top))
	}
	if paths.Within(top, project) { // the project itself is the workspace
		in.policy.Hide = append(in.policy.Hide, filepath.Join(project, ".ferrus"))
	}
	switch {
	case err != nil:
		return nil
	case !in.hold(): // nothing can be shown in the place of .git
		in.policy.Read = append(in.policy.Read, repository.Common)
		in.gitReadOnly = edits(s) && !strings.HasPrefix(repository.Common, top+"/")
		return nil
	}
	if edits(s) {
		in.policy.Protect = append(in.policy.Protect, gitOfSubmodules(context.Background(), repository)...)
	}
	return ShowRepository(&in.policy, repository, filepath.Join(in.dir, "git", string(s.Slot)), !edits(s))
}

// ShowRepository makes a policy show a git directory of its own instead of a repository's. It is
// kept in a directory, and made anew with fresh. [sandbox.Namespace] only.
func ShowRepository(p *sandbox.Policy, r git.Repository, dir string, fresh bool) error {
	shadow, err := r.Shadow(context.Background(), dir, fresh)
	if err != nil {
		return err
	}
	p.Write = append(p.Write, shadow.Dir)
	p.Read = append(p.Read, shadow.Stores[1:]...)
	show := sandbox.Mount{From: shadow.Dir, To: filepath.Join(r.Top, ".git"), Write: true}
	if r.Linked() {
		show = sandbox.Mount{From: shadow.Link, To: show.To}
	}
	p.Mounts = append(p.Mounts, show, sandbox.Mount{From: shadow.Stores[0], To: shadow.At})
	return nil
}

// edits reports whether a session is to change files.
func edits(s Launch) bool { return s.Slot.Role() == machine.Executor || s.CanEdit }

// workspaceRepository returns the repository of a workspace, as the project's own says.
func workspaceRepository(project, workspace string) (git.Repository, error) {
	repository, err := git.Locate(project)
	if err != nil {
		return repository, err
	}
	folder := filepath.Join(project, ".ferrus", worktree.Folder)
	if below, err := filepath.Rel(folder, workspace); err == nil && filepath.IsLocal(below) {
		id, _, _ := strings.Cut(below, string(filepath.Separator))
		return repository.Worktree(filepath.Join(folder, id))
	}
	return repository, nil
}

// gitNote is what an agent has to know of a repository that it can only read.
const gitNote = "\n\nIn this session git can only read: status, diff, log and show work; add, commit, restore, " +
	"checkout and stash fail. To undo a change of a file, write its old text back: git show HEAD:./file >file\n"

// ask asks for a command line that fits the inside: with the door for its server, and, where the walls hold
// it, without the vendor's own sandbox and questions for a session that edits, unless you want to be asked.
func (in *inside) ask(l *agent.Launch, adapter agent.Adapter, s Launch) {
	l.Confined = true
	l.Bypass = l.Bypass || edits(s) && in.hold() && (l.NoServer || !s.Agent.Asks())
	if in.gitReadOnly && l.Prompt != "" {
		l.Prompt += gitNote
	}
	if in.door == nil {
		return
	}
	args, env := l.Serve(adapter)
	in.door.Server, in.door.Env = append([]string{l.Ferrus}, args...), env
	l.Door = in.door.Socket
	in.policy.Read = append(in.policy.Read, l.Ferrus) // the client starts it as its server
}

// withoutParents returns paths without directories that the workspace is in: other projects are there.
func (in *inside) withoutParents(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		return strings.HasPrefix(in.policy.Dir, strings.TrimSuffix(path, "/")+"/")
	})
}

// wrap makes an invocation run inside.
func (in *inside) wrap(adapter agent.Adapter, inv agent.Invocation) (agent.Invocation, error) {
	for _, program := range []string{inv.Path, adapter.Binary()} { // ferrus may start the agent's
		in.policy.Read = append(in.policy.Read, in.withoutParents(agent.ProgramDirs(program))...)
	}
	argv, err := in.walls.Command(in.policy, append([]string{inv.Path}, inv.Args...)...)
	if err != nil {
		return inv, err
	}
	inv.Path, inv.Args, inv.UsageDir, inv.Confined = argv[0], argv[1:], in.home.Dir, true
	return inv, nil
}
