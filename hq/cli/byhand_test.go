package cli

import (
	"strings"
	"testing"

	"ferrus/store"
)

// The report says which sessions you started by hand, because they ran outside any sandbox. The
// journal only has the changes.
func TestTheReportSaysWhatWasStartedByHand(t *testing.T) {
	t.Parallel()
	var e evidence
	for _, l := range []store.Entry{
		{Event: "claim", By: "executor:a:1", Data: []byte(`{"claim":{"managed":true,"epoch":1}}`)},
		{Event: "release", By: "executor:a:1", Data: []byte(`{"claim":null}`)},
		{Event: "claim", By: "executor:b:1", Data: []byte(`{"claim":{"managed":false,"epoch":2}}`)},
		{Event: "claim", By: "executor:c:1", Data: []byte(`{"claim":{"epoch":3}}`)},
		{Event: "submit", By: "executor:d:1", Data: []byte(`{}`)},
	} {
		e.countEvent(l)
	}
	var b strings.Builder
	e.writeActors(&b)
	want := []string{
		"- executor:a:1: claim 1, release 1",
		"- executor:b:1: claim 1 (started by hand, outside any sandbox)",
		"- executor:c:1: claim 1 (started by hand, outside any sandbox)",
		"- executor:d:1: submit 1",
	}
	got := strings.Split(strings.TrimSpace(b.String()), "\n")[2:]
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q,\nwant %q", got, want)
	}
}
