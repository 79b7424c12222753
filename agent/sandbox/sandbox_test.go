package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Main(os.Args[1:])
	os.Exit(m.Run())
}

func TestChoose(t *testing.T) {
	for _, n := range []Network{Open, Unshared} {
		w, err := Choose(t.Context(), Auto, n)
		t.Logf("%s %v\nreason %s\ncure %s", w, err, w.Reason, w.Cure)
		for _, f := range w.Findings {
			t.Logf("%+v", f)
		}
	}
	w, err := probeLandlock(t.Context())
	t.Logf("%s %v", w, err)
	for _, f := range w.Findings {
		t.Logf("%+v", f)
	}
}
