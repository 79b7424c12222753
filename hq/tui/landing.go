package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/land"
	"ferrus/ui"
	"ferrus/ui/text"
)

// land shows what would land, and lands it once the person has said so.
func (d *deck) land(i ui.Land) tea.Msg {
	o := land.Options{Message: i.Message, Changes: i.Changes, Keep: i.Keep}
	if i.Sure {
		return d.landNow(o, i)
	}
	plan, err := d.engine.LandPlan(d.ctx, o)
	if err == nil {
		err = plan.Off
	}
	if err != nil {
		return ui.DoneMsg{Text: fixed(err), Error: true, Line: retype(i)}
	}
	if i.Message == "" {
		i.Message = strings.TrimSpace(plan.Message)
	}
	plan.Message = i.Message
	i.Sure = true
	return ui.LandingMsg{Text: text.SanitizeLines(strings.Join(plan.Lines(), "\n")), Land: i}
}

func (d *deck) landNow(o land.Options, i ui.Land) tea.Msg {
	done, err := d.engine.Land(d.ctx, o)
	var failed *land.Failed
	switch {
	case errors.As(err, &failed) && failed.Returned:
		return ui.DoneMsg{Text: failed.What + "; the executor has it again, on top of what the branch has become", Error: true}
	case errors.As(err, &failed):
		return ui.PageMsg{Title: "not landed: everything is as it was", Text: "# " + failed.What + "\n\n" + failed.Text}
	case err != nil:
		return ui.DoneMsg{Text: fixed(err), Error: true, Line: retype(i)}
	}
	return ui.DoneMsg{Text: done.String()}
}

// fixed is an error with what to do about it.
func fixed(err error) string {
	var refused *land.Refused
	if errors.As(err, &refused) && refused.Fix != "" {
		return refused.Error() + "; " + refused.Fix
	}
	return err.Error()
}
