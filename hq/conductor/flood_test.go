package conductor_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/scheduler"
	"ferrus/hq/session"
	"ferrus/store/longtest"
)

// flood returns how many bytes an agent of the part "flood" writes before it works.
func flood() int {
	if longtest.On() {
		return 1 << 30
	}
	return 16 << 20
}

// gush writes as many bytes as the part says, and at last that it has.
func gush(out io.Writer, part string) error {
	size, err := strconv.Atoi(strings.TrimPrefix(part, "flood "))
	if err != nil {
		return err
	}
	chunk := bytes.Repeat([]byte("all work and no play makes jack a dull boy\r\n"), 1000)
	for left := size; left > 0; left -= len(chunk) {
		if _, err := out.Write(chunk[:min(left, len(chunk))]); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "\r\nwrote %d\r\n", size)
	return err
}

// conduct is a conductor in a process of its own, until it is killed.
func conduct(dir string) error {
	p, err := project.Open(dir, agent.Names()...)
	if err != nil {
		return err
	}
	c, err := scheduler.Start(context.Background(), p, conductor.Options{}, nil)
	if err != nil {
		return err
	}
	for range c.Updates() {
		for _, pane := range c.View().Panes {
			if shows(pane, "dull boy") {
				fmt.Println("flooding")
			}
		}
		if every := tasksOf(c); len(every) == 2 {
			for _, task := range every {
				for !running(task.View()) {
					<-task.Updates()
				}
			}
			fmt.Println("two tasks run")
		}
	}
	return nil
}

// tasksOf returns the conductors of the tasks of a conductor.
func tasksOf(c *scheduler.Scheduler) (all []*conductor.Conductor) {
	for _, row := range c.View().Tasks {
		if task := c.Task(row.Dir); task != nil {
			all = append(all, task)
		}
	}
	return all
}

// killedAfter has another process conduct, and kills it once it has printed a line.
func (s *fixture) killedAfter(line string) {
	s.Helper()
	first := exec.Command(os.Args[0], "conduct", s.p.Dir)
	out, err := first.StdoutPipe()
	if err == nil {
		err = first.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	if printed, err := bufio.NewReader(out).ReadString('\n'); printed != line+"\n" {
		s.Fatalf("the flood printed %q, %v; want its line", printed, err)
	}
	if err := first.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	_ = first.Wait() // it was killed
}

// HQ is killed in the middle of a flood and comes back: the same session runs
// on to the end of its output, and works. Only the newest parts of the log are kept.
func TestKilledInTheMiddleOfAFlood(t *testing.T) {
	s := newFixture(t, fmt.Sprint("flood ", flood()))
	s.task()
	s.killedAfter("flooding")
	began := time.Now()
	c := s.start()
	defer s.close(c, false)
	v := c.View()
	if len(v.Panes) != 1 || v.Panes[0].Session != 1 || !shows(v.Panes[0], "dull boy") {
		t.Fatalf("not redrawn at once: %s", describe(v))
	}
	record, ok, err := session.ReadRecord(s.p, core.SlotExecutor)
	if err != nil || !ok {
		t.Fatalf("record of the executor: found %v, %v", ok, err)
	}
	most := 0
	// The race detector and busy processors slow the flood down, to less than 1 MB/s.
	v = s.waitFor(time.Hour, c, "the end of the flood", func(v conductor.View) bool {
		most = max(most, peak(record.Host.PID))
		return v.Panes[0].Session != 1 || shows(v.Panes[0], fmt.Sprint("wrote ", flood()))
	})
	if v.Panes[0].Session != 1 {
		t.Fatalf("another session: %s", describe(v))
	}
	t.Logf("%d MB in %v; the host took %d MB at most", flood()>>20, time.Since(began).Round(time.Millisecond), most>>20)
	if most > 200<<20 { // with the race detector it takes many times the usual
		t.Errorf("the host took %d MB", most>>20)
	}
	s.waitFor(10*time.Minute, c, "the task to be complete", complete)
	s.logKept(64<<20 + 1<<20)
}

// logKept fails when the logs of the executor are larger than that.
func (s *fixture) logKept(most int64) {
	s.Helper()
	names, err := filepath.Glob(s.p.Store.Path("logs/executor_*"))
	if err != nil || len(names) == 0 {
		s.Fatalf("%d logs of the executor, %v; want at least one", len(names), err)
	}
	var sum int64
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			s.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			s.Errorf("%s has mode %v, want 0600", name, info.Mode())
		}
		sum += info.Size()
	}
	if sum > most || len(names) > 4 {
		s.Errorf("%d bytes of log in %d parts", sum, len(names))
	}
}

// peak returns the most memory that a process had, in bytes; 0 where that is not told.
func peak(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kb, _ := strconv.Atoi(number)
	return kb << 10
}
