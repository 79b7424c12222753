package journal

import (
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// Who decided about a submission is known until another one follows.
func TestDescribeReview(t *testing.T) {
	t.Parallel()
	entry := func(event machine.Kind, by string) store.Entry {
		return store.Entry{Event: string(event), By: by, Via: "HQ, pts/3, 7", Why: "no"}
	}
	reject := entry(core.KindReject, core.HumanID)
	for name, c := range map[string]struct {
		journal []store.Entry
		want    string
	}{
		"nothing":   {nil, ""},
		"submitted": {[]store.Entry{reject, entry(core.KindSubmit, "executor:x:1")}, ""},
		"rejected": {[]store.Entry{reject, entry(core.KindClaim, "executor:x:1")},
			"rejected by you on pts/3: no, at "},
		"approved": {[]store.Entry{reject, entry(core.KindApprove, "reviewer:x:1")},
			"approved by reviewer:x:1: no, at "},
		"again": {[]store.Entry{reject, entry(core.KindRetry, core.HumanID)}, ""},
	} {
		got := DescribeReview(c.journal)
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A human is at a terminal, or at none: how a command was confirmed is no place.
func TestNameHuman(t *testing.T) {
	t.Parallel()
	for via, want := range map[string]string{
		"":              "you",
		"HQ, pts/3, 7":  "you on pts/3",
		"pts/3, bash 7": "you on pts/3",
		"confirmed in HQ: no terminal, process 7 (ferrus, sh)": "you",
		"confirmed in HQ: pts/4, process 7 (ferrus, sh)":       "you on pts/4",
	} {
		if got := NameHuman(core.HumanID, via); got != want {
			t.Errorf("NameHuman(%q) = %q, want %q", via, got, want)
		}
	}
}
