package pair

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/machine/pair"
	"ferrus/store/longtest"
)

// promptPart is a part of the prompt of an agent's launch, counted from 0.
type promptPart struct {
	agent  string
	launch int
	text   string
}

func TestStories(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	good, done := reply{edit: "good", says: "I wrote it.\n{DONE}"}, reply{says: "It is there.\n{DONE}"}
	pass := reply{says: "Fine.\n{PASS}\n"}
	for _, c := range []struct {
		name       string
		mode       pair.Mode
		one, other []reply
		states     string
		events     string
		reason     pair.Reason
		prompts    []promptPart
	}{
		{
			name: "single", mode: pair.Single, one: []reply{good},
			states: "working complete", events: "started done gated",
		},
		{
			name: "review", mode: pair.Review, one: []reply{good}, other: []reply{pass},
			states: "working reviewing complete", events: "started done gated pass gated",
			prompts: []promptPart{{"other", 0, "+good"}, {"other", 0, "I wrote it."},
				{"other", 0, "run by ferrus: PASS"}},
		},
		{
			name: "a red gate", mode: pair.Review, one: []reply{{edit: "bug", says: "{DONE}"}, good},
			other:  []reply{pass},
			states: "working reviewing complete", events: "started done gated done gated pass gated",
			prompts: []promptPart{{"one", 1, "! grep -q bug work.txt"}},
		},
		{
			name: "rework", mode: pair.Review, one: []reply{good, {edit: "better", says: "{DONE}"}},
			other:   []reply{{says: "line 1 is dull\n{REWORK}: make it better"}, pass},
			states:  "working reviewing working reviewing complete",
			events:  "started done gated rework done gated pass gated",
			prompts: []promptPart{{"one", 1, "line 1 is dull"}, {"one", 1, "make it better"}, {"other", 1, "+better"}},
		},
		{
			name: "no signal is a turn like others", mode: pair.Review,
			one:     []reply{{edit: "good", says: "I wrote it. All DONE."}, done},
			other:   []reply{{says: "LGTM, but name it"}, pass},
			states:  "working reviewing working reviewing complete",
			events:  "started no_signal no_signal done gated pass gated",
			prompts: []promptPart{{"other", 0, "not run on these files yet"}, {"one", 1, "LGTM, but name it"}},
		},
		{
			name: "a pass proves the tree that no gate ran on", mode: pair.Review,
			one: []reply{{edit: "good", says: "hm"}}, other: []reply{pass},
			states: "working reviewing complete", events: "started no_signal pass gated",
		},
		{
			name: "a pass of a red tree", mode: pair.Review,
			one: []reply{{edit: "bug", says: "hm"}, good}, other: []reply{pass, pass},
			states:  "working reviewing working reviewing complete",
			events:  "started no_signal pass gated done gated pass gated",
			prompts: []promptPart{{"one", 1, "! grep -q bug work.txt"}},
		},
		{
			name: "three turns without a signal", mode: pair.Review,
			one: []reply{{says: "hm"}, {says: "hm"}}, other: []reply{{says: "hm"}},
			states: "working reviewing working failed", events: "started no_signal no_signal no_signal",
			reason: pair.Silence,
		},
		{
			name: "a reviewer that edits", mode: pair.Review,
			one: []reply{good, done}, other: []reply{{edit: "mine", says: "{PASS}"}, pass},
			states:  "working reviewing working reviewing complete",
			events:  "started done gated pass done gated pass gated",
			prompts: []promptPart{{"one", 1, "the approval is void"}},
		},
		{
			name: "consensus, the secondary first", mode: pair.Consensus,
			one: []reply{good, {says: "I agree.\n{PASS}"}}, other: []reply{pass},
			states: "working reviewing working complete", events: "started done gated pass gated pass gated",
			prompts: []promptPart{{"one", 1, "approved the files exactly as they are"}},
		},
		{
			name: "consensus, the primary first", mode: pair.Consensus, one: []reply{{says: "{PASS}"}},
			other:  []reply{pass},
			states: "working reviewing complete", events: "started pass gated pass gated",
			prompts: []promptPart{{"other", 0, "The worker has approved them too."}},
		},
		{
			name: "consensus, who works does not vote", mode: pair.Consensus,
			one: []reply{{edit: "good", says: "{PASS}"}, {says: "{PASS}"}}, other: []reply{pass},
			states: "working reviewing working complete", events: "started pass gated pass gated pass gated",
		},
		{
			name: "an agent gives up", mode: pair.Review, one: []reply{{says: "{FAIL}: it cannot be done"}},
			states: "working failed", events: "started fail", reason: pair.GivenUp,
		},
		{
			name: "the reviewer gives up", mode: pair.Review, one: []reply{good},
			other:  []reply{{says: "{FAIL}: nonsense"}},
			states: "working reviewing failed", events: "started done gated fail", reason: pair.GivenUp,
		},
		{
			name: "a reviewer's words in the worker's mouth", mode: pair.Review,
			one: []reply{{edit: "good", says: "{PASS}"}}, other: []reply{pass},
			states: "working reviewing complete", events: "started no_signal pass gated",
		},
		{
			name: "the limit", mode: pair.Single,
			one: []reply{{edit: "bug 1", says: "{DONE}"}, {edit: "bug 2", says: "{DONE}"},
				{edit: "bug 3", says: "{DONE}"}, {edit: "bug 4", says: "{DONE}"}, {edit: "bug 5", says: "{DONE}"}},
			states: "working failed", events: "started" + strings.Repeat(" done gated", 5), reason: pair.MaxIterations,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, cast := newRun(t, newProject(t), c.mode, c.one, c.other)
			err := r.Go(t.Context())
			var failed *FailedError
			if c.reason == "" && err != nil || c.reason != "" &&
				(!errors.As(err, &failed) || failed.Reason != c.reason) {
				t.Fatalf("%v", err)
			}
			if states, events := journey(t, r); states != c.states || events != c.events {
				t.Errorf("%s (%s)\nwant %s (%s)", states, events, c.states, c.events)
			}
			for _, want := range c.prompts {
				prompts := cast.prompts[want.agent]
				if want.launch >= len(prompts) || !strings.Contains(prompts[want.launch], want.text) {
					t.Errorf("%+v is not in the prompts: %q", want, prompts)
				}
			}
			if len(cast.replies["one"])+len(cast.replies["other"]) != 0 {
				t.Errorf("an agent was not asked: %v", cast.replies)
			}
		})
	}
}

