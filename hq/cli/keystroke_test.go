package cli

import (
	"strings"

	"ferrus/ui"
)

// stroke is one action of the table of keys: each of its keys is struck where it
// counts.
type stroke struct {
	key    string // with its place, as keyName has it
	before string // brings HQ to where it counts
	ready  string // what the screen shows then
	bends  bool   // that moves the border between the panes
	step
	shift [2]int // where the pane and the activity must move: columns, rows
	again string // what must be drawn again, though it did not change
	back  string // brings HQ back to its prompt, from where another key has no effect
}

// second chooses the pane of the executor.
const second, inPane = "{leader}2{leave}", "{leader}2"

const reading = second + "{leader}{read}"

// strokes are the table of keys, as a user strikes them before a pane that can be
// typed into.
var strokes = []stroke{
	{key: "complete at the prompt", before: "/stat", step: step{sees: []string{"> /status"}}},
	{key: "leader at the prompt", step: step{sees: []string{"next that needs you"}, then: esc, left: []string{"next that needs you"}}},
	{key: "zoom at the prompt", step: step{gone: []string{"╭ activity"}, then: "{zoom}", ends: []string{"╭ activity"}}},
	{key: "log at the prompt", step: step{sees: []string{"╭ log"}, then: esc, left: []string{"╭ log"}}},
	{key: "diff at the prompt", step: step{sees: []string{"nothing is changed since the task began"}, then: esc, left: []string{"╭ diff"}}},
	{key: "help at the prompt", step: step{sees: []string{"╭ help"}, then: esc, left: []string{"╭ help"}}},
	{key: "back at the prompt", before: "/re{complete}", ready: "> /reject", step: step{sees: []string{"> /reset-spec"}}},
	{key: "page-up at the prompt", step: step{sees: []string{"│line 25 of the needle"}, then: "{page-down}", left: []string{"│line 25 of the needle"}}},
	{key: "page-down at the prompt", before: "{page-down}{page-down}{page-up}", ready: "│line 25 of the needle", step: step{sees: []string{"│ready"}}},
	{key: "send at the prompt", before: "/status", step: step{sees: []string{"╭ status"}, then: esc, left: []string{"╭ status"}}},
	{key: "newline at the prompt", before: "one", step: step{then: "two", ends: []string{"   two"}}},
	{key: "history at the prompt", step: step{keys: "\x1b[A", sees: []string{"> /status"}, then: "\x1b[B", left: []string{"> /status"}}},
	{key: "search at the prompt", step: step{sees: []string{"search ▏"}, then: "Do it" + esc, left: []string{"search "}}},
	{key: "redraw at the prompt", again: "no session yet: /task"},
	{key: "suspend at the prompt", step: step{sees: []string{"there is no shell to return to"}}},
	{key: "quit at the prompt", before: "given up", step: step{sees: []string{"again quits and ends 1 session"}, gone: []string{"given up"}}},
	{key: "focus at the prompt"},
	{key: "focus after the leader", before: "{leader}"},
	{key: "leader-zoom after the leader", before: second + "{leader}", step: step{gone: []string{"╭ activity"}, then: "{zoom}", ends: []string{"╭ activity"}}},
	{key: "next after the leader", before: "{leader}", step: step{sees: []string{"nothing needs you"}}},
	{key: "read after the leader", before: second + "{leader}", step: step{sees: []string{"reading 2 executor"}, then: "{unread}", left: []string{"reading 2"}}},
	{key: "find after the leader", before: second + "{leader}", step: step{sees: []string{"find ▏"}, then: esc, left: []string{"find ▏"}}},
	{key: "take after the leader", before: "{leader}", step: step{clip: "an offered text", sees: []string{"copied 15 characters"}}},
	{key: "editor after the leader", before: "the draft{leader}", step: step{sees: []string{"> the edited draft"}}},
	{key: "narrower after the leader", before: "{leader}", shift: [2]int{-1, 0}},
	{key: "wider after the leader", before: "{leader}", shift: [2]int{+1, 0}},
	{key: "higher after the leader", before: "{leader}", shift: [2]int{0, -1}},
	{key: "lower after the leader", before: "{leader}", shift: [2]int{0, +1}},
	{key: "usual after the leader", before: "{leader}{narrower}{leader}", bends: true, shift: [2]int{+1, 0}},
	{key: "leave in a pane", before: inPane, ready: "keys go to 2 executor", step: step{gone: []string{"keys go to 2"}}, back: "{leave}"},
	{key: "move while a pane is read", before: reading, step: step{keys: "g", sees: []string{"│line 1 of the needle"}, then: "{unread}", left: []string{"│line 1 of"}}},
	{key: "find-text while a pane is read", before: reading, step: step{sees: []string{"find ▏"}, then: esc, left: []string{"find ▏"}}, back: "{unread}"},
	{key: "older while a pane is read", before: second + "{leader}{find}needle\r", ready: "60 of 60", step: step{sees: []string{"59 of 60"}, then: "{unread}{unread}", left: []string{"59 of 60"}}, back: "{unread}{unread}"},
	{key: "newer while a pane is read", before: second + "{leader}{find}needle\r{older}", ready: "59 of 60", step: step{sees: []string{"60 of 60"}, then: "{unread}{unread}", left: []string{"60 of 60"}}, back: "{unread}{unread}"},
	{key: "prompt-above while a pane is read", before: reading, step: step{at: "$ second prompt", then: "{unread}"}, back: "{unread}"},
	{key: "prompt-below while a pane is read", before: reading + "g", ready: "│line 1 of", step: step{at: "$ first prompt", then: "{unread}"}, back: "{unread}"},
	{key: "mark while a pane is read", before: second + "{leader}{find}ready\r", ready: "1 of 1", step: step{then: "\x1b[C\x1b[C{copy}", ends: []string{"copied "}, clip: "rea"}, back: "{unread}{unread}"},
	{key: "mark-lines while a pane is read", before: second + "{leader}{find}eady\r", ready: "1 of 1", step: step{then: "{copy}", ends: []string{"copied "}, clip: "ready"}, back: "{unread}{unread}"},
	{key: "copy while a pane is read", before: second + "{leader}{find}second\r{mark}\x1b[C", ready: "1 of 1", step: step{ends: []string{"copied "}, clip: "se"}, back: "{unread}{unread}{unread}"},
	{key: "unread while a pane is read", before: reading, ready: "reading 2 executor", step: step{gone: []string{"reading 2"}}, back: "{unread}"},
	{key: "close in a dialog", before: "{help}", ready: "╭ help", step: step{keys: esc, gone: []string{"╭ help"}}},
	{key: "copy-page in a dialog", before: "/status{send}", ready: "╭ status", step: step{keys: "y", sees: []string{"copied "}, then: esc, left: []string{"╭ status"}}},
	{key: "scroll in a dialog", before: "{help}", ready: "╭ help", step: step{keys: "\x1b[F", sees: []string{"The prompt edits like readline"}, then: esc, left: []string{"╭ help"}}},
}

