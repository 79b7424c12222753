package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestTurn(t *testing.T) {
	r := play(t, t.Context(), "works", func(o *Options) {
		o.Model = "big"
		o.Servers = []Server{{Name: "ferrus", Command: "/f", Args: []string{"serve"}, Env: []EnvVariable{{"A", "b"}}}}
	})
	if r.err != nil {
		t.Fatalf("the turn failed: %v", r.err)
	}
	for kind, want := range map[string]string{
		KindSession: "s1|scripted 7||big", KindThought: "Hm.", KindText: "First words.\n; More; Done.",
		KindCall: "c1|edit||/w/a.go", KindResult: "c1|edit|completed|written", KindDiff: "c1|/w/a.go||-b\n+B\n",
		KindEnd: "end_turn",
	} {
		if got := r.of(kind); got != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
	var plans, cost, in, cached, out = 0, 0.0, 0, 0, 0
	for _, e := range r.events {
		if e.Kind == KindPlan {
			plans++
		}
		if e.Kind == KindUsage && e.Usage.Cost != nil {
			cost = *e.Usage.Cost
		} else if e.Kind == KindUsage {
			in, cached, out = e.Usage.Input, e.Usage.Cached, e.Usage.Output
		}
	}
	if plans != 1 || cost != 0.25 || in != 70 || cached != 20 || out != 8 {
		t.Errorf("%d plans, $%v, %d %d %d", plans, cost, in, cached, out)
	}
	log := r.of(KindNote)
	for _, want := range []string{`"name":"ferrus","command":"/f"`, `"text":"Do it."`, `"modelId":"big"`,
		`"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false`} {
		if !strings.Contains(log, want) {
			t.Errorf("the agent did not get %s:\n%s", want, log)
		}
	}
}

func TestFaults(t *testing.T) {
	for part, want := range map[string]string{
		"dies":       "ended in the middle of its work: exit status 9: out of memory",
		"version 2":  "it speaks version 2 of the Agent Client Protocol, not 1",
		"signed out": "not logged in (Log in with X): Authentication required",
		"error":      "Internal error: 401 no key",
		"refusal":    "the agent ended its turn early: refusal",
		"huge":       "a message of 104.9 MB, which is too large",
	} {
		t.Run(part, func(t *testing.T) {
			if testing.Short() && part == "huge" {
				t.Skip("short: it reads a flood")
			}
			r := play(t, t.Context(), part, nil)
			if r.err == nil || !strings.Contains(r.err.Error(), want) {
				t.Errorf("%v, want %s", r.err, want)
			}
			if end := r.of(KindEnd); r.err != nil && !strings.Contains(end, r.err.Error()) {
				t.Errorf("the last event says %q", end)
			}
		})
	}
}

// What an agent said before it died is shown.
func TestLastWordsAreShown(t *testing.T) {
	if got := play(t, t.Context(), "dies", nil).of(KindText); got != "I begin and" {
		t.Errorf("the output is %q, want I begin and", got)
	}
}

// A line that is no message is shown and skipped, and a request that cannot be read gets an answer.
func TestMalformedFrames(t *testing.T) {
	r := play(t, t.Context(), "malformed", nil)
	if r.err != nil {
		t.Fatalf("the turn failed: %v", r.err)
	}
	log := r.of(KindNote)
	for _, want := range []string{"plain words", `{"jsonrpc":"2.0","method":;`, "[1,2,3]", "an update that cannot be read"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not shown:\n%s", want, log)
		}
	}
	if got := r.of(KindText); !strings.HasSuffix(got, "Done.") {
		t.Errorf("the turn was shown as %q", got)
	}
}

// A message of 100 MB is neither stored nor waited for.
func TestHugeMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads a flood")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := play(t, t.Context(), "huge", nil)
	runtime.ReadMemStats(&after)
	if got := r.of(KindText); got != "still here" {
		t.Errorf("after it: %q", got)
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 {
		t.Errorf("%d MiB were allocated for 300 MB", used)
	}
}

// An agent that never answers is not waited for.
func TestSilence(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	r := play(t, t.Context(), "mute", func(o *Options) { o.Start, o.Stop = 50*time.Millisecond, 50*time.Millisecond })
	if r.err == nil || !strings.Contains(r.err.Error(), "it has not answered in 50ms") {
		t.Errorf("error %v, want that it has not answered in 50ms", r.err)
	}
	for _, part := range []string{"silent", "cancelled"} {
		ctx, stop := context.WithCancel(t.Context())
		r := play(t, ctx, part, func(o *Options) {
			if part == "silent" {
				o.Stop = 50 * time.Millisecond
			}
			o.Out = &trigger{Writer: o.Out.(*bytes.Buffer), at: "got session/prompt", stop: stop}
		})
		if r.err == nil || r.err.Error() != "the turn was cancelled" {
			t.Errorf("%s: %v, want that the turn was cancelled", part, r.err)
		}
		if part == "cancelled" && !strings.Contains(r.of(KindEnd), "cancelled|the turn") {
			t.Errorf("the agent's answer to the cancellation was not read: %q", r.of(KindEnd))
		}
	}
}

