// Package loader hides variables that change how a program is loaded, such as LD_PRELOAD and
// LD_LIBRARY_PATH, from the programs that build a sandbox.
//
// Those programs still have your rights, and such a variable may name a file that an agent wrote. Whatever
// starts a sandbox calls [Hide] with the environment of its command; the program inside calls [Restore]
// once it is confined.
package loader

import (
	"os"
	"runtime"
	"slices"
)

// prefix is what a hidden variable's name begins with.
const prefix = "FERRUS_INSIDE_"

// names are variables that the C library reads before or beside the program, as the ones it drops for a
// program with more rights than its user; what ends in _ is the beginning of a name.
var names = []string{
	"LD_", "MALLOC_", "MUSL_", "RES_", "RESOLV_", "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES",
	"LOCALDOMAIN", "LOCPATH", "NIS_PATH", "NLSPATH", "GOCOVERDIR", "GODEBUG",
}

// Hide returns an environment in which no variable changes how a program is loaded.
func Hide(env []string) []string {
	if runtime.GOOS != "linux" {
		return env
	}
	env = slices.Clone(env)
	for i, entry := range env {
		if Changes(entry) {
			env[i] = prefix + entry
		}
	}
	return env
}

// Changes reports whether a variable, as NAME=value, changes how a program is loaded.
func Changes(entry string) bool {
	name := nameOf(entry)
	return slices.ContainsFunc(names, func(one string) bool {
		return name == one || one[len(one)-1] == '_' && begins(name, one)
	})
}

// Restore returns the variables of this process that were hidden, as NAME=value, and removes them.
func Restore() (hidden []string) {
	for _, entry := range os.Environ() {
		if begins(entry, prefix) {
			_ = os.Unsetenv(nameOf(entry)) // It fails only for a name with a zero byte.
			hidden = append(hidden, entry[len(prefix):])
		}
	}
	return hidden
}

// nameOf returns the name of a variable. Package strings would make agent/sandbox/stage start later.
func nameOf(entry string) string {
	if i := slices.Index([]byte(entry), '='); i >= 0 {
		return entry[:i]
	}
	return entry
}

func begins(text, with string) bool { return len(text) >= len(with) && text[:len(with)] == with }
