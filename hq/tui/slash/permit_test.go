package slash

import (
	"testing"

	"ferrus/ui/view"
)

// An answer without a number is for the request that is on the screen when it is given.
func TestPermitIsForTheRequestOnTheScreen(t *testing.T) {
	shown := func(items ...view.InboxItem) *view.View { return &view.View{Inbox: items} }
	one, two := view.InboxItem{Type: "/permit 41 "}, view.InboxItem{Type: "/permit 42 "}
	for i, c := range []struct {
		v    *view.View
		line string
		want uint64
	}{
		{shown(view.InboxItem{Type: "/trust"}, one), "once", 41},
		{shown(one, two), "once", 0},
		{shown(one, view.InboxItem{Type: "/permit 42 ", Task: "another"}), "never no", 41},
		{shown(one), "42 task", 42},
		{shown(), "once", 0},
		{nil, "once", 0},
	} {
		got, err := parsePermit(c.v, c.line)
		if p, _ := got.(permit); err != nil || p.Number != c.want {
			t.Errorf("%d: %+v, %v", i, got, err)
		}
	}
}
