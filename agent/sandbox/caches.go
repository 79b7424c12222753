package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// caches are the variables that have tools keep what they download and build below a directory
// of ferrus's, ~ here: the home of a gate, or the caches that the sessions of a task share.
// Java finds its home without HOME, and Maven before 3.9 does not know MAVEN_ARGS.
var caches = []string{
	"GOPATH=~/go", "GOMODCACHE=~/go/pkg/mod", "GOCACHE=~/.cache/go-build",
	"npm_config_cache=~/.npm", "YARN_CACHE_FOLDER=~/.cache/yarn",
	"CARGO_HOME=~/.cargo",
	"PIP_CACHE_DIR=~/.cache/pip", "UV_CACHE_DIR=~/.cache/uv", "POETRY_CACHE_DIR=~/.cache/poetry",
	"MAVEN_OPTS=-Duser.home=~", "GRADLE_USER_HOME=~/.gradle",
	"GEM_SPEC_CACHE=~/.gem/specs", "BUNDLE_USER_HOME=~/.bundle", "COMPOSER_HOME=~/.composer",
	"NUGET_PACKAGES=~/.nuget/packages",
}

// otherCaches name directories of results that no table entry moves.
var otherCaches = []string{"CARGO_TARGET_DIR", "SCCACHE_DIR", "CCACHE_DIR"}

// Caches returns the variables, as NAME=value, that have tools keep their caches below a directory.
// Go can remove its modules there, and finds those of yours first.
func Caches(dir string, env []string) (all []string) {
	for _, entry := range caches {
		all = append(all, strings.ReplaceAll(entry, "~", dir))
	}
	home, _ := os.UserHomeDir() // Without one the variables count.
	return append(all, "GOFLAGS=-modcacherw", "GOPROXY="+goProxy(home, env))
}

// IsCache reports whether a variable names the directory of a cache, which can be shared.
func IsCache(name string) bool {
	return slices.Contains(otherCaches, name) ||
		slices.ContainsFunc(caches, func(entry string) bool { return strings.HasPrefix(entry, name+"=~") })
}

// GoCacheIn returns the cache of Go's builds below a directory of caches.
func GoCacheIn(dir string) string { return filepath.Join(dir, ".cache", "go-build") }
