package projection

import (
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine/session"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// The title of a pane names the walls of its session, because sessions of one task may differ.
func TestTitleSaysTheWalls(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		sandbox.Walls{Kind: sandbox.Namespace, Network: sandbox.Proxied}.String(): "  in a sandbox, network proxy",
		sandbox.Walls{Kind: sandbox.Landlock, Network: sandbox.Open}.String():     "  accidents only",
		sandbox.Walls{Kind: sandbox.Seatbelt, Network: sandbox.Open}.String():     "  experimental sandbox",
		"none: copilot: its login is in a keychain":                               "  no sandbox",
		"": "",
	} {
		if got := sandboxed(conductor.PaneView{Sandbox: record}); got != want {
			t.Errorf("%q: %q, want %q", record, got, want)
		}
	}
}

// A session that was started by hand runs outside the sandbox, and the status bar says so.
func TestTheStatusBarSaysThatASessionWasStartedByHand(t *testing.T) {
	t.Parallel()
	v := conductor.View{Walls: sandbox.Walls{Kind: sandbox.Namespace, Network: sandbox.Open}.String()}
	for managed, want := range map[bool]string{true: "sandbox", false: "no sandbox"} {
		v.State.World.Claim = &core.Claim{Managed: managed}
		if got := weakestWalls(v); got.Text != want {
			t.Errorf("managed %v: %q, want %q", managed, got.Text, want)
		}
	}
}

// The status bar names the weakest walls of the checks and the running sessions.
func TestTheStatusBarSaysTheWeakestWalls(t *testing.T) {
	t.Parallel()
	inside := sandbox.Walls{Kind: sandbox.Namespace, Network: sandbox.Proxied}.String()
	landlock := sandbox.Walls{Kind: sandbox.Landlock, Network: sandbox.Open}.String()
	runs := func(record string) conductor.PaneView {
		return conductor.PaneView{Sandbox: record, State: session.Running}
	}
	for _, c := range []struct {
		checks string
		panes  []conductor.PaneView
		want   view.State
	}{
		{"", nil, view.State{}},
		{inside, nil, view.State{Text: "sandbox", Tone: style.Dim}},
		{inside, []conductor.PaneView{runs(inside), runs("")}, view.State{Text: "sandbox", Tone: style.Dim}},
		{inside, []conductor.PaneView{runs(landlock), runs(inside)},
			view.State{Text: "sandbox: accidents only", Tone: style.Warn}},
		{inside, []conductor.PaneView{runs("none: not tried"), runs(landlock)},
			view.State{Text: "no sandbox", Tone: style.Bad}},
		{inside, []conductor.PaneView{{Sandbox: "none: not tried", State: session.SessionComplete}},
			view.State{Text: "sandbox", Tone: style.Dim}},
		{"required: the sandbox is required: bubblewrap is missing", nil,
			view.State{Text: "no sandbox: nothing runs", Tone: style.Bad}},
		{sandbox.Walls{Kind: sandbox.None}.String(), []conductor.PaneView{runs(inside)},
			view.State{Text: "no sandbox", Tone: style.Bad}},
	} {
		if got := weakestWalls(conductor.View{Walls: c.checks, Panes: c.panes}); got != c.want {
			t.Errorf("checks %q, sessions %v: %+v, want %+v", c.checks, c.panes, got, c.want)
		}
	}
}
