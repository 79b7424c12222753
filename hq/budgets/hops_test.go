package budgets

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/hq/benchtest"
)

// BenchmarkHops prints where the time from a key to its letter on the screen goes: strace sees each
// read and write on the way, and slows each down a little.
func BenchmarkHops(b *testing.B) {
	if _, err := exec.LookPath("strace"); err != nil {
		b.Skip("it needs strace")
	}
	s := openHQ(b, newProject(b, 0, "off"))
	s.send("\x0f2")
	trace := traceProcesses(b, s)
	var sent, shown [keys]time.Time
	for n := range keys {
		time.Sleep(20 * time.Millisecond)
		sent[n] = time.Now()
		s.send("x")
		s.await(fmt.Sprintf("key %d.", n+1))
		shown[n] = time.Now()
	}
	calls := trace.end(b)
	took := make([][]time.Duration, len(hops)+1)
	for n := range keys {
		at := sent[n]
		times, missed := follow(calls, sent[n], shown[n])
		if missed != "" {
			continue // a call was split in two
		}
		for i, next := range append(times, shown[n]) {
			took[i] = append(took[i], next.Sub(at))
			at = next
		}
	}
	if got := len(took[0]); got < keys/2 {
		b.Fatalf("only %d of %d keys could be followed", got, keys)
	}
	for i, hop := range append(slices.Clone(hops), hop{name: "the terminal shows it"}) {
		fmt.Printf("hop     %-42s p50 %5.2f ms  p99 %5.2f\n", hop.name, benchtest.Milliseconds(took[i], 0.5),
			benchtest.Milliseconds(took[i], 0.99))
	}
}

// hop is a system call on a key's way, named by the work done before it.
type hop struct {
	name    string
	process int // as in processTrace
	call    *regexp.Regexp
}

// The processes on the way.
const (
	inHQ = iota + 1
	inHost
	inAgent
)

var hops = []hop{
	{"HQ reads the key", inHQ, regexp.MustCompile(`^read\(\d+</dev/(pts/\d+|tty)>.*"x"`)},
	{"HQ sends it to the host", inHQ, regexp.MustCompile(`^(write|sendmsg)\(\d+<(socket|UNIX)`)},
	{"the host reads it", inHost, regexp.MustCompile(`^(read|recvmsg)\(\d+<(socket|UNIX).*= [1-9]`)},
	{"the host writes it to the terminal", inHost, regexp.MustCompile(`^write\(\d+</dev/(ptmx|pts/ptmx)>, "x"`)},
	{"the agent reads it", inAgent, regexp.MustCompile(`^read\(0<.*"x"`)},
	{"the agent prints the answer", inAgent, regexp.MustCompile(`^write\(1<.*key `)},
	{"the host reads the answer", inHost, regexp.MustCompile(`^read\(\d+</dev/(ptmx|pts/ptmx)>.*key `)},
	{"the host sends it to HQ", inHost, regexp.MustCompile(`^(write|writev|sendmsg)\(\d+<(socket|UNIX)`)},
	{"HQ reads it", inHQ, regexp.MustCompile(`^(read|recvmsg)\(\d+<(socket|UNIX).*= [1-9]`)},
	{"HQ writes the frame", inHQ, regexp.MustCompile(`^write\(\d+</dev/(pts/\d+|tty)>`)},
}

// follow returns the times of a key's hops, up to the first one that is missing.
func follow(calls []tracedCall, from, to time.Time) (times []time.Time, missed string) {
	first, _ := slices.BinarySearchFunc(calls, from, func(c tracedCall, at time.Time) int { return c.at.Compare(at) })
	rest := calls[first:]
	for _, hop := range hops {
		i := slices.IndexFunc(rest, func(c tracedCall) bool {
			return c.process == hop.process && c.at.Before(to) && hop.call.MatchString(c.text)
		})
		if i < 0 {
			return nil, hop.name
		}
		times, rest = append(times, rest[i].at), rest[i+1:]
	}
	return times, ""
}

// processTrace is a strace of HQ, its hosts and their agents.
type processTrace struct {
	command   *exec.Cmd
	file      string
	processes map[int]int // by PID
}

// tracedCall is a system call with the time of its return.
type tracedCall struct {
	at      time.Time
	process int
	text    string
}

func traceProcesses(b *testing.B, s *screen) *processTrace {
	b.Helper()
	t := &processTrace{file: filepath.Join(b.TempDir(), "trace"), processes: map[int]int{}}
	agent, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for _, pid := range benchtest.Running(agent) {
		t.processes[pid] = inAgent
	}
	delete(t.processes, os.Getpid())
	for _, pid := range benchtest.Running(program(b)) {
		t.processes[pid] = inHost
	}
	t.processes[s.command.Process.Pid] = inHQ
	args := []string{"-f", "-ttt", "-y", "-s", "200", "-o", t.file, "-e", "trace=read,write,writev,recvmsg,sendmsg"}
	for pid := range t.processes {
		args = append(args, "-p", strconv.Itoa(pid))
	}
	t.command = exec.Command("strace", args...)
	words, err := t.command.StderrPipe()
	if err == nil {
		err = t.command.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	attached := bufio.NewScanner(words)
	for n := 0; n < len(t.processes) && attached.Scan(); {
		if strings.Contains(attached.Text(), "attached") {
			n++
		}
	}
	go func() {
		for attached.Scan() { // an unread pipe would stop it
		}
	}()
	return t
}

var (
	callText    = regexp.MustCompile(`^(\d+) +(\d+\.\d+) (.*)$`)
	resumedText = regexp.MustCompile(`^<\.\.\. \w+ resumed>`)
)

// end ends the trace and returns the calls in the order of their returns.
func (t *processTrace) end(b *testing.B) (calls []tracedCall) {
	b.Helper()
	process := func(thread int) int {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
		_, after, _ := bytes.Cut(status, []byte("Tgid:\t"))
		id, _, _ := bytes.Cut(after, []byte("\n"))
		pid, _ := strconv.Atoi(string(id))
		return t.processes[pid]
	}
	_ = t.command.Process.Signal(os.Interrupt)
	_ = t.command.Wait()
	data, err := os.ReadFile(t.file)
	if err != nil {
		b.Fatal(err)
	}
	known, open := map[int]int{}, map[int]string{}
	for line := range strings.Lines(string(data)) {
		found := callText.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if found == nil {
			continue
		}
		thread, _ := strconv.Atoi(found[1])
		if _, ok := known[thread]; !ok {
			known[thread] = process(thread)
		}
		seconds, _ := strconv.ParseFloat(found[2], 64)
		text := found[3]
		if before, ok := strings.CutSuffix(text, " <unfinished ...>"); ok {
			open[thread] = before
			continue
		}
		if head := resumedText.FindString(text); head != "" {
			text = open[thread] + text[len(head):]
		}
		calls = append(calls, tracedCall{time.UnixMicro(int64(seconds * 1e6)), known[thread], text})
	}
	return calls
}
