package projection

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/machine"
	"ferrus/machine/pair"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// pairTones say how each state of a pair looks.
var pairTones = map[machine.State]style.Tone{
	pair.StateInit: style.Busy, pair.StateWorking: style.Busy, pair.StateReviewing: style.Busy,
	pair.StateComplete: style.Good, pair.StateFailed: style.Bad,
}

// showPair puts a pair into the bar at the top.
func showPair(s *view.Status, p *conductor.PairView, now time.Time) {
	s.State = view.State{Text: "pair " + string(p.State), Tone: pairTones[p.State]}
	if p.Stopped {
		s.State = view.State{Text: "pair stopped", Tone: style.Warn}
	}
	s.Title, s.Checks, s.Reviews, s.Used = text.Sanitize(p.Task), "", "", ""
	s.Rounds = fmt.Sprintf("iteration %d/%d", p.Iteration, p.Limit)
	s.Counter = s.Rounds
	if p.Signal != "" {
		s.Rounds += "  " + text.Sanitize(p.Signal)
	}
	end := now
	if !p.Running {
		end = p.Ended
	}
	s.Elapsed = minutes(end.Sub(p.Began))
}

func pairState(p *conductor.PairView) string {
	state := string(p.State)
	if p.Stopped {
		state = "stopped"
	}
	return fmt.Sprintf("%s, iteration %d of %d", state, p.Iteration, p.Limit)
}

// explainPair says where a pair stands.
func explainPair(p *conductor.PairView) string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Pair %s, %s: %s\n", text.Sanitize(p.ID), text.Sanitize(p.Mode), text.Sanitize(p.Task))
	fmt.Fprintf(&b, "state       %s\n", pairState(p))
	if p.Signal != "" {
		fmt.Fprintf(&b, "last signal %s\n", text.Sanitize(p.Signal))
	}
	if p.Why != "" {
		fmt.Fprintf(&b, "%s\n", text.SanitizeLines(p.Why))
	}
	if p.Resume != "" {
		fmt.Fprintf(&b, "continue    %s\n", text.Sanitize(p.Resume))
	}
	fmt.Fprintf(&b, "transcript  .ferrus/runs/%s/transcript.jsonl\n\n", text.Sanitize(p.ID))
	return b.String()
}
