package conductor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/conductor"
	"ferrus/hq/project"
)

// A session whose server was killed can call nothing: another takes its place.
func TestServerKilled(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c, err := conductor.Start(t.Context(), s.p, conductor.Options{}.Hearing(time.Millisecond), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c, false)
	v := s.wait(c, "a running executor", running)
	registry, err := s.p.Registry()
	if err != nil || len(registry.Agents) != 1 {
		t.Fatalf("the registry is %+v, %v; want one agent", registry, err)
	}
	entry := registry.Agents[0]
	identity := *entry.Process
	dead := project.Presence{PID: identity.PID, Start: identity.Start + 1, Host: identity.Host, Boot: identity.Boot}
	if err := s.p.SavePresence(entry.Session, dead); err != nil {
		t.Fatal(err)
	}
	first := v.Panes[0].Session
	v = s.wait(c, "the next session", func(v conductor.View) bool { return v.Panes[0].Session > first && running(v) })
	if !hasNotice(v, "the executor lost its ferrus server") {
		t.Errorf("the notices are %+v, want that the executor lost its server", v.Notices)
	}
}

// The end of a server is noticed though nothing looks at it again and again: also of one that took the place of
// another, which still runs.
func TestAwaitedServerKilled(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c, err := conductor.Start(t.Context(), s.p, conductor.Options{}.Hearing(time.Millisecond), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c, false)
	v := s.wait(c, "a running executor", running)
	registry, err := s.p.Registry()
	if err != nil || len(registry.Agents) != 1 {
		t.Fatalf("the registry is %+v, %v; want one agent", registry, err)
	}
	var server *exec.Cmd
	for range 2 {
		one := exec.Command("sleep", "1000")
		if err := one.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = one.Process.Kill(); _ = one.Wait() }()
		server = one
		id, err := process.Identify(server.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := process.AwaitEnd(over, *id); errors.Is(err, errors.ErrUnsupported) {
			t.Skip("this system cannot wait for a process of others")
		}
		now := project.Presence{PID: id.PID, Start: id.Start, Host: id.Host, Boot: id.Boot}
		if err := s.p.SavePresence(registry.Agents[0].Session, now); err != nil {
			t.Fatal(err)
		}
		for awaited := time.After(30 * time.Second); !isAwaited(id.PID); {
			select {
			case <-awaited:
				t.Fatalf("nothing waits for the end of the server %d", id.PID)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first := v.Panes[0].Session
	s.wait(c, "the next session", func(v conductor.View) bool { return v.Panes[0].Session > first && running(v) })
}

// isAwaited reports whether this process has a descriptor of a process.
func isAwaited(pid int) bool {
	all, _ := filepath.Glob("/proc/self/fdinfo/*")
	for _, name := range all {
		data, _ := os.ReadFile(name)
		if strings.Contains(string(data), fmt.Sprintf("\nPid:\t%d\n", pid)) {
			return true
		}
	}
	return false
}
