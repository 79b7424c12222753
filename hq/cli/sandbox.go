package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ferrus/agent/loader"
	"ferrus/agent/process"
	"ferrus/agent/proxy"
	"ferrus/agent/sandbox"
	"ferrus/checks/git"
	"ferrus/checks/lane"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/ui/text"
)

func sandboxCommand(std *streams) *cobra.Command {
	var explain bool
	var network string
	c := &cobra.Command{
		Use:   "sandbox [--network proxy] [--explain] -- <command> [argument...]",
		Short: "Run a command in the sandbox of the check gate",
		Long: `Runs a command in the sandbox of the check gate and setup commands. The command can
change the enclosing repository except .ferrus, and has its own home and git directory,
which are removed at the end. Of your files it can read only the toolchains. It gets the
environment of check commands; set more variables with env(1). [sandbox] in ferrus.toml
adds to all this once you trust it.

--explain prints which walls work on this machine, how that was tested, and what the
command could reach and why. The exit code is the command's own; 125 means that the
sandbox could not be built.`,
		Example: "  ferrus sandbox -- go test ./...\n  ferrus sandbox --network none -- npm test\n" +
			"  ferrus sandbox --explain",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !explain {
				return usageError(cmd, "name a command, or pass --explain")
			}
			known := []sandbox.Network{sandbox.Open, sandbox.Proxied, sandbox.Unshared}
			if !slices.Contains(known, sandbox.Network(network)) {
				return usageError(cmd, fmt.Sprintf("--network is %q, but must be open, proxy or none", network))
			}
			return runSandbox(cmd.Context(), std, args, sandbox.Network(network), explain)
		},
	}
	c.Flags().BoolVar(&explain, "explain", false, "print the walls and what the command could reach, and run nothing")
	c.Flags().StringVar(&network, "network", string(sandbox.Open),
		"the `network`: open (yours), proxy (registries and [sandbox] hosts) or none (loopback only)")
	return c
}

