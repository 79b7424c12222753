package gate

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ferrus/hq/project"
	"ferrus/ui/text"
)

// detach starts a program in the background, with the shell's standard input, and returns. The program has no
// parent that could wait for it, end it, or have to wait for it.
const detach = `exec 3<&0; "$@" <&3 3<&- >/dev/null &`

// Ensure starts a detached runner when the state says that a gate runs and
// neither a conductor nor a runner is there. The runner is this program's hidden
// command gate; it ends with its ticket.
func Ensure(p *project.Task) error {
	_, err := ensure(p)
	return err
}

// ensure is Ensure, and reports whether it started a runner.
func ensure(p *project.Task) (started bool, err error) {
	state, err := p.World()
	if err != nil || !state.World.GateRunning() {
		return false, err
	}
	if _, held, err := p.Store.Holder(project.ConductorLock); err != nil || held {
		return false, err
	}
	if busy, err := busy(p); err != nil || busy {
		return false, err
	}
	ticket := state.World.Gate.Ticket
	if !recent.first(p.Store.Path(), ticket) {
		return false, nil
	}
	words, err := p.Store.Append(wordsFile)
	if err != nil {
		return false, fmt.Errorf("start the gate: %w", err)
	}
	defer words.Close()
	return true, startDetached(p, nil, words, "--ticket", strconv.FormatUint(ticket, 10))
}

// recent are the runners that this process has just started and that may not
// have taken the lock yet.
var recent starts

type starts struct {
	mu sync.Mutex // guards at
	at map[string]time.Time
}

// first reports whether no runner of the ticket was started a moment ago.
func (s *starts) first(dir string, ticket uint64) bool {
	key := fmt.Sprintf("%d %s", ticket, dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.at[key]; ok && time.Since(at) < lookEvery {
		return false
	}
	s.at = map[string]time.Time{key: time.Now()} // One at a time is what a process asks for.
	return true
}

// wordsFile gets what detached runners say.
const wordsFile = "logs/gate.txt"

// wordsSince returns the first line that detached runners said after an offset, and the offset of what comes next.
func wordsSince(p *project.Task, offset int64) (line string, next int64) {
	f, err := p.Store.OpenFile(wordsFile)
	if err != nil {
		return "", 0 // Nothing yet.
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0
	}
	const most = 4 << 10
	next = info.Size()
	data, _ := io.ReadAll(io.NewSectionReader(f, offset, min(next-offset, most))) // what was read counts
	return text.FirstLine(string(data)), next
}

// failedSentence says that a runner ended without a verdict, and why; empty: nothing is known.
func failedSentence(p *project.Task, words string) string {
	const tried = "the gate ended without a verdict and is tried again"
	if words != "" {
		return tried + ": " + strings.TrimPrefix(words, "ferrus: ")
	}
	var s syscall.Statfs_t // A full disk takes no words.
	if err := syscall.Statfs(p.Store.Path(), &s); err != nil {
		return ""
	}
	free := s.Bavail * uint64(s.Bsize) >> 20 //nolint:unconvert // the types differ by system
	if free >= 64 {
		return ""
	}
	return fmt.Sprintf("%s; the disk of %s has %d MiB left: free some space", tried, p.Store.Path(), free)
}

// startDetached starts the hidden command gate with some arguments and returns once it runs. Its standard input and
// standard error may be nil.
func startDetached(p *project.Task, input, words *os.File, args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start the gate: %w", err)
	}
	// The system marks a program that was replaced since it was started.
	program = strings.TrimSuffix(program, " (deleted)")
	cmd := exec.Command("/bin/sh", append([]string{"-c", detach, "sh", program, "gate"}, args...)...)
	cmd.Dir, cmd.Env = p.Dir, environment(p)
	if input != nil {
		cmd.Stdin = input
	}
	if words != nil {
		cmd.Stderr = words
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("start the gate: %w", err)
	}
	return nil
}

// environment returns this process's environment without what marks a session:
// the runner does not belong to the session that asked, and must not be ended
// with it. The mark of a gate around us stays.
func environment(p *project.Task) []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "FERRUS_") || strings.HasPrefix(entry, "FERRUS_GATE=") {
			env = append(env, entry)
		}
	}
	return append(env, project.ProjectEnv+"="+p.Dir, project.TaskEnv+"="+p.ID)
}