// An edit between a pass and its gate voids the pass.
func TestALaterEditVoidsAPass(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	t.Parallel()
	p := newProject(t)
	r, _ := newRun(t, p, pair.Review,
		[]reply{{edit: "good", says: "{DONE}"}, {says: "{DONE}"}}, []reply{{says: "{PASS}"}, {says: "{PASS}"}})
	edited := false
	r.Watch = func(e Event) {
		if e.Entry != nil && e.Entry.Event == "pass" && !edited {
			edited = true
			write(t, filepath.Join(p.Dir, "other.txt"), "after the pass\n")
		}
	}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := journey(t, r); events != "started done gated pass gated done gated pass gated" {
		t.Error(events)
	}
}

// An edit in one iteration voids the vote of the previous one.
func TestVotesAreOfOneTree(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	t.Parallel()
	r, _ := newRun(t, newProject(t), pair.Consensus,
		[]reply{{edit: "good", says: "{DONE}"}, {edit: "better", says: "{PASS}"}, {says: "{PASS}"}},
		[]reply{{says: "{PASS}"}, {says: "{PASS}"}})
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if states, _ := journey(t, r); states != "working reviewing working reviewing working complete" ||
		r.Manifest.Iteration != 3 {
		t.Errorf("%s, %d", states, r.Manifest.Iteration)
	}
}

// An agent that has hit its usage limit is waited for, and that is no error.
func TestLimitParks(t *testing.T) {
	t.Parallel()
	soon := agent.Limit{Until: time.Now().Add(time.Millisecond), Message: "You've hit your limit"}
	r, _ := newRun(t, newProject(t), pair.Single, []reply{
		{exit: 1, used: soon, says: "limit"}, {exit: 1, used: soon}, {exit: 1, used: soon},
		{edit: "good", says: "{DONE}"},
	}, nil)
	waits := 0
	r.Changed = func() {
		for _, v := range r.Panes() {
			if v.State == session.CoolingDown && v.Limit == soon.Message && !v.Until.IsZero() {
				waits++
				if v.TotalErrors != 0 {
					t.Errorf("it counts as an error: %+v", v)
				}
			}
		}
	}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := r.Transcript()
	if err != nil {
		t.Fatal(err)
	}
	parked := 0
	for _, e := range all {
		if e.Parked && strings.Contains(e.Text, "has reached its usage limit, which resets") {
			parked++
		}
	}
	if waits < 3 || parked != 3 {
		t.Errorf("%d waits are shown, %d are in the transcript", waits, parked)
	}
}

