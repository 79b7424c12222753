package advice

import "ferrus/hq/core"

// heldFor returns what a hold with a reason means for you: what happened, and what
// to check before you resume; empty: nothing in particular.
var heldFor = map[string]struct {
	kind       InboxKind
	text, look string
}{
	core.HoldStop:       {ItemHold, "on hold: you stopped the sessions", ""},
	core.HoldQuit:       {ItemHold, "on hold since HQ quit", ""},
	core.HoldNoProgress: {ItemLimit, "on hold: sessions end without progress", "check the pane"},
	core.HoldTokens: {ItemLimit, "on hold: the task used more tokens than ferrus.toml allows",
		"/status shows what used them"},
	core.HoldCost: {ItemLimit, "on hold: the task cost more than ferrus.toml allows",
		"/status shows what used it"},
	core.HoldSessionLimit: {ItemLimit, "on hold: a session failed too often", "check the pane"},
	core.HoldAgent:        {ItemHold, "on hold", "install the agent, or set another with /model or in ferrus.toml"},
	core.HoldSetup: {ItemHold, "on hold: the task's worktree could not be prepared",
		"see .ferrus/logs/setup_*.txt"},
	core.HoldUnproven: {ItemHold, "on hold: the gate could not prove anything", "check the log of the gate"},
	core.HoldVoided:   {ItemLimit, "on hold: files changed during review three times", "find out what changes them"},
}

func holdItem(h *core.Hold) []InboxItem {
	if h == nil {
		return nil
	}
	held, known := heldFor[h.Reason]
	if !known {
		held.kind, held.text = ItemHold, "on hold: "+h.Reason
	}
	if h.Cause != "" {
		held.text += ": " + h.Cause
	}
	do := slash(core.KindResume) + " continues"
	if held.look != "" {
		do = held.look + ", then " + slash(core.KindResume)
	}
	return []InboxItem{{
		Kind: held.kind, ID: "hold:" + h.Reason + ":" + stampID(h.Since), Text: held.text, Since: h.Since,
		Do: do, Run: shell(core.KindResume), Type: slash(core.KindResume),
		Options: shells(taskActions, core.KindResume),
		Yours:   h.Reason == core.HoldStop || h.Reason == core.HoldQuit,
	}}
}