// focused are what each number after the leader, or with Alt, leads to.
var focused = map[byte]string{'2': "keys go to 2 executor", '5': "5 activity: Up and Down choose", '6': "6 check: Up"}

// strike strikes every key of an action, and waits for its effect.
func (h *hand) strike(s stroke, k ui.Key) {
	h.Helper()
	strikes := k.Bindings
	if s.keys != "" {
		strikes = []string{""}
	}
	for _, strike := range strikes {
		h.prepare(s)
		column, row, drawn := h.borders(), h.floor(), strings.Count(h.Raw(), s.again)
		d := s.step
		if strike != "" {
			d.keys = bytesOf(strike)
		}
		if k.Name == "focus" {
			d = focusing(d.keys)
		}
		h.do(d)
		if s.shift != [2]int{} {
			h.Wait("moved borders", func() bool {
				return sign(h.borders()-column) == s.shift[0] && sign(h.floor()-row) == s.shift[1]
			})
		}
		if s.again != "" {
			h.Wait("all of it again", func() bool { return strings.Count(h.Raw(), s.again) > drawn })
		}
		h.clear()
	}
}

// prepare brings HQ to where a key counts.
func (h *hand) prepare(s stroke) {
	h.Helper()
	at := h.borders()
	h.Type(h.bytes(s.before))
	if s.ready != "" {
		h.WaitFor(s.ready)
	}
	if s.bends {
		h.Wait("a border that moved", func() bool { now := h.borders(); return now != 0 && now != at })
	}
}

// focusing is what a digit does, with Alt or after the leader.
func focusing(keys string) step {
	n := keys[len(keys)-1]
	if words := focused[n]; words != "" {
		return step{keys: keys, sees: []string{words}, then: "{leave}", left: []string{words}}
	}
	return step{keys: keys, sees: []string{"there is no session in " + string(n) + " yet"}}
}

// clear empties the prompt: the letter keeps it from being the second time.
func (h *hand) clear() {
	h.Helper()
	h.Type(h.bytes("x{quit}"))
	h.WaitFor("again quits")
}

// borders is the column in which the second pane begins, floor the row of the
// activity.
func (h *hand) borders() int { return h.place("2 executor", true) }
func (h *hand) floor() int   { return h.place("╭ activity", false) }

// place is where words are on the screen; 0 while they are not.
func (h *hand) place(words string, column bool) int {
	for y, line := range strings.Split(h.Text(), "\n") {
		if i := strings.Index(line, words); i >= 0 && column {
			return i
		} else if i >= 0 {
			return y
		}
	}
	return 0
}

func sign(n int) int { return max(min(n, 1), -1) }