// trigger ends a context once a text is written.
type trigger struct {
	Writer *bytes.Buffer
	at     string
	stop   func()
}

func (w *trigger) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.at) {
		w.stop()
	}
	return w.Writer.Write(p)
}

func TestPermission(t *testing.T) {
	for want, permit := range map[string]func(context.Context, Request) (Answer, error){
		`{"outcome":"selected","optionId":"yes"}`: func(_ context.Context, r Request) (Answer, error) {
			want := Request{Title: "rm -rf build", Kind: "execute", Subject: Subject{Text: "rm -rf build"},
				Choices: "a; y; n", Call: r.Call, Input: r.Input, Paths: r.Paths}
			if !reflect.DeepEqual(r, want) || r.Call == "" {
				t.Errorf("the request is %+v, want %+v", r, want)
			}
			return Answer{Allow: true}, nil
		},
		`{"outcome":"selected","optionId":"no"}`: func(context.Context, Request) (Answer, error) {
			return Answer{Allow: true}, errors.New("the disk is full")
		},
	} {
		r := play(t, t.Context(), "asks", func(o *Options) { o.Permit = permit })
		if r.err != nil || !strings.Contains(r.of(KindText), want) {
			t.Errorf("the turn ended with %v and %q, want %s", r.err, r.of(KindText), want)
		}
	}
}

// An agent that ends its turn at a refusal gets the reason as its next prompt, and its session
// continues; the usage of its turns is summed.
func TestRefusalDoesNotEndTheSession(t *testing.T) {
	r := play(t, t.Context(), "stops", func(o *Options) {
		o.Permit = func(context.Context, Request) (Answer, error) { return Answer{Reason: "the human said no"}, nil }
	})
	if output := r.of(KindText); r.err != nil || !strings.Contains(output, "the human said no") ||
		!strings.Contains(output, "rm -rf build") {
		t.Errorf("the turn ended with %v and %q, want the human's refusal of rm -rf build", r.err, output)
	}
	used := 0
	for _, e := range r.events {
		if e.Kind == KindUsage && e.Usage.Input > 0 {
			used = e.Usage.Input
		}
	}
	if used != 30+30+70 {
		t.Errorf("the turn used %d tokens, want 130", used)
	}
	quiet := play(t, t.Context(), "stops", func(o *Options) {
		o.Permit = func(context.Context, Request) (Answer, error) { return Answer{}, nil }
	})
	if quiet.err == nil {
		t.Error("a turn that was cancelled for no reason ended well")
	}
}

// A flood of requests is answered, even if some of them wait for the human.
func TestFloodOfRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads a flood")
	}
	const waiting = maxQueued - 1
	var asked atomic.Int64
	answered := make(chan struct{})
	r := play(t, t.Context(), "floods", func(o *Options) {
		o.Permit = func(context.Context, Request) (Answer, error) {
			switch n := asked.Add(1); {
			case n == flood:
				close(answered)
			case n <= waiting:
				<-answered
				return Answer{Allow: true}, nil
			}
			return Answer{Reason: "too many wait already"}, nil
		}
	})
	want := fmt.Sprint(map[string]int{`"yes"`: waiting, `"no"`: flood - waiting})
	if r.err != nil || !strings.HasPrefix(r.of(KindText), want) {
		t.Errorf("the turn ended with %v and %q, want %s", r.err, r.of(KindText), want)
	}
}

func TestReadOnly(t *testing.T) {
	for _, of := range []struct {
		r    Request
		want bool
	}{
		{Request{Kind: "read"}, true}, {Request{Kind: "search"}, true}, {Request{Kind: "think"}, true},
		{Request{Kind: "edit"}, false}, {Request{Kind: "delete", Title: "ferrus"}, false},
		{Request{Kind: "fetch"}, false}, {Request{}, false},
		{Request{Kind: "other", Title: "approve (ferrus MCP Server): {}"}, true},
		{Request{Kind: "other", Title: `{"notes":"x"}`, Tool: "mcp__ferrus__reject"}, true},
		{Request{Kind: "other", Title: `{"notes":"x"}`, Choices: "Always allow all tools of ferrus"}, true},
		{Request{Kind: "other", Title: "write (notes MCP Server): {ferrus}"}, false},
		{Request{Kind: "other", Title: "ferrus", Tool: "mcp__notes__ferrus"}, false},
		{Request{Kind: "fetch", Title: "ferrus"}, false},
		{Request{Kind: "execute", Subject: Subject{Text: "git diff HEAD"}}, true},
		{Request{Kind: "execute", Subject: Subject{Text: "git diff; rm x"}}, false},
		{Request{Kind: "execute", Subject: Subject{Text: "git diff --output=x"}}, false},
		{Request{Kind: "execute", Subject: Subject{Text: "git log $(x)"}}, false},
		{Request{Kind: "execute", Subject: Subject{Text: "git push"}}, false},
		{Request{Kind: "execute", Subject: Subject{Text: "ls"}, Title: "ferrus serve"}, false},
	} {
		if of.r.ReadOnly("ferrus", []string{"reject"}) != of.want {
			t.Errorf("%+v: ReadOnly = %t, want %t", of.r, !of.want, of.want)
		}
	}
}

