package projection

import (
	"strings"

	"ferrus/hq/conductor"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// wallWords are the walls of a record, the weakest first: its first word, what the title of a session
// says, and what the status bar says.
var wallWords = []struct {
	kind, title, status string
	tone                style.Tone
}{
	{"required:", "no sandbox", "no sandbox: nothing runs", style.Bad},
	{"none:", "no sandbox", "no sandbox", style.Bad},
	{"no", "no sandbox", "no sandbox", style.Bad},
	{"landlock", "accidents only", "sandbox: accidents only", style.Warn},
	{"seatbelt", "experimental sandbox", "sandbox: experimental", style.Warn},
	{"namespace,", "in a sandbox", "sandbox", style.Dim},
}

// rankOf returns the place of a record's walls among wallWords; -1: it says nothing.
func rankOf(record string) int {
	kind, _, _ := strings.Cut(record, " ")
	for i, w := range wallWords {
		if w.kind == kind {
			return i
		}
	}
	return -1
}

// sandboxed returns what the title says of the walls around a session. In a namespace the
// agent's own sandbox and questions are off.
func sandboxed(p conductor.PaneView) string {
	rank := rankOf(p.Sandbox)
	if rank < 0 {
		return ""
	}
	words := "  " + wallWords[rank].title
	if _, network, ok := strings.Cut(p.Sandbox, "network "); ok && rank == len(wallWords)-1 {
		words += ", network " + network
	}
	return words
}

// weakestWalls returns what the status bar says about the walls in force: the weakest among the
// checks and the running sessions. A session that you started by hand has none.
func weakestWalls(v conductor.View) view.State {
	weakest := rankOf(v.Walls)
	for _, p := range v.Panes {
		if rank := rankOf(p.Sandbox); p.Lives() && rank >= 0 && (weakest < 0 || rank < weakest) {
			weakest = rank
		}
	}
	if c := v.State.World.Claim; c != nil && !c.Managed {
		weakest = rankOf("none:")
	}
	if weakest < 0 {
		return view.State{}
	}
	return view.State{Text: wallWords[weakest].status, Tone: wallWords[weakest].tone}
}