func runSandbox(ctx context.Context, std *streams, argv []string, network sandbox.Network, explain bool) error {
	asked, err := askedSandbox(std)
	if err != nil {
		return err
	}
	walls, err := sandbox.Choose(ctx, sandbox.Mode(asked.Sandbox.Mode), network)
	if err != nil {
		return failure(err.Error(), sandbox.Cure(err))
	}
	own, err := os.MkdirTemp("", "ferrus-sandbox-")
	if err != nil {
		return fmt.Errorf("make a home for the command: %w", err)
	}
	defer os.RemoveAll(own)
	policy, why, err := commandPolicy(asked.Sandbox, own, walls)
	if err != nil {
		return err
	}
	if explain {
		explainSandbox(std.out, walls, policy, why)
		explainNetwork(std.out, walls, asked.Sandbox)
		return nil
	}
	outside, err := walls.StartProxy(proxy.Rules{
		Hosts: slices.Concat(proxy.Registries, asked.Sandbox.Hosts), Ports: asked.Sandbox.Ports,
	})
	if err != nil {
		return err
	}
	defer outside.Close()
	policy = outside.Policy(policy)
	if walls.Reason != "" {
		fmt.Fprintf(std.err, "ferrus: sandbox: %s: %s\n", walls, text.Sanitize(walls.Reason))
		if walls.Cure != "" {
			fmt.Fprintf(std.err, "ferrus: hint: %s\n", text.Sanitize(walls.Cure))
		}
	}
	full, err := walls.Command(policy, argv...)
	if err != nil {
		return err
	}
	cmd := exec.Command(full[0], full[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = unlessFile(os.Stdin), unlessFile(os.Stdout), unlessFile(os.Stderr)
	cmd.WaitDelay = time.Second // what a command left behind may have its output, and is ended then
	cmd.Env = commandEnvironment(asked, own, walls)
	if walls.Kind != sandbox.None && walls.Kind != "" {
		cmd.Env = loader.Hide(cmd.Env)
	}
	return runInside(cmd, walls)
}

// runInside runs the command of a sandbox to its end, and returns its exit code as an error.
func runInside(cmd *exec.Cmd, walls sandbox.Walls) error {
	interrupts := make(chan os.Signal, 1) // They are for the command, which has the terminal.
	signal.Notify(interrupts, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(interrupts)
	if walls.Kind != sandbox.Namespace {
		_ = process.AdoptOrphans() // what they cannot be found by, their parent, stays known
		defer endLeft()
	}
	var ended *exec.ExitError
	if err := cmd.Run(); errors.As(err, &ended) {
		return &exitError{code: max(ended.ExitCode(), codeError)}
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("start the sandbox: %w", err)
	}
	return nil
}

// unlessFile returns a stream for a program inside: of a file only what is read from it or written to it, by a pipe.
// The file itself could be opened inside once more, for anything.
func unlessFile(f *os.File) io.ReadWriter {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return struct{ io.ReadWriter }{f}
	}
	return f
}

// endLeft ends what a command left behind, where no namespace does.
func endLeft() {
	mine := func(p process.Process) bool { return p.Parent == os.Getpid() }
	left := process.Set{Living: func() (process.Table, error) {
		all, err := process.List()
		return all.Family(process.Family{Mine: mine}), err
	}}
	_ = left.End(context.Background(), time.Second) // the command has ended already, whatever its exit code
}

// askedSandbox returns what the enclosing project asks for, if there is one and you have
// trusted what its ferrus.toml allows.
func askedSandbox(std *streams) (core.Definition, error) {
	if _, err := findProject(); err != nil {
		return core.Definition{}, nil //nolint:nilerr // Any directory will do.
	}
	pr, err := openProject()
	if err != nil {
		return core.Definition{}, err
	}
	cfg, err := pr.Config()
	if err != nil {
		return core.Definition{}, err
	}
	d := project.GateDefinition(cfg)
	trusted, err := pr.Trusted(d)
	if err == nil && !trusted {
		fmt.Fprintln(std.err, "ferrus: sandbox: [sandbox] of ferrus.toml is ignored: it is not trusted on this machine")
		return core.Definition{}, nil
	}
	return d, err
}

// commandPolicy returns what a command may reach, and why, with a directory of its own.
func commandPolicy(asked core.Sandbox, own string, w sandbox.Walls) (sandbox.Policy, map[string]string, error) {
	real, _ := os.UserHomeDir() // Without one the variables count.
	dir, err := os.Getwd()
	if err != nil {
		return sandbox.Policy{}, nil, fmt.Errorf("find the working directory: %w", err)
	}
	p := sandbox.Policy{Dir: dir, Network: w.Network, Sockets: asked.Sockets, Devices: asked.Devices}
	home := filepath.Join(own, "home")
	why := map[string]string{home: "a home of its own"}
	top, err := showGit(&p, dir, own, w, why)
	if err == nil {
		err = errors.Join(sandbox.Workplace(top, real), os.MkdirAll(filepath.Join(home, "tmp"), 0o700))
	}
	if err != nil {
		return p, nil, failure(fmt.Sprintf("sandbox: %v", err), "change to a project's directory")
	}
	for _, state := range git.StateDirs(top) {
		p.Protect = append(p.Protect, state+"/")
		why[state+"/"] = "ferrus's own directory"
	}
	why[top] = "the directory that it runs in"
	tools, _ := sandbox.Toolchains(real, os.Environ())
	for _, dir := range tools {
		why[dir] = "a toolchain, or a directory of PATH"
	}
	for _, path := range slices.Concat(asked.Write, asked.Read, asked.Sockets, asked.Devices) {
		why[path] = "[sandbox] in ferrus.toml"
	}
	p.Write = slices.Concat(p.Write, []string{top, home}, asked.Write)
	p.Read = slices.Concat(p.Read, tools, asked.Read)
	return p, why, nil
}

// showGit returns the top of the repository around a directory, or the directory, and has the
// policy show a git directory that the command may change: yours says who you are to servers,
// and what git runs. On Landlock it can only be read, of a linked worktree.
func showGit(p *sandbox.Policy, dir, own string, w sandbox.Walls, why map[string]string) (string, error) {
	r, err := git.Locate(dir)
	if errors.Is(err, git.ErrNoRepository) {
		return dir, nil
	} else if err != nil {
		return "", err
	}
	at := filepath.Join(r.Top, ".git")
	why[at], why[r.Common] = "git's own directory", "git's own directory"
	switch {
	case !r.Genuine(): // it may name any directory
		p.Protect = append(p.Protect, at)
		return r.Top, nil
	case w.Kind != sandbox.Namespace:
		p.Read = append(p.Read, r.Common)
		return r.Top, nil
	}
	if err := session.ShowRepository(p, r, filepath.Join(own, "git"), true); err != nil {
		return "", err
	}
	if _, err := findProject(); err != nil {
		// Of a project it is recorded which other directories git takes objects from. Elsewhere a
		// former command could have named any.
		p.Read = nil
	}
	why[p.Write[0]], why[at] = "a git directory of its own", "a git directory of its own"
	for _, m := range p.Mounts[1:] {
		why[m.To] = "git's objects"
	}
	for _, store := range p.Read {
		why[store] = "git's objects"
	}
	return r.Top, nil
}

// commandEnvironment returns the environment of a command: what a check command gets.
func commandEnvironment(asked core.Definition, own string, w sandbox.Walls) []string {
	home := filepath.Join(own, "home")
	tmp := "/tmp"
	if w.Kind != sandbox.Namespace {
		tmp = filepath.Join(home, "tmp")
	}
	relative := func(dir string) bool { return !filepath.IsAbs(dir) }
	path := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), relative)
	return lane.Environment(strings.Join(path, string(filepath.ListSeparator)), home, tmp, asked.Env)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// explainLine prints one line of an explanation.
func explainLine(out io.Writer, name, format string, args ...any) {
	fmt.Fprintf(out, "%-10s %s\n", name, text.Sanitize(fmt.Sprintf(format, args...)))
}

// explainNetwork prints what the proxy lets through.
func explainNetwork(out io.Writer, w sandbox.Walls, asked core.Sandbox) {
	if w.Network != sandbox.Proxied {
		return
	}
	for _, name := range proxy.Registries {
		explainLine(out, "host", "%s  (a registry of packages)", name)
	}
	for _, name := range asked.Hosts {
		explainLine(out, "host", "%s  ([sandbox] in ferrus.toml)", name)
	}
	for _, port := range asked.Ports {
		explainLine(out, "port", "%s  ([sandbox] in ferrus.toml)", port)
	}
}

// explainSandbox prints what holds, and what can be reached.
func explainSandbox(out io.Writer, w sandbox.Walls, p sandbox.Policy, why map[string]string) {
	line := func(name, format string, args ...any) { explainLine(out, name, format, args...) }
	line("sandbox", "%s", w)
	if w.Reason != "" {
		line("because", "%s", w.Reason)
	}
	if w.Cure != "" {
		line("to do", "%s", w.Cure)
	}
	for _, f := range w.Findings {
		if f.Holds {
			line("holds", "%s", f.Name)
		} else {
			line("fails", "%s (%s)", f.Name, f.Got)
		}
	}
	if w.Kind == sandbox.None {
		line("limit", "programs run with all your rights: they can read your files, ~/.ssh too")
	}
	writable := func(path string) bool {
		return slices.ContainsFunc(p.Write, func(top string) bool { return strings.HasPrefix(path, top+"/") })
	}
	var shown []string
	for _, m := range p.Mounts {
		shown = append(shown, m.To)
	}
	for _, part := range []struct {
		name  string
		paths []string
	}{
		{"write", p.Write}, {"own", shown}, {"protected", p.Protect}, {"read", p.Read}, {"socket", p.Sockets},
		{"device", p.Devices},
	} {
		for _, path := range part.paths {
			switch {
			case !exists(path) || w.Kind == sandbox.None:
			case (part.name == "protected" || part.name == "read") && w.Kind == sandbox.Landlock && writable(path):
				line("limit", "%s  (%s: Landlock protects no part of a writable tree)", path, why[path])
			default:
				line(part.name, "%s  (%s)", path, why[path])
			}
		}
	}
}
