package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ferrus/agent/paths"
)

// toolchains are where version managers and compilers have their programs: the variable
// that says so, and the place below your home without it. None of them holds secrets. The last
// are the certificates that a machine trusts: without them tools reach no registry behind a proxy
// that opens TLS.
var toolchains = []struct{ variable, dir string }{
	{"RUSTUP_HOME", ".rustup"}, {"PYENV_ROOT", ".pyenv"}, {"RBENV_ROOT", ".rbenv"}, {"NODENV_ROOT", ".nodenv"},
	{"NVM_DIR", ".nvm"}, {"FNM_DIR", ".local/share/fnm"}, {"VOLTA_HOME", ".volta"}, {"ASDF_DATA_DIR", ".asdf"},
	{"MISE_DATA_DIR", ".local/share/mise"}, {"SDKMAN_DIR", ".sdkman"},
	{"UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"},
	{"GOROOT", ""}, {"JAVA_HOME", ""}, {"DOTNET_ROOT", ".dotnet"}, {"BUN_INSTALL", ".bun"},
	{"SSL_CERT_FILE", ""}, {"SSL_CERT_DIR", ""}, {"NIX_SSL_CERT_FILE", ""}, {"NODE_EXTRA_CA_CERTS", ""},
	{"REQUESTS_CA_BUNDLE", ""}, {"CURL_CA_BUNDLE", ""}, {"PIP_CERT", ""}, {"CARGO_HTTP_CAINFO", ""},
	{"GIT_SSL_CAINFO", ""}, {"npm_config_cafile", ""}, {"AWS_CA_BUNDLE", ""},
}

// toolDirs are other places of programs below your home. No variable names them.
var toolDirs = []string{"sdk", ".local/pipx", ".local/share/pipx", ".local/share/uv/tools", ".jdks", ".ghcup/ghc"}

// ToolVariables returns the variables that say where the trees are that programs need to run: a private home hides
// them.
func ToolVariables(home string, env []string) []string {
	set, _ := toolVariables(home, env, homesOf(home))
	return set
}

func toolVariables(home string, env []string, own homes) (set, trees []string) {
	for _, t := range toolchains {
		at := variable(env, t.variable)
		if own.anyWithin(at) {
			continue
		}
		if !filepath.IsAbs(at) {
			if at = filepath.Join(home, t.dir); t.dir == "" || home == "" || !isDir(at) {
				continue
			}
		}
		set, trees = append(set, t.variable+"="+at), append(trees, at)
	}
	return set, trees
}

// Toolchains returns the trees that programs on PATH need to run, which are to be readable, and [ToolVariables].
func Toolchains(home string, env []string) (read, set []string) {
	own := homesOf(home)
	set, read = toolVariables(home, env, own)
	for _, dir := range toolDirs {
		if home != "" {
			read = append(read, filepath.Join(home, dir))
		}
	}
	for _, dir := range filepath.SplitList(variable(env, "PATH")) {
		if filepath.IsAbs(dir) && !own.anyWithin(dir) {
			read = append(read, dir)
		}
	}
	if modules := goModules(home, env, own); modules != "" {
		read = append(read, modules)
	}
	slices.Sort(read)
	read = slices.DeleteFunc(read, func(path string) bool {
		return slices.ContainsFunc(systemRead, func(top string) bool { return paths.Within(top, path) })
	})
	return slices.Compact(read), set
}

// homes are your home from the environment, and the one in the system's user database.
type homes []string

func homesOf(home string) (all homes) {
	all = append(all, home)
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		all = append(all, u.HomeDir)
	}
	for _, dir := range slices.Clone(all) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			all = append(all, real)
		}
	}
	return slices.DeleteFunc(all, func(dir string) bool { return !filepath.IsAbs(dir) || dir == "/" })
}

// anyWithin reports whether one of them is in a directory, or is it: then it is no toolchain, whatever a variable says.
func (h homes) anyWithin(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return slices.ContainsFunc(h, func(own string) bool { return paths.Within(dir, own) })
}

// Workplace returns why a directory must not be writable inside as a whole; nil if it may: it
// holds your home, or is a part of the system.
func Workplace(dir, home string) error {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if homesOf(home).anyWithin(dir) {
		return fmt.Errorf("%s contains your home directory, which would be writable", dir)
	}
	for _, part := range slices.Concat(systemRead, sharedPlaces) {
		if dir == part || slices.Contains(systemRead, part) && paths.Within(part, dir) {
			return fmt.Errorf("%s belongs to the whole system, and would be writable", dir)
		}
	}
	return nil
}

// sharedPlaces are directories of all programs.
var sharedPlaces = []string{
	"/", "/home", "/tmp", "/var", "/var/tmp", "/run", "/dev", "/dev/shm", "/proc", "/mnt", "/srv",
}

// goModules returns the directory of the Go modules that you have downloaded; empty: unknown.
func goModules(home string, env []string, own homes) string {
	if at := variable(env, "GOMODCACHE"); filepath.IsAbs(at) && !own.anyWithin(at) {
		return at
	}
	if named := filepath.SplitList(variable(env, "GOPATH")); len(named) > 0 {
		return filepath.Join(named[0], "pkg", "mod")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// goProxy returns GOPROXY for programs that cannot write your modules: what you have
// downloaded already comes first, and the others stay. Go compares each with go.sum, so that
// a changed one is an error.
func goProxy(home string, env []string) string {
	others := cmp.Or(variable(env, "GOPROXY"), "https://proxy.golang.org,direct")
	modules := goModules(home, env, homesOf(home))
	if modules == "" {
		return others
	}
	return "file://" + filepath.ToSlash(filepath.Join(modules, "cache", "download")) + "," + others
}

// GoCache returns your cache of Go's builds, as go finds it; empty: there is none.
func GoCache(env []string) string {
	if at := variable(env, "GOCACHE"); at != "" {
		return at
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// variable returns the value of a variable; the last of two counts.
func variable(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
