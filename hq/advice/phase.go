package advice

import (
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
)

const (
	endForHuman  = core.EndSession + ": the human decides"
	endForFerrus = core.EndSession + ": ferrus continues"
)

// NextInPhase returns what the session of a workflow's phase should do now: what the phase
// still takes from it, or its end. It never names what is optional, like a publication that
// was not requested, and nothing of a track that was not chosen.
func NextInPhase(f *flow.Flow, s flow.Snap, facts flow.Facts) string {
	switch f.Phase(s.At).Run {
	case flow.RunHuman:
		return endForHuman
	case flow.RunTasks:
		if strings.HasPrefix(facts.Tasks, flow.NoTasks) {
			return "call plan_tasks: " + facts.Tasks
		}
	case flow.RunReview:
		if facts.Missing != "" && facts.Stuck == "" {
			return "call record_review: reviews missing: " + facts.Missing
		}
	case flow.RunEdit:
		return nextEdit(f, s, facts)
	case flow.RunAgent:
		return nextEvidence(f, s, facts)
	}
	return endForFerrus
}

// nextEdit returns what an editing session does next: it reports when it is done, and the
// gate decides whether that is true.
func nextEdit(f *flow.Flow, s flow.Snap, facts flow.Facts) string {
	switch takesFinished := slices.Contains(f.Phase(s.At).Takes, flow.Finished); {
	case s.Data.Proofs >= flow.ProofLimit:
		return endForHuman
	case takesFinished && !facts.Finished:
		return "do the work, then call workflow_set with updates." + string(flow.Finished)
	case takesFinished:
		return endForFerrus
	}
	return nextEvidence(f, s, facts)
}

// nextEvidence returns the call that gives what the next phase needs, on the chosen track.
func nextEvidence(f *flow.Flow, s flow.Snap, facts flow.Facts) string {
	var tracks []string
	next := ""
	for _, way := range f.Ways(s, machine.Supervisor, facts) {
		track := trackOf(way)
		switch {
		case !slices.Contains(way.By, machine.Supervisor), track != "" && facts.Track != "" && track != facts.Track:
			continue
		case len(way.Failed) == 0:
			return "call workflow_set with phase " + string(way.To)
		case track != "":
			tracks = append(tracks, string(track))
		case next == "":
			next = suggestedCall(way)
		}
	}
	if len(tracks) > 0 && facts.Track == "" {
		return "call select_track with " + strings.Join(tracks, " or ")
	}
	if next == "" {
		return endForFerrus
	}
	return next
}

// suggestedCall returns the call that satisfies the first guard of a way that a session can.
func suggestedCall(way flow.Way) string {
	for _, failed := range way.Failed {
		if failed.Suggested != nil {
			return failed.Fix
		}
	}
	return ""
}

// trackOf returns the track that a way belongs to; empty: to each.
func trackOf(way flow.Way) flow.Track {
	for _, name := range way.Guards {
		if track, is := strings.CutSuffix(name, "-track-selected"); is {
			return flow.Track(track)
		}
	}
	return ""
}
