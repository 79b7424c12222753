package cli

import (
	"ferrus/ui/keys"
	"strings"
)

// keyCase is one action of the table of keys: each of its keys is pressed where it applies.
type keyCase struct {
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

// closeDialog closes what lies over the panes.
const closeDialog = "{close in a dialog}"

// The help while something is searched for in it, and after it was found.
const (
	typingSearch = "{help}{page-search}keys"
	found        = typingSearch + " in\r"
)

const reading = second + "{leader}{read}"

// keyCases are the table of keys, as a user presses them with a pane that accepts input.
var keyCases = []keyCase{
	{key: "complete at the prompt", before: "/stat", step: step{sees: []string{"> /status"}}},
	{key: "leader at the prompt", step: step{sees: []string{"next that needs you"}, then: esc,
		left: []string{"next that needs you"}}},
	{key: "zoom at the prompt", step: step{gone: []string{"╭ activity"}, then: "{zoom}", ends: []string{"╭ activity"}}},
	{key: "log at the prompt", step: step{sees: []string{"╭ log"}, then: closeDialog, left: []string{"╭ log"}}},
	{key: "diff at the prompt", step: step{sees: []string{"2 files"}, then: closeDialog, left: []string{"╭ diff"}}},
	{key: "help at the prompt", step: step{sees: []string{"╭ help"}, then: closeDialog, left: []string{"╭ help"}}},
	{key: "back at the prompt", before: "/re{complete}", ready: "> /reject",
		step: step{sees: []string{"> /reset-spec"}}},
	{key: "palette at the prompt", step: step{sees: []string{"╭ go to"}, then: closeDialog,
		left: []string{"╭ go to"}}},
	{key: "ask at the prompt", step: step{keys: "?", sees: []string{"╭ help"}, then: closeDialog,
		left: []string{"╭ help"}}},
	{key: "editor at the prompt", before: "the draft",
		step: step{keys: "\x18\x05", sees: []string{"the edited draft"}}},
	{key: "undo at the prompt", before: "undone", ready: "undone", step: step{gone: []string{"undone"}}},
	{key: "page-up at the prompt", step: step{sees: []string{"│line 25 of the needle"}, then: "{page-down}",
		left: []string{"│line 25 of the needle"}}},
	{key: "page-down at the prompt", before: "{page-down}{page-down}{page-up}", ready: "│line 25 of the needle",
		step: step{sees: []string{"│ready"}}},
	{key: "send at the prompt", before: "/status", step: step{sees: []string{"╭ status"}, then: closeDialog,
		left: []string{"╭ status"}}},
	{key: "newline at the prompt", before: "one", step: step{then: "two", ends: []string{"   two"}}},
	{key: "history at the prompt", step: step{keys: "\x1b[A", sees: []string{"> /status"}, then: "\x1b[B",
		left: []string{"> /status"}}},
	{key: "search at the prompt", step: step{sees: []string{"search ▏"}, then: "Do it" + esc,
		left: []string{"search "}}},
	{key: "redraw at the prompt", again: "No check yet. /check"},
	{key: "suspend at the prompt", step: step{sees: []string{"here is no shell to return to"}}},
	{key: "quit at the prompt", before: "given up", step: step{sees: []string{"again quits and stops 1 session"},
		gone: []string{"given up"}}},
	{key: "focus at the prompt"},
	{key: "focus after the leader", before: "{leader}"},
	{key: "leader-zoom after the leader", before: second + "{leader}",
		step: step{gone: []string{"╭ activity"}, then: "{zoom}", ends: []string{"╭ activity"}}},
	{key: "leader-help after the leader", before: "{leader}",
		step: step{sees: []string{"╭ help"}, then: closeDialog, left: []string{"╭ help"}}},
	{key: "tasks at the prompt", step: step{sees: []string{"here is no other task"}}},
	{key: "leader-tasks after the leader", before: "{leader}", step: step{sees: []string{"here is no other task"}}},
	{key: "leader-log after the leader", before: "{leader}",
		step: step{sees: []string{"╭ log"}, then: closeDialog, left: []string{"╭ log"}}},
	{key: "leader-diff after the leader", before: "{leader}",
		step: step{sees: []string{"2 files"}, then: closeDialog, left: []string{"╭ diff"}}},
	{key: "task-text after the leader", before: "{leader}",
		step: step{sees: []string{"╭ task"}, then: closeDialog, left: []string{"╭ task"}}},
	{key: "side after the leader", before: "{leader}", step: step{sees: []string{"at least 180 columns"}}},
	{key: "notices after the leader", before: "{leader}",
		step: step{sees: []string{"╭ notices"}, then: closeDialog, left: []string{"╭ notices"}}},
	{key: "leader-palette after the leader", before: "{leader}",
		step: step{sees: []string{"╭ go to"}, then: closeDialog, left: []string{"╭ go to"}}},
	{key: "next after the leader", before: "{leader}", step: step{sees: []string{"Nothing needs you"}}},
	{key: "read after the leader", before: second + "{leader}",
		step: step{sees: []string{"Copy mode in 2 executor"}, then: "{unread}", left: []string{"Copy mode in 2"}}},
	{key: "find after the leader", before: second + "{leader}",
		step: step{sees: []string{"find ▏"}, then: esc, left: []string{"find ▏"}}},
	{key: "take after the leader", before: "{leader}", step: step{clip: "an offered text",
		sees: []string{"Copied 15 characters"}}},
	{key: "own-screen after the leader", before: second + "{leader}",
		step: step{sees: []string{"cannot continue a session by its id"}}},
	{key: "pastes after the leader", before: "{leader}", step: step{sees: []string{"Nothing is attached"}}},
	{key: "editor after the leader", before: "the draft{leader}", step: step{sees: []string{"the edited draft"}}},
	{key: "narrower after the leader", before: "{leader}", shift: [2]int{-1, 0}},
	{key: "wider after the leader", before: "{leader}", shift: [2]int{+1, 0}},
	{key: "higher after the leader", before: "{leader}", shift: [2]int{0, -1}},
	{key: "lower after the leader", before: "{leader}", shift: [2]int{0, +1}},
	{key: "usual after the leader", before: "{leader}{narrower}{leader}", bends: true, shift: [2]int{+1, 0}},
	{key: "leave in a pane", before: inPane, ready: "Keys go to 2 executor", step: step{gone: []string{"Keys go to 2"}},
		back: "{leave}"},
	{key: "find-text in copy mode", before: reading, step: step{sees: []string{"find ▏"}, then: esc,
		left: []string{"find ▏"}}, back: "{unread}"},
	{key: "older in copy mode", before: second + "{leader}{find}needle\r", ready: "60 of 60",
		step: step{sees: []string{"59 of 60"}, then: "{unread}{unread}", left: []string{"59 of 60"}},
		back: "{unread}{unread}"},
	{key: "newer in copy mode", before: second + "{leader}{find}needle\r{older}", ready: "59 of 60",
		step: step{sees: []string{"60 of 60"}, then: "{unread}{unread}", left: []string{"60 of 60"}},
		back: "{unread}{unread}"},
	{key: "prompt-above in copy mode", before: reading, step: step{at: "$ second prompt", then: "{unread}"},
		back: "{unread}"},
	{key: "prompt-below in copy mode", before: reading + "{top in copy mode}", ready: "│line 1 of",
		step: step{at: "$ first prompt", then: "{unread}"}, back: "{unread}"},
	{key: "mark in copy mode", before: second + "{leader}{find}ready\r", ready: "1 of 1",
		step: step{then: "{right}{right}{copy}", ends: []string{"Copied "}, clip: "rea"}, back: "{unread}{unread}"},
	{key: "mark-lines in copy mode", before: second + "{leader}{find}eady\r", ready: "1 of 1",
		step: step{then: "{copy}", ends: []string{"Copied "}, clip: "ready"}, back: "{unread}{unread}"},
	{key: "copy in copy mode", before: second + "{leader}{find}second\r{mark}{right}", ready: "1 of 1",
		step: step{ends: []string{"Copied "}, clip: "se"}, back: "{unread}{unread}{unread}"},
	{key: "unread in copy mode", before: reading, ready: "Copy mode in 2 executor",
		step: step{gone: []string{"Copy mode in 2"}}, back: "{unread}"},
	{key: "line-up in copy mode", before: second + "{leader}{find}ready\r", ready: "1 of 1",
		step: step{at: "$ second prompt", then: "{unread}{unread}"}, back: "{unread}{unread}"},
	{key: "line-down in copy mode", before: second + "{leader}{find}second\r", ready: "1 of 1",
		step: step{at: "ready", then: "{unread}{unread}"}, back: "{unread}{unread}"},
	{key: "screen-up in copy mode", before: reading, ready: "Copy mode in 2",
		step: step{at: "line 41 of", then: "{unread}"}, back: "{unread}"},
	{key: "screen-down in copy mode", before: reading + "{top in copy mode}", ready: "│line 1 of",
		step: step{at: "line 2", then: "{unread}", left: []string{"│line 1 of"}}, back: "{unread}"},
	{key: "top in copy mode", before: reading, ready: "Copy mode in 2",
		step: step{sees: []string{"│line 1 of the needle"}, then: "{unread}", left: []string{"│line 1 of"}},
		back: "{unread}"},
	{key: "bottom in copy mode", before: reading + "{top in copy mode}", ready: "│line 1 of",
		step: step{gone: []string{"│line 1 of"}, then: "{unread}"}, back: "{unread}"},
	{key: "left in copy mode", before: second + "{leader}{find}eady\r", ready: "1 of 1",
		step: step{then: "{mark}{copy}", ends: []string{"Copied "}, clip: "r"}},
	{key: "right in copy mode", before: second + "{leader}{find}eady\r", ready: "1 of 1",
		step: step{then: "{mark}{copy}", ends: []string{"Copied "}, clip: "a"}},
	{key: "line-start in copy mode", before: second + "{leader}{find}eady\r", ready: "1 of 1",
		step: step{then: "{mark}{copy}", ends: []string{"Copied "}, clip: "r"}},
	{key: "line-end in copy mode", before: second + "{leader}{find}eady\r", ready: "1 of 1",
		step: step{then: "{mark}{copy}", ends: []string{"Copied "}, clip: "y"}},
	{key: "open in a read-only pane", before: "{leader}5", ready: "5 activity: Up",
		step: step{sees: []string{"╭ entry "}, then: closeDialog, ends: []string{"╭ log"}}, back: "{leave}"},
	{key: "close in a read-only pane", before: "{leader}5", ready: "5 activity: Up",
		step: step{gone: []string{"5 activity: Up"}}, back: "{leave}"},
	{key: "top in a read-only pane", before: "{leader}5", ready: "5 activity: Up",
		step: step{then: "{open}", ends: []string{"╭ entry 1 "}}, back: "{leave}"},
	{key: "bottom in a read-only pane", before: "{leader}5{top in a read-only pane}", ready: "5 activity: Up",
		step: step{then: "{open}", ends: []string{"╭ entry 1 "}}, back: "{leave}"},
	{key: "close in a dialog", before: "{help}", ready: "╭ help", step: step{gone: []string{"╭ help"}},
		back: closeDialog},
	{key: "copy-page in a dialog", before: "/status{send}", ready: "╭ status",
		step: step{sees: []string{"Copied "}, then: closeDialog, left: []string{"╭ status"}}, back: closeDialog},
	{key: "line-up in a dialog", before: "/model{send}", ready: "▸ supervisor",
		step: step{sees: []string{"▸ executor"}}, back: closeDialog},
	{key: "line-down in a dialog", before: "/model{send}", ready: "▸ supervisor",
		step: step{sees: []string{"▸ executor"}}, back: closeDialog},
	{key: "screen-up in a dialog", before: "{help}{screen-down in a dialog}", ready: "│   /trust",
		step: step{sees: []string{"│ commands"}}, back: closeDialog},
	{key: "screen-down in a dialog", before: "{help}", ready: "│ commands", step: step{gone: []string{"│ commands"}},
		back: closeDialog},
	{key: "half-up in a dialog", before: "{help}{half-down in a dialog}", ready: "│   /model",
		step: step{sees: []string{"│ keys at the prompt"}}, back: closeDialog},
	{key: "half-down in a dialog", before: "{help}", ready: "│ keys at the prompt",
		step: step{gone: []string{"│ keys at the prompt"}},
		back: closeDialog},
	{key: "top in a dialog", before: "{help}{bottom in a dialog}", ready: "commands that are not available now",
		step: step{sees: []string{"│ commands"}}, back: closeDialog},
	{key: "bottom in a dialog", before: "{help}", ready: "│ commands",
		step: step{sees: []string{"commands that are not available now"}}, back: closeDialog},
	{key: "page-search in a dialog", before: "{help}", ready: "╭ help",
		step: step{sees: []string{"╰ /▏"}, then: esc, left: []string{"╰ /▏"}}, back: closeDialog},
	{key: "next-match in a dialog", before: found, ready: "│ keys in a pane",
		step: step{gone: []string{"│ keys in a pane"}}, back: closeDialog},
	{key: "previous-match in a dialog", before: found, ready: "│ keys in a pane",
		step: step{gone: []string{"│ keys in a pane"}}, back: closeDialog},
	{key: "end-search in a dialog", before: found, ready: "end search", step: step{gone: []string{"end search"}},
		back: closeDialog},
	{key: "accept in a dialog", before: typingSearch, ready: "╰ /keys▏", step: step{gone: []string{"▏"}}},
	{key: "cancel in a dialog", before: typingSearch, ready: "╰ /keys▏", step: step{gone: []string{"▏"}}},
	{key: "erase in a dialog", before: typingSearch, ready: "╰ /keys▏", step: step{sees: []string{"╰ /key▏"}}},
	{key: "clear in a dialog", before: typingSearch, ready: "╰ /keys▏", step: step{sees: []string{"╰ /▏"}}},
	{key: "next-file in a dialog", before: "{diff}", ready: "▸ one.txt", step: step{sees: []string{"▸ two.txt"}},
		back: closeDialog},
	{key: "previous-file in a dialog", before: "{diff}", ready: "▸ one.txt",
		step: step{keys: "{next-file}", sees: []string{"▸ two.txt"}, then: "{previous-file}",
			ends: []string{"▸ one.txt"}}, back: closeDialog},
	{key: "next-hunk in a dialog", before: "{diff}", ready: "▸ one.txt",
		step: step{then: "{next-hunk}", ends: []string{"▸ two.txt"}}, back: closeDialog},
	{key: "previous-hunk in a dialog", before: "{diff}{next-hunk}{next-hunk}", ready: "▸ two.txt",
		step: step{sees: []string{"▸ one.txt"}}, back: closeDialog},
	{key: "fold in a dialog", before: "{diff}", ready: "▾ one.txt",
		step: step{gone: []string{"▾ one.txt"}, then: "{fold}", ends: []string{"▾ one.txt"}}, back: closeDialog},
	{key: "viewed in a dialog", before: "{diff}", ready: "viewed 0",
		step: step{sees: []string{"viewed 1"}, then: "{viewed}", ends: []string{"viewed 0"}}, back: closeDialog},
	{key: "reload in a dialog", before: "{diff}", ready: "2 files",
		step: step{then: closeDialog, left: []string{"2 files"}}, back: closeDialog},
	{key: "choose in a dialog", before: "/model{send}", ready: "▸ supervisor",
		step: step{sees: []string{"╭ model of the supervisor"}}, back: closeDialog},
	{key: "no in a dialog", before: "/reset{send}", ready: "╭ Reset?",
		step: step{gone: []string{"╭ Reset?"}}, back: "{no}"},
}

// focused lists what each number after the leader, or with Alt, leads to.
var focused = map[byte]string{'2': "Keys go to 2 executor", '5': "5 activity: Up and Down choose", '6': "6 check: Up"}

// strike presses every key of an action, and waits for its effect.
func (h *user) strike(s keyCase, k keys.Binding) {
	h.Helper()
	strikes := k.Keys
	if s.keys != "" {
		strikes = []string{""}
	}
	for _, strike := range strikes {
		h.prepare(s)
		column, row, drawn := h.borders(), h.floor(), h.drawn(s.again)
		d := s.step
		if strike != "" {
			d.keys = bytesOf(strike)
		}
		if k.Action == "focus" {
			d = focusing(d.keys)
		}
		h.do(d)
		if s.shift != [2]int{} {
			h.Wait("moved borders", func() bool {
				return sign(h.borders()-column) == s.shift[0] && sign(h.floor()-row) == s.shift[1]
			})
		}
		if s.again != "" {
			h.Wait("all of it again", func() bool { return h.drawn(s.again) > drawn })
		}
		h.clear()
	}
}

// drawn returns how often HQ has drawn some words, 0 if there are none.
func (h *user) drawn(words string) int {
	if words == "" {
		return 0
	}
	return strings.Count(h.Raw(), words)
}

// prepare brings HQ to where a key applies.
func (h *user) prepare(s keyCase) {
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

// focusing returns what a digit does, with Alt or after the leader.
func focusing(keys string) step {
	n := keys[len(keys)-1]
	if words := focused[n]; words != "" {
		return step{keys: keys, sees: []string{words}, then: "{leave}", left: []string{words}}
	}
	return step{keys: keys, sees: []string{"No session in " + string(n) + " yet"}}
}

// clear empties the prompt: the letter keeps Ctrl+C from being the second one.
func (h *user) clear() {
	h.Helper()
	h.Type(h.bytes("x{quit}"))
	h.WaitFor("again quits")
}

// borders returns the column in which the second pane begins, floor the row of the
// activity.
func (h *user) borders() int { return h.place("╭ check", true) }
func (h *user) floor() int   { return h.place("╭ activity", false) }

// place returns where words are on the screen; 0 while they are not.
func (h *user) place(words string, column bool) int {
	for y, line := range strings.Split(h.ScreenText(), "\n") {
		if i := strings.Index(line, words); i >= 0 && column {
			return i
		} else if i >= 0 {
			return y
		}
	}
	return 0
}

func sign(n int) int { return max(min(n, 1), -1) }