// Where the vendor names no time, a human who does not want to wait stops the run
// and resumes it.
func TestLimitWithoutATime(t *testing.T) {
	t.Parallel()
	r, c := newRun(t, newProject(t), pair.Single, []reply{
		{exit: 1, used: agent.Limit{Message: "You've hit your limit"}}, {edit: "good", says: "{DONE}"},
	}, nil)
	ctx, stop := context.WithCancel(t.Context())
	r.Changed = func() {
		for _, v := range r.Panes() {
			if v.Limit != "" && time.Until(v.Until) > 4*time.Minute {
				stop()
			}
		}
	}
	if err := r.Go(ctx); !errors.Is(err, ErrCancelled) {
		t.Fatal(err)
	}
	again, err := Open(r.project, r.Manifest.ID)
	if err != nil {
		t.Fatal(err)
	}
	again.Launcher = c
	if err := again.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestErrorsOfAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents that fail")
	}
	t.Parallel()
	p := newProject(t)
	r, c := newRun(t, p, pair.Single, []reply{{exit: 1, says: "boom"}, {exit: 1, says: "no quota"}}, nil)
	err := r.Go(t.Context())
	var failed *FailedError
	if !errors.As(err, &failed) || failed.Reason != pair.AgentError || failed.Why != "primary (one): exit 1: no quota" {
		t.Fatalf("%v", err)
	}
	// Once, with a wait; then it is given up. A human may resume it.
	if len(c.prompts["one"]) != 2 {
		t.Errorf("%d launches", len(c.prompts["one"]))
	}
	c.replies["one"] = []reply{{exit: 1}, {edit: "good", says: "{DONE}"}}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if states, events := journey(t, r); states != "working failed working complete" ||
		events != "started agent_error resume done gated" || r.Manifest.Iteration != 1 {
		t.Errorf("%s (%s), %d", states, events, r.Manifest.Iteration)
	}
	r, c = newRun(t, p, pair.Review, nil, nil)
	c.missing = "other"
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Reason != pair.NotStarted ||
		failed.Why != "other: not found on PATH" {
		t.Errorf("%v", err)
	}
	if r.Manifest.State != "failed" || r.Manifest.ResumeState != "submitted" {
		t.Errorf("%s, %s", r.Manifest.State, r.Manifest.ResumeState)
	}
}

func TestCancelAndResume(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	t.Parallel()
	for _, c := range []struct {
		name       string
		one, other []reply
		resume     string
		states     string
	}{
		{"working", []reply{{wait: true}, {edit: "good", says: "{DONE}"}}, []reply{{says: "{PASS}"}}, "working",
			"working failed working reviewing complete"},
		{"reviewing", []reply{{edit: "good", says: "{DONE}"}}, []reply{{wait: true}, {says: "{PASS}"}}, "reviewing",
			"working reviewing failed reviewing complete"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			r, cast := newRun(t, p, pair.Review, c.one, c.other)
			if err := SendMessage(p, r.Manifest.ID, Primary, "Mind the gap."); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-cast.begun; cancel() }()
			if err := r.Go(ctx); !errors.Is(err, ErrCancelled) {
				t.Fatal(err)
			}
			if m := r.Manifest; m.State != "failed" || m.Error != "cancelled" || string(m.ResumeState) != c.resume ||
				m.Iteration != 1 {
				t.Errorf("%s, %q, %s", m.State, m.Error, m.ResumeState)
			}
			again, err := Open(p, r.Manifest.ID)
			if err != nil {
				t.Fatal(err)
			}
			again.Launcher = cast
			if err := again.Go(t.Context()); err != nil {
				t.Fatal(err)
			}
			if states, _ := journey(t, again); states != c.states || again.Manifest.Iteration != 1 {
				t.Errorf("%s, iteration %d", states, again.Manifest.Iteration)
			}
			// The turn in flight gets the message again; no other does.
			for i, prompt := range cast.prompts["one"] {
				if !strings.Contains(prompt, "Mind the gap.") {
					t.Errorf("prompt %d lacks the message", i)
				}
			}
			if err := again.Go(t.Context()); !errors.Is(err, ErrComplete) {
				t.Error(err)
			}
		})
	}
}

