package core

import (
	"encoding/json"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/machine"
)

// Whatever is in STATE.json, Decide never panics, accepts nothing on a damaged state but a reset,
// and always leaves a valid state.
func FuzzDecide(f *testing.F) {
	p := newLoop(&testing.T{})
	p.do(say("create_task", planner, "x"))
	p.do(Command{Kind: "claim", By: executor})
	for range 3 {
		seed, err := json.Marshal(p.w)
		if err != nil {
			f.Fatal(err)
		}
		for kind := range len(kinds) {
			f.Add(seed, uint8(kind), uint8(kind), request)
		}
		p.do(say("check", executor, ""))
	}
	for _, s := range []string{
		`{"state":"AwaitingHuman"}`, `{"state":"Checking"}`, `{"state":"Consultation","paused":["Idle"]}`,
		`{"state":"x"}`,
		`{"state":"AwaitingHuman","paused":["Executing","Consultation","Reviewing"]}`,
		`{"state":"Reviewing","check_retries":-3}`,
		`{"state":"AwaitingHuman","paused":["Checking"],"gate":{"from":"Executing"}}`,
		`{"task":{},"claim":{},"question":{"answered":true}}`,
	} {
		for kind := range len(kinds) {
			f.Add([]byte(s), uint8(kind), uint8(0), "x")
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind, who uint8, text string) {
		var w World
		if json.Unmarshal(data, &w) != nil {
			return
		}
		c := Command{Kind: kinds[int(kind)%len(kinds)], By: actors[int(who)%len(actors)], Text: text}
		c.Gate = &GateResult{Verdict: checks.Pass, Tree: "a"}
		c.Facts = Facts{Now: time.Unix(1e9, 0), NextSeq: 9, TaskID: "t-1", Tree: "a"}
		d, err := Decide(w, c, Limits{CheckRetries: 2, ReviewCycles: 2})
		Advice.Explain(w)
		Advice.Next(w, c.By)
		Plan(w, nil, nil, false)
		if err != nil {
			return
		}
		if err := d.World.Validate(); err != nil {
			t.Fatalf("%s on %s leads to %+v: %v", c.Kind, data, d.World, err)
		}
	})
}

func TestADamagedStateIsOnlyPutAway(t *testing.T) {
	p := newLoop(t)
	p.w.State = "AwaitingHuman"
	p.wantRefusal(say("answer", human, "x"), machine.GuardFailed, "state-sound")
	p.do(Command{Kind: "reset", By: human})
	p.wantState("Idle")
}
