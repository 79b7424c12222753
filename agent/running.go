package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ferrus/agent/process"
)

// RunningIn returns the clients that you started by hand and that run in a directory or below it, each
// as its name and pid. It leaves out processes in the directories but, processes of ferrus's sessions,
// and processes that cannot be examined.
func RunningIn(dir string, but []string) (all []string, err error) {
	inside, err := pidsIn(dir)
	if err != nil || len(inside) == 0 {
		return nil, err
	}
	for _, other := range but {
		elsewhere, err := pidsIn(other)
		if err != nil {
			continue // it is gone
		}
		inside = slices.DeleteFunc(inside, func(pid int) bool { return slices.Contains(elsewhere, pid) })
	}
	table, err := processes()
	if err != nil {
		return nil, err
	}
	for _, pid := range inside {
		p, ok := table.Find(pid)
		if !ok || p.Env[process.NonceEnv] != "" || p.Env[HostMark] != "" {
			continue
		}
		if name := clientOf(p); name != "" {
			all = append(all, fmt.Sprintf("%s (pid %d)", name, pid))
		}
	}
	return all, nil
}

// pidsIn returns the processes that work in a directory or below it.
func pidsIn(dir string) (pids []int, err error) {
	all, err := process.WorkingIn(dir)
	for _, one := range all {
		word, _, _ := strings.Cut(one, " ")
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// programWords is how many words of a command line may be the client's program: it may be a script of an
// interpreter, which has flags.
const programWords = 4

// interpreters run clients that are scripts.
var interpreters = []string{"node", "nodejs", "bun", "deno"}

// clientOf returns the agent whose client a process is, by its command line; empty if it is no client. A
// server that a client left behind is none.
func clientOf(p process.Process) string {
	args := p.Args()
	if len(args) > 1 && !slices.Contains(interpreters, filepath.Base(args[0])) {
		args = args[:1]
	}
	for i, word := range args[:min(len(args), programWords)] {
		if i > 0 && strings.HasPrefix(word, "-") {
			continue
		}
		for _, name := range Names() {
			a := adapters[name]
			if a.Binary() == "" || filepath.Base(word) != a.Binary() {
				continue
			}
			if d, ok := a.(interface{ isDaemon(args []string) bool }); ok && d.isDaemon(append([]string{a.Binary()},
				p.Args()[i+1:]...)) {
				return ""
			}
			return name
		}
		if i > 0 {
			break // what comes after the script is its own
		}
	}
	return ""
}
