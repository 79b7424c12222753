package remote

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/wire"
)

// A worker's figures never reduce the recorded usage, and adding them never overflows.
func TestFiguresOfAWorkerAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	long := strings.Repeat("x", 1<<20)
	for name, u := range map[string]agent.Usage{
		"negative": {Input: -5, Cached: -7, Output: -1, Cost: -100},
		"huge":     {Input: math.MaxInt, Cached: math.MaxInt, Output: math.MaxInt, Cost: math.MaxFloat64},
		"odd":      {Input: 1, Cached: 2, Cost: math.NaN()}, "endless": {Cost: math.Inf(1)},
	} {
		e := bounded(wire.Ending{Code: math.MaxInt, Signal: -9, Usage: u,
			Error: long, Why: "\x1b[2J" + long, Final: &long,
			Limit: agent.Limit{Until: now.AddDate(5000, 0, 0), Message: "\x1b]0;x\a" + long}}, now)
		got := e.Usage
		if got.Input < 0 || got.Cached < 0 || got.Cached > got.Input || got.Output < 0 || got.Input > maxTokens ||
			got.Output > maxTokens || math.IsNaN(got.Cost) || got.Cost < 0 || got.Cost > maxCost {
			t.Errorf("%s: the usage is %+v, want it within bounds", name, got)
		}
		if e.Code > 255 || e.Signal < 0 || len(*e.Final) > maxFinal || e.Limit.Until.After(now.Add(maxLimit)) {
			t.Errorf("%s: the ending is %d, %d, %v; want it within bounds", name, e.Code, e.Signal, e.Limit.Until)
		}
		for _, s := range []string{e.Error, e.Why, e.Limit.Message} {
			if len(s) > 2*maxSentence || strings.ContainsAny(s, "\x1b\a") {
				t.Errorf("%s: %d bytes, want a short sentence without control characters: %.80q", name, len(s), s)
			}
		}
	}
}

// A worker's self-description is bounded and stripped of control characters, in its greeting and
// later.
func TestAWorkerSaysLittleOfItself(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", 300<<10)
	boast := func() wire.Status {
		return wire.Status{Slots: -4, Load: -1, Cores: math.MaxInt,
			Labels:   []string{"gpu", long, "a\x1b[2Jb"},
			MemoryMB: -1, DiskMB: math.MinInt, Walls: "\x1b]52;c;x\a",
			Gates: []string{long}, Tasks: []string{"t-1", long},
			Agents:   []wire.Agent{{Name: "\x1bfoo", Missing: long}},
			Sessions: make([]wire.Session, 5000)}
	}
	w := boundedWelcome(wire.Welcome{Build: wire.Build{Version: "1\x1b[31m", System: "x\a"}, Worker: long, Boot: long,
		Status: boast()})
	for _, s := range []wire.Status{w.Status, boundedStatus(boast())} {
		body, err := json.Marshal(s)
		if err != nil || strings.Contains(string(body), `\u001b`) || strings.Contains(string(body), `\u0007`) ||
			strings.Contains(string(body), strings.Repeat("y", 1000)) {
			t.Errorf("the status is %.300s, %v; want it bounded and clean", body, err)
		}
		if len(s.Labels) != 1 || s.Labels[0] != "gpu" || len(s.Tasks) != 1 || len(s.Sessions) != maxMentioned ||
			s.Slots != 0 || s.MemoryMB != 0 || s.DiskMB != 0 || s.Load != 0 || s.Cores > 1<<16 {
			t.Errorf("the labels are %+v, and the status is not clipped to its bounds", s.Labels)
		}
	}
	if strings.ContainsAny(w.Version+w.System+w.Worker, "\x1b\a") || len(w.Worker) > 2*maxWord || len(w.Boot) > 1000 {
		t.Errorf("the worker is %.200q, want it bounded and clean", w.Worker)
	}
}
