package pair

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/session"
	"ferrus/machine/pair"
	"ferrus/store/longtest"
)

// promptPart is a part of an agent's prompt at a launch, counted from 0.
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
				t.Fatalf("got %v, want the reason %q", err, c.reason)
			}
			if states, events := journey(t, r); states != c.states || events != c.events {
				t.Errorf("the states are %s and the events %s, want %s and %s", states, events, c.states, c.events)
			}
			for _, want := range c.prompts {
				prompts := cast.prompts[want.agent]
				if want.launch >= len(prompts) || !strings.Contains(prompts[want.launch], want.text) {
					t.Errorf("%+v is missing from the prompts: %q", want, prompts)
				}
			}
			if len(cast.replies["one"])+len(cast.replies["other"]) != 0 {
				t.Errorf("some replies were never asked for: %v", cast.replies)
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
		t.Errorf("the events are %q, want %q", events, "started done gated pass gated done gated pass gated")
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
		t.Errorf("the states are %q, want %q; the iteration is %v, want %v",
			states, "working reviewing working reviewing working complete", r.Manifest.Iteration, 3)
	}
}

func TestMessagesAreDeliveredOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	p := newProject(t)
	r, c := newRun(t, p, pair.Review,
		[]reply{{edit: "good", says: "{DONE}"}, {says: "{DONE}"}},
		[]reply{{says: "no\n{REWORK}: more"}, {says: "{PASS}"}})
	for to, text := range map[string]string{Primary: "for one", Secondary: "for other", "": "for both"} {
		if err := SendMessage(p, r.Manifest.ID, to, text); err != nil {
			t.Fatal(err)
		}
	}
	// A line torn by a crash is dropped, and the lines after it are kept.
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
				t.Errorf("%s got %q %d times, want once and in the first prompt", agent, text, got)
			}
		}
	}
	if strings.Contains(strings.Join(c.prompts["one"], "\n"), "for other") {
		t.Error("one got the message for other")
	}
	for _, bad := range [][2]string{{"third", "x"}, {Primary, " "}, {Primary, "caf\xe9"}} {
		if SendMessage(p, r.Manifest.ID, bad[0], bad[1]) == nil {
			t.Errorf("message %q was accepted", bad)
		}
	}
	if (Options{Task: "caf\xe9"}).Check() == nil {
		t.Error("a task that is not UTF-8 was accepted")
	}
}

// mixed runs the primary for real, and plays the secondary.
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

// In consensus, DONE from both counts on one tree; a REWORK without notes counts, and the reviewer
// is asked for them; and no prompt shows another turn's nonce.
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
		t.Errorf("a REWORK without notes did not count: %s", events)
	}
	digits := regexp.MustCompile(`\b(?:DONE|PASS|REWORK|FAIL) ([0-9a-f]{6})`)
	for _, name := range []string{"one", "other"} {
		for _, prompt := range c.prompts[name] {
			seen := map[string]bool{}
			for _, found := range digits.FindAllStringSubmatch(prompt, -1) {
				seen[found[1]] = true
			}
			if len(seen) != 1 {
				t.Errorf("a prompt of %s shows the nonces %v, want one:\n%s", name, seen, prompt)
			}
		}
	}
	if again := c.prompts["other"]; len(again) != 2 || !strings.Contains(again[1], "without notes") {
		t.Errorf("the reviewer was not asked for its notes, in %d prompts", len(again))
	}
	if again := c.prompts["one"]; len(again) != 3 || !strings.Contains(again[1], "did not name it") {
		t.Errorf("the worker did not learn that there are no notes, in %d prompts", len(again))
	}
}
