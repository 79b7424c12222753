package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ferrus/agent/loader"
	"ferrus/agent/paths"
	"ferrus/agent/proxy"
	"ferrus/agent/sandbox/stage"
)

func init() { commands[execCommand] = buildWalls }

// buildWalls becomes the program behind Landlock.
func buildWalls(data string, argv []string) error {
	var s spec
	if err := json.Unmarshal([]byte(data), &s); err != nil {
		return err
	}
	if err := stage.CloseInherited(); err != nil {
		return err
	}
	if s.Policy.Dir != "" {
		if err := os.Chdir(s.Policy.Dir); err != nil {
			return err
		}
	}
	runtime.LockOSThread() // Until exec, Landlock's walls apply to one thread only.
	path, err := stage.LookPath(argv[0], s.Policy.Env)
	if err != nil {
		return err
	}
	calls, err := callFilter(refusedCalls)
	if err != nil {
		return err
	}
	if err := s.Policy.landlock(s.ABI); err != nil {
		return err
	}
	if err := stage.DropCapabilities(); err != nil {
		return err
	}
	return stage.Finish(path, argv, append(loader.Restore(), s.Policy.Env...), calls)
}

// namespaceCommand returns the command line that starts argv in a namespace.
func (w Walls) namespaceCommand(p Policy, argv []string) ([]string, error) {
	path, err := executable()
	if err != nil {
		return nil, err
	}
	self := strings.TrimSuffix(path, " (deleted)")
	p.Mounts = append(slices.Clone(p.Mounts), Mount{From: self, To: self})
	p = p.withoutSockets()
	mounts := p.mounts()
	s := stage.Spec{Bwrap: w.Bwrap, Scopes: w.ABI >= abiScopes, Set: p.Env, Held: p.held(mounts)}
	if s.Filter, err = callFilter(refusedCalls); err != nil {
		return nil, err
	}
	if p.Dir == "" {
		s.Reach = slices.Concat(p.Write, p.Read, systemRead)
	}
	if p.Network == Proxied {
		s.Proxy, s.ProxyPort, s.Ports = p.Proxy, proxy.Port, p.Ports
	}
	if geteuid() == 0 {
		s.Root = &stage.Root{Devices: slices.Concat(newDevices, p.Devices)}
		if s.Root.Filter, err = callFilter(mountCalls); err != nil {
			return nil, err
		}
		if stage.MountsInside() {
			mounts, s.Root.Hide, s.Root.Fix = later(mounts)
		}
	}
	if startsEnv(s, argv) {
		s.Env = w.Env
	}
	s.Flags = p.bubblewrapFlags(mounts)
	return s.Command(self, argv), nil
}

// newDevices are the files that bubblewrap binds into a new /dev.
var newDevices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/console",
}

// startsEnv reports whether env, which takes a millisecond, can be the first program inside.
func startsEnv(s stage.Spec, argv []string) bool {
	return s.Root == nil && s.Proxy == "" && len(s.Held) == 0 &&
		!strings.Contains(argv[0], "=") && !strings.HasPrefix(argv[0], "-")
}

// later takes from some mounts what the first program inside, as root, puts over the system's parts itself. To
// bubblewrap, each mount costs a look at all the others.
func later(all []mount) (now []mount, hide, fix []string) {
	for i, m := range all {
		covers := i+1 < len(all) && paths.Within(m.path, all[i+1].path) // They are sorted.
		switch {
		case covers || !slices.ContainsFunc(systemTrees, func(top string) bool { return paths.Within(top, m.path) }):
			now = append(now, m)
		case m.rank == rankHide:
			hide = append(hide, m.path)
		case slices.Contains(kernelSettings, m.path):
			fix = append(fix, m.path)
		default:
			now = append(now, m)
		}
	}
	return now, hide, fix
}

// systemTrees hold what only the system changes.
var systemTrees = []string{"/etc", "/proc", "/sys"}

// held returns the mounts that must be compared inside.
func (p Policy) held(all []mount) (found []stage.Held) {
	changing := trees(slices.Concat(p.Write, p.Shared))
	for _, m := range all {
		if !changing.hold(m.path) {
			continue
		}
		h := stage.Held{Path: m.path}
		if from, ok := m.source(); ok {
			h.Source, h.ReadOnly = filepath.Clean(from), m.args[0] == "--ro-bind"
		}
		found = append(found, h)
	}
	return found
}

// source returns what a mount shows; false: a file system of its own.
func (m mount) source() (string, bool) {
	return m.args[1], len(m.args) == 3 && strings.HasSuffix(m.args[0], "bind")
}
