package tui

import (
	"strings"
	"testing"

	"ferrus/hq/land"
	"ferrus/ui"
)

// What would land is shown and asked for; only the answer lands it.
func TestLandingIsAskedFor(t *testing.T) {
	t.Parallel()
	s := &stage{plan: land.Plan{Task: "t-1", Title: "Do it", Onto: "main", Message: "Do it\n"}}
	d := &deck{engine: s, ctx: t.Context()}
	msg, ok := d.carry(ui.Land{Keep: true}).(ui.LandingMsg)
	if !ok || !strings.Contains(msg.Text, "onto     main") || !msg.Land.Sure || !msg.Land.Keep || msg.Land.Message != "Do it" {
		t.Fatalf("%+v", msg)
	}
	done, ok := d.carry(msg.Land).(ui.DoneMsg)
	if !ok || done.Error || done.Text != "landed: 0123456789ab on main" {
		t.Errorf("%+v", done)
	}
	s.plan.Off = &land.Refused{What: "it has landed", Fix: "rest"}
	if done, ok := d.carry(ui.Land{Message: "my words"}).(ui.DoneMsg); !ok || !done.Error || done.Line != "/land my words" || !strings.Contains(done.Text, "rest") {
		t.Errorf("%+v", done)
	}
}
