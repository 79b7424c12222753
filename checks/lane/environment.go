package lane

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/sandbox"
	"ferrus/checks"
)

// passed are the variables that commands get from ferrus's own environment: what is
// said about the system and its network. The others are of the user's tools.
var passed = []string{
	"LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "USER", "LOGNAME", "CI", "FERRUS_GATE",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"GOTOOLCHAIN", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "RUSTUP_TOOLCHAIN",
}

// private are the variables that keep tools from the user's configuration and have them
// write below the home of the lane, which is ~ here, besides their caches. What npm and pip have
// for the whole machine counts: certificates, proxies and registries that it needs.
var private = []string{
	"XDG_CACHE_HOME=~/.cache", "XDG_CONFIG_HOME=~/.config", "XDG_DATA_HOME=~/.local/share",
	"XDG_STATE_HOME=~/.local/state", "SHELL=/bin/sh",
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	"GOENV=off", "GOTELEMETRY=off",
	"npm_config_userconfig=/dev/null", "PYTHONNOUSERSITE=1", "UV_NO_CONFIG=1",
	"DOTNET_CLI_HOME=~",
}

// environment returns what commands get: the pinned PATH, what is said about the system, the
// toolchains of the user, a home and caches of the lane's own, and at last what
// [checks] env lets in.
func (p *Place) environment(j Job, from checks.Source) []string {
	return Environment(p.path(j, from), p.lane.join("home"), p.lane.join("tmp"), j.Env)
}

// Environment returns what a command gets that has a home and a directory for temporary files
// of its own: what is said about the system, the toolchains of the user, and what let names
// of your environment, or sets.
func Environment(path, home, tmp string, let []string) []string {
	env := []string{"PATH=" + path, "HOME=" + home, "TMPDIR=" + tmp}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); matches(passed, name) {
			env = append(env, entry)
		}
	}
	env = append(env, PrivateEnvironment(home)...)
	for _, entry := range let {
		if strings.Contains(entry, "=") {
			env = append(env, entry)
		} else if value := Present(entry); value != "" {
			env = append(env, entry+"="+value)
		}
	}
	return env
}

// PrivateEnvironment returns the variables that have tools write below a home of their own,
// and find the toolchains of yours.
func PrivateEnvironment(home string) []string {
	own, _ := os.UserHomeDir() // Without one the variables count.
	env := sandbox.ToolVariables(own, os.Environ())
	for _, entry := range private {
		env = append(env, strings.ReplaceAll(entry, "~", home))
	}
	return append(env, sandbox.Caches(home, os.Environ())...)
}

// SetupHome makes a home for the setup commands of a worktree, which run beside the lane. It
// returns its directory and the environment to run them in.
func (l Lane) SetupHome() (dir string, env []string, err error) {
	dir = l.join("setup")
	tmp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return "", nil, fmt.Errorf("make a home for setup commands: %w", err)
	}
	env = append(os.Environ(), "HOME="+dir, "TMPDIR="+tmp)
	return dir, append(env, PrivateEnvironment(dir)...), nil
}

// Present returns the value of a variable of ferrus's own; of GOCACHE, what go takes for
// it where it is unset.
func Present(name string) string {
	if name == "GOCACHE" {
		return sandbox.GoCache(os.Environ())
	}
	return os.Getenv(name)
}

// matches reports whether a name is in a list; LC_* in the list matches every name with
// that prefix.
func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		prefix, many := strings.CutSuffix(pattern, "*")
		return name == pattern || many && strings.HasPrefix(name, prefix)
	})
}

// path returns the PATH of the job.
func (j Job) path() string {
	if j.Path != "" {
		return j.Path
	}
	return os.Getenv("PATH")
}

// path returns the PATH of the job, with directories of the tree in the place of those
// in a worktree, where a session could put another program. Relative ones are left out.
func (p *Place) path(j Job, from checks.Source) string {
	tops := []string{from.User.Top}
	if j.Repo.Home != "" && from.Below == "." {
		tops = append(tops, j.Repo.Home)
	} else if j.Repo.Home != "" {
		tops = append(tops, strings.TrimSuffix(j.Repo.Home, "/"+from.Below))
	}
	var all []string
	for _, dir := range filepath.SplitList(j.path()) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, top := range tops {
			if below, err := filepath.Rel(top, dir); err == nil && filepath.IsLocal(below) {
				dir = filepath.Join(p.Top, below)
				break
			}
		}
		all = append(all, dir)
	}
	return strings.Join(all, string(filepath.ListSeparator))
}
