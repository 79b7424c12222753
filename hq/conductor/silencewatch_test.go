package conductor_test

import (
	"strings"
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/project"
)

// A headless session that prints nothing is reported once a silence; one that waits
// in a call is not.
func TestSilent(t *testing.T) {
	const limit = 600 * time.Millisecond
	s := newFixture(t, "hang")
	s.task()
	c, err := conductor.Start(t.Context(), s.p, conductor.Options{}.WithSilence(limit), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c, false)
	notices := func(times int) func(conductor.View) bool {
		return func(v conductor.View) bool { return silences(v) == times }
	}
	s.wait(c, "notice", notices(1))
	s.call("check")
	from := time.Now()
	s.wait(c, "time", func(conductor.View) bool { return time.Since(from) > 3*limit })
	if n := silences(c.View()); n != 1 {
		t.Errorf("%d notices while it waits in a call", n)
	}
	s.call("")
	s.wait(c, "second notice", notices(2))
}

func silences(v conductor.View) (n int) {
	for _, notice := range v.Notices {
		if strings.HasPrefix(notice.Text, "no output from the executor (actor) for") && notice.Error {
			n++
		}
	}
	return n
}

// call has the server of the first session say that it is in a call of a tool, or
// has just ended one.
func (s *fixture) call(tool string) {
	s.Helper()
	registry, err := s.p.Registry()
	if err != nil {
		s.Fatal(err)
	}
	entry, now := registry.Agents[0], time.Now()
	identity := *entry.Process
	if err := s.p.SavePresence(entry.Session, project.Presence{
		PID: identity.PID, Start: identity.Start, Host: identity.Host, Boot: identity.Boot, Tool: tool, Since: &now,
	}); err != nil {
		s.Fatal(err)
	}
}
