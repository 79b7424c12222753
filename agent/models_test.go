package agent

import (
	"slices"
	"testing"
)

// TestModelsAreNamed checks that suggested names are valid after --model, and that an agent without
// its own names has none.
func TestModelsAreNamed(t *testing.T) {
	some := 0
	for _, name := range Names() {
		models := Models(name)
		some += len(models)
		if slices.Contains(models, "") || len(slices.Compact(slices.Sorted(slices.Values(models)))) != len(models) {
			t.Errorf("%s has the models %q, want distinct names", name, models)
		}
	}
	if some == 0 || Models("nosuch") != nil || Models("demo") != nil {
		t.Errorf("%d names in all; an unknown agent has %q", some, Models("nosuch"))
	}
}
