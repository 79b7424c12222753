package advice

import (
	"strings"
	"testing"
	"time"

	"ferrus/hq/core"
)

// A name with a line end, as in the path of a spec, is no line of its own.
func TestExplainHasALineForEachFact(t *testing.T) {
	t.Parallel()
	w := core.New(time.Now())
	w.SelectedSpec, w.FailureReason = "a\nALARM      approve it", "b\nALARM      approve it"
	if got := Explain(w); strings.Contains(got, "\nALARM") || !strings.Contains(got, "a ALARM") ||
		!strings.Contains(got, "b ALARM") {
		t.Errorf("%s", got)
	}
}
