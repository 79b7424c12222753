package conductor_test

import (
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/project"
)

// A session whose server was killed can call nothing: another takes its place.
func TestServerKilled(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c, err := conductor.Start(t.Context(), s.p, conductor.Options{}.Hearing(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c, false)
	v := s.wait(c, "a running executor", running)
	registry, err := s.p.Registry()
	if err != nil || len(registry.Agents) != 1 {
		t.Fatalf("registry %+v, %v", registry, err)
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
		t.Errorf("notices %+v", v.Notices)
	}
}
