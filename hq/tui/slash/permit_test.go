package slash

import (
	"strings"
	"testing"

	"ferrus/ui/dialog"
	"ferrus/ui/view"
)

// An answer without a number is for the request that is on the screen at that moment.
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

// The number of a request alone shows all of it.
func TestARequestIsReadWhole(t *testing.T) {
	for line, want := range map[string]string{"41": "", "42": "no request 42"} {
		wanted, err := parsePermit(nil, line)
		if err != nil {
			t.Fatal(err)
		}
		_, env := newCalls()
		got, err := wanted.(readRequest).Run(t.Context(), env)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %v", line, err, want)
			}
		} else if err != nil || got.Dialog == nil || got.Dialog.Kind() != dialog.KindDocument {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
}
