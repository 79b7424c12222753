package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// meters declares that alpha reports everything, beta its tokens and gamma nothing.
var meters = Meters{"alpha": {Tokens: true, Cost: true}, "beta": {Tokens: true}, "gamma": {}}

func load(text string, m Meters) error {
	c, err := Parse([]byte(text), agents)
	if err == nil {
		err = CheckMeasurable([]byte(text), c, m)
	}
	return err
}

// TestCacheRefusesWhatCannotBeMeasured checks that a refused file leaves the last valid one in
// effect.
func TestCacheRefusesWhatCannotBeMeasured(t *testing.T) {
	dir := t.TempDir()
	c := NewCache(dir, agents)
	c.Meters = meters
	for _, step := range []struct {
		text   string
		tokens int
		ok     bool
	}{
		{"[limits]\nmax_task_tokens = 5", 5, true},
		{"[limits]\nmax_task_tokens = 6\n[hq.executor]\nagent = \"gamma\"", 5, false},
		{"[limits]\nmax_task_tokens = 7", 7, true},
	} {
		if err := os.WriteFile(filepath.Join(dir, File), []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Get(); got.Limits.MaxTaskTokens != step.tokens || (err == nil) != step.ok {
			t.Errorf("%q: %d, %v; want %d, accepted: %v",
				step.text, got.Limits.MaxTaskTokens, err, step.tokens, step.ok)
		}
	}
}

// TestLimitsThatCannotBeMeasured checks that such limits are refused rather than ignored.
func TestLimitsThatCannotBeMeasured(t *testing.T) {
	file := func(supervisor, executor, rest string) string {
		return "[hq.supervisor]\nagent = \"" + supervisor + "\"\n[hq.executor]\nagent = \"" + executor + "\"\n" + rest
	}
	for _, test := range []struct{ text, want string }{
		{file("alpha", "beta", "[limits]\nmax_task_tokens = 1000"), ""},
		{file("alpha", "alpha", "[limits]\nmax_task_tokens = 1000\nmax_task_cost = 2.5"), ""},
		{file("gamma", "gamma", "[limits]\nmax_task_tokens = 0\nmax_task_cost = 0"), ""},
		{file("alpha", "gamma", "[limits]\nmax_task_tokens = 1000"),
			"ferrus.toml:6: limits.max_task_tokens cannot be measured: the executor is gamma, which does not report " +
				"its tokens; set it to 0, or set hq.executor.agent to one that does: alpha, beta"},
		{file("beta", "alpha", "[limits]\nmax_task_cost = 1"),
			"ferrus.toml:6: limits.max_task_cost cannot be measured: the supervisor is beta, which does not report " +
				"its cost; set it to 0, or set hq.supervisor.agent to one that does: alpha"},
		{file("alpha", "mine", "[limits]\nmax_task_tokens = 1\n[agent.mine]\ncommand = [\"x\"]"),
			"ferrus.toml:6: limits.max_task_tokens cannot be measured: the executor is mine, which does not report " +
				"its tokens; set it to 0, or set hq.executor.agent to one that does: alpha, beta"},
		{file("alpha", "beta", "interactive = true\n[limits]\nmax_task_tokens = 1"),
			"ferrus.toml:7: limits.max_task_tokens cannot be measured: hq.executor.interactive is true, and a " +
				"session on the agent's own screen does not report its tokens; set it to 0, or set " +
				"hq.executor.interactive = false"},
		{"[limits]\nmax_task_tokens = -1", "ferrus.toml:2: limits.max_task_tokens is -1, but must not be negative"},
		{"[limits]\nmax_task_cost = -0.5", "ferrus.toml:2: limits.max_task_cost is -0.5, but must be from 0 " +
			"to 1000000000"},
		{"[limits]\nmax_task_cost = nan",
			"ferrus.toml:2: limits.max_task_cost is NaN, but must be from 0 to 1000000000"},
		{"[limits]\nmax_task_cost = \"1\"",
			"ferrus.toml:2: limits.max_task_cost must be a number, not the string \"1\""},
	} {
		err := load(test.text, meters)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q\n got %s\nwant %s", test.text, got, test.want)
		}
	}
	if err := load(file("gamma", "gamma", "[limits]\nmax_task_tokens = 1"), nil); err != nil {
		t.Errorf("without meters: %v, want no error", err)
	}
	if err := load(file("gamma", "gamma", "[limits]\nmax_task_cost = 1"), Meters{}); err == nil ||
		!strings.Contains(err.Error(), "none does") {
		t.Errorf("no agent reports its cost: %v, want an error", err)
	}
}
