package tui

import "testing"

// TestHQSaysWhenItIsIdle checks that a slow command keeps HQ busy.
func TestHQSaysWhenItIsIdle(t *testing.T) {
	h := start(t, "slow")
	h.WaitFor("2 executor  demo")
	h.Type("/plan x")
	h.WaitIdle()
	if !h.shows("> /plan x") {
		t.Errorf("idle, and the keys are not on the screen:\n%s", h.ScreenText())
	}
	h.Type("\x15/check --force\r")
	h.WaitFor("check  running")
	h.Type("/check --cancel\r")
	h.WaitIdle()
	if !h.shows("The check is cancelled") {
		t.Errorf("idle, and the command has not ended:\n%s", h.ScreenText())
	}
	h.Type("\x03\x03")
	h.ends(0)
}