func TestMessagesAreDeliveredOnce(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	r, c := newRun(t, p, pair.Review,
		[]reply{{edit: "good", says: "{DONE}"}, {says: "{DONE}"}},
		[]reply{{says: "no\n{REWORK}: more"}, {says: "{PASS}"}})
	for to, text := range map[string]string{Primary: "for one", Secondary: "for other", "": "for both"} {
		if err := SendMessage(p, r.Manifest.ID, to, text); err != nil {
			t.Fatal(err)
		}
	}
	// A line that a crash tore is left out, and nothing after it is.
	file, err := p.Store.Append(r.Manifest.file(messagesName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"to":"primary","text":"to`); err != nil {
		t.Fatal(err)
	}
	file.Close()
	if err := SendMessage(p, r.Manifest.ID, Primary, "after it"); err != nil {
		t.Fatal(err)
	}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	for agent, want := range map[string][]string{
		"one": {"for one", "for both", "after it"}, "other": {"for other", "for both"},
	} {
		for _, text := range want {
			got := strings.Count(strings.Join(c.prompts[agent], "\n"), text)
			if got != 1 || !strings.Contains(c.prompts[agent][0], text) {
				t.Errorf("%s got %q %d times", agent, text, got)
			}
		}
	}
	if strings.Contains(strings.Join(c.prompts["one"], "\n"), "for other") {
		t.Error("one got what is for other")
	}
	for _, bad := range [][2]string{{"third", "x"}, {Primary, " "}} {
		if SendMessage(p, r.Manifest.ID, bad[0], bad[1]) == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestLimitIsRaised(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it plays several runs")
	}
	r, c := newRun(t, newProject(t), pair.Single, []reply{{edit: "bug 1", says: "{DONE}"}}, nil)
	r.Manifest.MaxIterations = 1
	var failed *FailedError
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Why != "max iterations reached" {
		t.Fatal(err)
	}
	var refusal *machine.Refusal
	if err := r.Go(t.Context()); !errors.As(err, &refusal) {
		t.Errorf("%v", err)
	}
	r.Manifest.MaxIterations = 2
	c.replies["one"] = []reply{{edit: "good", says: "{DONE}"}}
	if err := r.Go(t.Context()); err != nil || r.Manifest.Iteration != 2 {
		t.Errorf("%v, iteration %d", err, r.Manifest.Iteration)
	}
	if !strings.Contains(c.prompts["one"][1], "! grep -q bug work.txt") {
		t.Error("the report of the gate before is lost")
	}
}

func TestWhereListAndIDs(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var ids []string
	for range 3 {
		r, _ := newRun(t, p, pair.Single, nil, nil)
		ids = append(ids, r.Manifest.ID)
	}
	all, err := List(p)
	if err != nil || len(all) != 3 || ids[0] == ids[1] || ids[1] == ids[2] {
		t.Errorf("%d runs, %v, %v", len(all), ids, err)
	}
	if err := p.Store.MkdirExclusive("runs/p-20261120-101500-0000"); err != nil {
		t.Fatal(err)
	}
	if all, err := List(p); err != nil || len(all) != 3 {
		t.Errorf("a run that was never written: %d, %v", len(all), err)
	}
	for _, start := range []string{t.TempDir(), p.Dir, "/"} {
		if dir, err := Locate(start, ids[1]); err != nil || dir != p.Dir {
			t.Errorf("from %s: %q, %v", start, dir, err)
		}
	}
	for _, id := range []string{"", "1", "p-20261120-101500-zzzz", "../x", "p-20200101-000000-0000"} {
		if _, err := Locate(p.Dir, id); !errors.Is(err, ErrNoRun) {
			t.Errorf("%q: %v", id, err)
		}
		if _, err := Open(p, id); !errors.Is(err, ErrNoRun) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(p.Dir, ".ferrus", "runs", ids[0])); err != nil {
		t.Fatal(err)
	}
	if _, err := Locate("/", ids[0]); !errors.Is(err, ErrNoRun) || !strings.Contains(err.Error(), p.Dir) {
		t.Errorf("%v", err)
	}
}

// Who works may edit ferrus.toml; that changes neither the gate nor who reviews.
func TestTheConfigurationIsPinned(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	t.Parallel()
	p := newProject(t)
	agent := func(says string) string {
		return "command = [\"sh\", \"-c\", \"echo $(printf '%s' \\\"$1\\\" | grep -o '" + says +
			" [0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]' | head -n 1)" +
			map[bool]string{true: ": no", false: ""}[says == "FAIL"] + "\", \"x\", \"{prompt}\"]\n"
	}
	file := filepath.Join(p.Dir, "ferrus.toml")
	write(t, file, toml+"[agent.mine]\n"+agent("DONE")+"[agent.yours]\n"+agent("FAIL"))
	r, err := Create(t.Context(), p, Options{
		Task: "Write it.", Primary: "mine", Secondary: "yours", Mode: pair.Review, MaxIterations: 5,
		Words: pair.DefaultWords,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Watch = func(e Event) {
		if e.Entry != nil && e.Entry.Event == "done" {
			red := strings.Replace(toml, "! grep -q bug work.txt", "false", 1)
			write(t, file, red+"[agent.mine]\n"+agent("DONE")+"[agent.yours]\n"+agent("PASS"))
		}
	}
	var failed *FailedError
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Reason != pair.GivenUp ||
		failed.Why != "an agent failed the run: no" {
		t.Errorf("%v", err)
	}
	if states, events := journey(t, r); states != "working reviewing failed" || events != "started done gated fail" {
		t.Errorf("%s (%s)", states, events)
	}
}

// A flood takes bounded memory, and its last line is still read.
func TestPageKeepsTheEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it prints 4 MB")
	}
	shown := 0
	p := &page{lines: func(string) { shown++ }}
	for range 2000 {
		if _, err := p.Write([]byte(strings.Repeat("some words of an agent\r\n", 100))); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{
		"\x1b[32mgreen\x1b[0m\r\n", strings.Repeat("x", 3*pageLimit), "\r\nthe ", "end\r\n\r\n", "DONE 3fa9c1",
	} {
		if _, err := p.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	p.finish()
	if text := p.String(); len(text) > 2*pageLimit || !strings.HasSuffix(text, "\nthe end\n\nDONE 3fa9c1") {
		t.Errorf("%d bytes, ending %q", len(text), text[max(0, len(text)-60):])
	}
	if shown < 200_000 {
		t.Errorf("%d lines were shown", shown)
	}
}

// A change of what the checks rest on is the human's to accept, tree by tree.
func TestAlarmsAreForTheHuman(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	t.Parallel()
	p := newProject(t)
	r, c := newRun(t, p, pair.Review, []reply{{edit: "good", says: "{DONE}"}}, []reply{{says: "{PASS}"}})
	write(t, filepath.Join(p.Dir, ".gitignore"), ".ferrus/\n*_test.go\n")
	var needs *NeedsHuman
	if err := r.Go(t.Context()); !errors.As(err, &needs) || !needs.Accept ||
		!strings.Contains(needs.Why, ".gitignore") {
		t.Fatalf("%v", err)
	}
	if prompt := c.prompts["other"][0]; !strings.Contains(prompt, "<alarms>\n.gitignore") {
		t.Errorf("the reviewer was not told: %s", prompt)
	}
	if err := r.Go(t.Context()); !errors.As(err, &needs) {
		t.Fatalf("%v", err)
	}
	if r.Manifest.State != "reviewing" || r.Manifest.Gates != 1 {
		t.Errorf("%s, %d gates", r.Manifest.State, r.Manifest.Gates)
	}
	// What was accepted is that tree; another one is asked about again.
	write(t, filepath.Join(p.Dir, ".gitignore"), ".ferrus/\n*.py\n")
	c.replies = map[string][]reply{"one": {{says: "{DONE}"}}, "other": {{says: "{PASS}"}}}
	r.Accept = true
	if err := r.Go(t.Context()); !errors.As(err, &needs) {
		t.Fatalf("%v", err)
	}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := journey(t, r); events != "started done gated pass gated done gated pass gated" {
		t.Error(events)
	}
}

// What an agent prints of the environment, or what looks like a key, is in no
// file of its run, nor does the other agent learn it.
func TestSecretsAreNotKept(t *testing.T) {
	const secret, key = "correct-horse-battery", "sk-0123456789abcdefghij"
	t.Setenv("SOME_TOKEN", secret)
	p := newProject(t)
	agents := `
[agent.leak]
command = ["sh", "-c", "echo good >work.txt; echo $SOME_TOKEN; echo ` + key[:10] + `''` + key[10:] +
		`; printf '%s\n' \"$1\" | sed -n 's/^- .\\(DONE [0-9a-f]*\\).*/\\1/p'", "sh", "{prompt}"]
`
	write(t, filepath.Join(p.Dir, "ferrus.toml"), toml+agents)
	r, err := Create(t.Context(), p, Options{
		Task: "Write it.", Primary: "leak", Secondary: "other", Mode: pair.Review, MaxIterations: 1,
		Words: pair.DefaultWords,
	})
	if err != nil {
		t.Fatal(err)
	}
	other := &scriptedAgents{dir: p.Dir, replies: map[string][]reply{"other": {{says: "{REWORK}: hide " + secret}}}}
	r.Launcher = mixed{r.Manifest.Setup.local(p), other}
	var failed *FailedError
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Reason != pair.MaxIterations {
		t.Fatal(err)
	}
	if prompt := other.prompts["other"][0]; strings.Contains(prompt, secret) ||
		!strings.Contains(prompt, "[redacted]") {
		t.Errorf("the reviewer got:\n%s", prompt)
	}
	names, err := p.Store.List("runs/" + r.Manifest.ID)
	if err != nil || len(names) < 3 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		text, err := p.Store.ReadFile("runs/" + r.Manifest.ID + "/" + name)
		if err != nil || strings.Contains(string(text), secret) || strings.Contains(string(text), key) {
			t.Errorf("%s keeps a secret (%v):\n%s", name, err, text)
		}
	}
}

// mixed has the primary run for real, and the secondary played.
type mixed struct {
	*session.Local
	other *scriptedAgents
}

func (m mixed) Launch(l session.Launch, screen agent.Screen) (session.Process, error) {
	if l.Slot == core.SlotSecondary {
		return m.other.Launch(l, screen)
	}
	return m.Local.Launch(l, screen)
}

func (m mixed) Ready(string) error { return nil }

// In consensus DONE of both counts on one tree; a REWORK without notes counts, and the
// reviewer is asked for them; and no prompt shows the digits of another turn.
func TestConsensusByDone(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	p := newProject(t)
	r, c := newRun(t, p, pair.Consensus, []reply{
		{edit: "one", says: "did it\n{DONE}"}, {edit: "two", says: "did more\n{DONE}"}, {says: "{DONE}"},
	}, []reply{{says: "not yet\n{REWORK}"}, {says: "{DONE}"}})
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := journey(t, r); !strings.Contains(events, "rework") {
		t.Errorf("a bare REWORK is no signal: %s", events)
	}
	digits := regexp.MustCompile(`\b(?:DONE|PASS|REWORK|FAIL) ([0-9a-f]{6})`)
	for _, name := range []string{"one", "other"} {
		for _, prompt := range c.prompts[name] {
			seen := map[string]bool{}
			for _, found := range digits.FindAllStringSubmatch(prompt, -1) {
				seen[found[1]] = true
			}
			if len(seen) != 1 {
				t.Errorf("a prompt of %s shows the digits %v:\n%s", name, seen, prompt)
			}
		}
	}
	if again := c.prompts["other"]; len(again) != 2 || !strings.Contains(again[1], "without notes") {
		t.Errorf("the reviewer is not asked for its notes: %d prompts", len(again))
	}
	if again := c.prompts["one"]; len(again) != 3 || !strings.Contains(again[1], "did not name it") {
		t.Errorf("the worker does not learn that there are no notes: %d prompts", len(again))
	}
}
