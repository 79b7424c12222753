package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/statedir"
)

// recentFor is how long walls that another process has tried count. A conductor relies on its own probe for as long as
// it runs.
const recentFor = 10 * time.Minute

// heldFor is how long walls that have held keep ferrus from using weaker ones on an unchanged system.
const heldFor = 24 * time.Hour

// tried says that namespace walls held. It names no program: what is run does not depend on a file.
type tried struct {
	At      time.Time `json:"at"`
	System  string    `json:"system"`            // a hash of all that they depend on, see systemState
	Signals bool      `json:"signals"`           // env can reset ignored signals
	Doubted bool      `json:"doubted,omitempty"` // a program did not start in them since
}

// Recent is like [Chosen], for a process that runs a single gate: namespace walls that another process has tried a few
// minutes ago count if nothing that they depend on has changed since. If a program does not start in them after all,
// call [Forget].
func Recent(ctx context.Context, mode Mode, network Network) (Walls, error) {
	return chosen(mode, network, func() (Walls, error) {
		if ready && mode != Off {
			if w, ok := readTried(recentFile(), cmp.Or(network, Open), time.Now()); ok {
				go programSecrets() // Command needs them.
				return w, nil
			}
		}
		return Choose(ctx, mode, network)
	})
}

// Forget has the next process try the walls again.
func Forget() {
	file := recentFile()
	all := readRecent(file)
	for network, t := range all {
		t.Doubted = true
		all[network] = t
	}
	if len(all) > 0 {
		replaceKept(file, all)
	}
}

// heldBefore returns an error if walls that do not start now have held on this system, and nothing that they depend on
// has changed. Then a program may have used up what the system has for you, such as processes or namespaces, so that
// the next ones get weaker walls.
func heldBefore(file string, network Network, why string, now time.Time) error {
	t := readRecent(file)[network]
	if age := now.Sub(t.At); age < 0 || age >= heldFor {
		return nil
	}
	w, err := namespaceWalls(network, t.Signals)
	if err != nil {
		return nil
	}
	if state, ok := systemState(w); !ok || state != t.System {
		return nil
	}
	return &Error{"use the sandbox", why + "; it held here at " + t.At.Local().Format("15:04") +
		" and the system has not changed since, so nothing runs in a weaker one"}
}

// recentFile returns the file of the walls that were tried, in your state directory, which no program inside reaches;
// empty: there is none.
func recentFile() string {
	state := statedir.Find()
	if state == "" {
		return ""
	}
	return filepath.Join(state, "walls.json")
}

// readTried returns namespace walls that another process has tried and that still count.
func readTried(file string, network Network, now time.Time) (Walls, bool) {
	t := readRecent(file)[network]
	if age := now.Sub(t.At); age < 0 || age >= recentFor || t.Doubted {
		return Walls{}, false
	}
	w, err := namespaceWalls(network, t.Signals)
	if err != nil {
		return Walls{}, false
	}
	state, ok := systemState(w)
	return w, ok && state == t.System
}

// readRecent reads what processes have noted. What cannot be read, or others could have written, is nothing.
func readRecent(file string) map[Network]tried {
	all := map[Network]tried{}
	if data, err := os.ReadFile(file); err != nil || !isOurs(file) || json.Unmarshal(data, &all) != nil {
		return map[Network]tried{}
	}
	return all
}

// isOurs reports whether a file is one that only this user could have written.
func isOurs(file string) bool {
	var stat unix.Stat_t
	return unix.Lstat(file, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFREG && stat.Mode&0o022 == 0 &&
		int(stat.Uid) == os.Geteuid()
}

// noteTried notes namespace walls that held, for later processes.
func noteTried(file string, w Walls, now time.Time) {
	state, ok := systemState(w)
	if file == "" || !ok || w.Kind != Namespace || w.Reason != "" {
		return
	}
	all := readRecent(file)
	all[w.Network] = tried{At: now, System: state, Signals: w.Env != ""}
	replaceKept(file, all)
}

// replaceKept replaces a file in your state directory. Later processes do without it where that fails.
func replaceKept(file string, content any) {
	data, err := json.Marshal(content)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	temp := fmt.Sprintf("%s.%d", file, os.Getpid())
	if os.WriteFile(temp, data, 0o600) != nil || os.Rename(temp, file) != nil {
		_ = os.Remove(temp)
	}
}