// A conversation whose turn has not ended continues in the next session; one whose turn has ended
// does not.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "home", "conversation.json")
	in := func(part string) result {
		return play(t, t.Context(), part, func(o *Options) { o.Dir, o.Resume = dir, file })
	}
	in("dies")
	for _, part := range []string{"no load", "load fails"} {
		if r := in(part); r.err != nil || strings.Contains(r.of(KindNote), "continues") ||
			!strings.Contains(r.of(KindNote), "starts a new one: ") {
			t.Errorf("%s: %v, note %q; want that it starts a new conversation", part, r.err, r.of(KindNote))
		}
		in("dies")
	}
	r := in("works")
	if r.err != nil || !strings.Contains(r.of(KindNote), "continues the conversation") {
		t.Errorf("%v, note %q; want that it continues the conversation", r.err, r.of(KindNote))
	}
	if strings.Contains(r.of(KindText), "long ago") {
		t.Error("the past of the conversation is shown")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an ended turn is remembered")
	}
	if r := in("works"); strings.Contains(r.of(KindNote), "session/load") {
		t.Error("an ended conversation is continued")
	}
}

// A dialog has as many turns as there are prompts, and an interrupted turn does not end it.
func TestDialog(t *testing.T) {
	interrupt := make(chan struct{}, 1)
	interrupt <- struct{}{}
	prompts := []string{"One.", "Two."}
	r := play(t, t.Context(), "cancelled", func(o *Options) {
		o.Prompt = ""
		o.Interrupt = interrupt
		o.Next = func(context.Context) (string, bool) {
			if len(prompts) == 0 {
				return "", false
			}
			next := prompts[0]
			prompts = prompts[1:]
			if next == "Two." {
				interrupt <- struct{}{}
			}
			return next, true
		}
	})
	if r.err != nil || r.of(KindEnd) != "cancelled|the turn was cancelled; cancelled|the turn was cancelled" {
		t.Errorf("the turns ended with %v and %q, want both cancelled", r.err, r.of(KindEnd))
	}
	for _, want := range []string{`"text":"One."`, `"text":"Two."`} {
		if !strings.Contains(r.of(KindNote), want) {
			t.Errorf("the agent did not get %s", want)
		}
	}
	r = play(t, t.Context(), "dies", func(o *Options) {
		o.Next = func(context.Context) (string, bool) { t.Error("asked for a prompt"); return "", false }
	})
	if r.err == nil || !strings.Contains(r.err.Error(), "exit status 9") {
		t.Errorf("error %v, want exit status 9", r.err)
	}
}

// Whatever options an agent offers, the answer is the option that means it, or none.
func TestAnOptionIsChosenOnlyForItsAnswer(t *testing.T) {
	option := func(id, kind string) PermissionOption { return PermissionOption{OptionID: id, Kind: kind, Name: id} }
	once, always, no := option("once", "allow_once"), option("always", "allow_always"), option("no", "reject_once")
	never := option("never", "reject_always")
	for i, c := range []struct {
		options         []PermissionOption
		deny, yes, task string
	}{
		{[]PermissionOption{always, once, never, no}, "no", "once", "once"},
		{[]PermissionOption{once, always}, "", "once", "once"},
		{[]PermissionOption{always}, "", "", "always"},
		{[]PermissionOption{always, never}, "never", "", "always"},
		{[]PermissionOption{option("no", "allow_once"), no}, "", "", ""},
		{[]PermissionOption{option("x", "allow"), option("y", "")}, "", "", ""},
		{nil, "", "", ""},
	} {
		got := []string{choose(c.options, Answer{}), choose(c.options, Answer{Allow: true}),
			choose(c.options, Answer{Allow: true, Always: true})}
		if want := []string{c.deny, c.yes, c.task}; !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
}

// A line of the program's error output does not split a sentence that arrives in pieces.
func TestANoteDividesNoText(t *testing.T) {
	var out strings.Builder
	e := &events{out: &out}
	e.stream(KindText, "First ")
	e.note("a warning")
	e.stream(KindText, "words.\n")
	e.flush()
	if got := out.String(); !strings.Contains(got, `"text":"First words.\n"`) || !strings.Contains(got, "a warning") {
		t.Errorf("the events are %s", got)
	}
}
