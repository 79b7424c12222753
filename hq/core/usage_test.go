package core

import (
	"encoding/json"
	"testing"
	"time"

	"ferrus/machine"
)

func cost(f float64) *float64 { return &f }

func TestSpentSaysWhatIsUnknown(t *testing.T) {
	whole := &Usage{Input: 10_000, Cached: 4_000, Output: 2_345, Cost: cost(0.4211)}
	tokens := &Usage{Input: 10, Output: 5}
	for _, c := range []struct {
		what        string
		sessions    []*Usage
		short, long string
		json        string
	}{
		{"no session", nil, "", "no session has ended",
			`{"sessions":0,"tokens":null,"input_tokens":null,"cached_input_tokens":null,"output_tokens":null,"cost_usd":null,"sessions_without_tokens":0,"sessions_without_cost":0}`},
		{"one that reports all", []*Usage{whole}, "12.3k tok $0.42",
			"12.3k tokens (10.0k in, 4.00k of it cached, 2.35k out), $0.4211",
			`{"sessions":1,"tokens":12345,"input_tokens":10000,"cached_input_tokens":4000,"output_tokens":2345,"cost_usd":0.4211,"sessions_without_tokens":0,"sessions_without_cost":0}`},
		{"one that reports tokens", []*Usage{tokens}, "15 tok", "15 tokens (10 in, 5 out)",
			`{"sessions":1,"tokens":15,"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"cost_usd":null,"sessions_without_tokens":0,"sessions_without_cost":1}`},
		{"one that reports nothing", []*Usage{nil}, "", "not reported",
			`{"sessions":1,"tokens":null,"input_tokens":null,"cached_input_tokens":null,"output_tokens":null,"cost_usd":null,"sessions_without_tokens":1,"sessions_without_cost":1}`},
		{"some of each", []*Usage{whole, tokens, nil}, "12.4k+ tok $0.42+",
			"12.4k tokens (10.0k in, 4.00k of it cached, 2.35k out) and unknown for 1 of 3 sessions, $0.4211 and " +
				"unknown for 2 of 3 sessions",
			`{"sessions":3,"tokens":12360,"input_tokens":10010,"cached_input_tokens":4000,"output_tokens":2350,"cost_usd":0.4211,"sessions_without_tokens":1,"sessions_without_cost":2}`},
		{"a cost alone", []*Usage{{Silent: true, Cost: cost(1)}}, "$1.00", "$1.0000",
			`{"sessions":1,"tokens":null,"input_tokens":null,"cached_input_tokens":null,"output_tokens":null,"cost_usd":1,"sessions_without_tokens":1,"sessions_without_cost":0}`},
	} {
		var tally TaskUsage
		for _, u := range c.sessions {
			tally.Add(machine.Executor, u)
		}
		if got := tally.Total.Short(); got != c.short {
			t.Errorf("%s: short %q, want %q", c.what, got, c.short)
		}
		if got := tally.Total.String(); got != c.long {
			t.Errorf("%s: long %q, want %q", c.what, got, c.long)
		}
		if data, err := json.Marshal(tally.Total); err != nil || string(data) != c.json {
			t.Errorf("%s: stored as %s, %v; want %s", c.what, data, err, c.json)
		}
		if tally.Roles[machine.Executor] != tally.Total {
			t.Errorf("%s: by role %+v", c.what, tally.Roles)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1.00k", 9_994: "9.99k", 9_996: "10.0k",
		99_949: "99.9k", 99_960: "100k", 999_499: "999k", 999_600: "1.00M", 4_560_000: "4.56M", 1 << 40: "1.10T"} {
		if got := FormatCount(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestLimitIsAskedAgainAfterAnotherSuchAmount exceeds a limit, resumes and exceeds it again.
func TestLimitIsAskedAgainAfterAnotherSuchAmount(t *testing.T) {
	lim := Amount{Tokens: 100, Cost: 1}
	w := World{State: "Executing", Task: &Task{ID: "t-1"}}
	give := func(c Command) {
		t.Helper()
		c.By, c.Facts.Now = Actor{Role: machine.Ferrus, ID: "ferrus"}, time.Now()
		if c.Kind == "resume" {
			c.By = Actor{Role: machine.Human, ID: "person"}
		}
		d, err := Decide(w, c, Limits{CheckRetries: 20, ReviewCycles: 3})
		if err != nil {
			t.Fatal(err)
		}
		w = d.World
	}
	over := func(tokens int, cost float64, want string) {
		t.Helper()
		if got := w.OverLimit(UsageTotal{Sessions: 1, Input: tokens, Cost: cost}, lim); got != want {
			t.Errorf("at %d tokens and $%v: %q, want %q", tokens, cost, got, want)
		}
	}
	over(100, 1, "")
	over(101, 1, HoldTokens)
	give(Command{Kind: "hold", Text: HoldTokens, Used: &Amount{Tokens: 130, Cost: 0.8}})
	over(500, 9, "")
	give(Command{Kind: "resume"})
	over(230, 0.9, "")
	over(231, 0.9, HoldTokens)
	over(150, 1.01, HoldCost)
	give(Command{Kind: "hold", Text: HoldCost, Used: &Amount{Tokens: 150, Cost: 1.01}})
	give(Command{Kind: "resume"})
	over(231, 1.5, HoldTokens)
	over(150, 2.02, HoldCost)
	if w.OverLimit(UsageTotal{Sessions: 1, Input: 1 << 30}, Amount{}) != "" {
		t.Error("a limit of 0 was reached")
	}
	for _, s := range []machine.State{"Idle", "Complete", "Failed"} {
		if w.State = s; w.OverLimit(UsageTotal{Sessions: 1, Input: 1 << 30}, lim) != "" {
			t.Errorf("a task that is %s was put on hold", s)
		}
	}
}

// TestHoldForALimitSharesNothing checks that Decide stays pure.
func TestHoldForALimitSharesNothing(t *testing.T) {
	w := World{State: "Executing", Task: &Task{ID: "t-1", Asked: &Amount{Tokens: 1}}}
	c := Command{Kind: "hold", Text: HoldTokens, Used: &Amount{Tokens: 9}, By: Actor{Role: machine.Ferrus}}
	if d, err := Decide(w, c, Limits{}); err != nil || d.World.Task.Asked.Tokens != 9 || w.Task.Asked.Tokens != 1 {
		t.Errorf("asked for are %+v, %v, was %+v; want 9 tokens, and 1 unchanged", d.World.Task, err, w.Task.Asked)
	}
}
