package cli

import "testing"

// TestDemoHintsAtWhatIsLeft says only of a repository that is kept how to continue in it.
func TestDemoHintsAtWhatIsLeft(t *testing.T) {
	for keep, want := range map[bool]string{
		true:  "continue with: ferrus run",
		false: "ferrus demo starts another; with --keep its repository stays",
	} {
		d := demonstration{keep: keep}
		f := toExitError(d.ended(signalled(false)))
		if f.code != codeInterrupted || len(f.hints) != 1 || f.hints[0] != want {
			t.Errorf("keep %v: %+v, want the hint %q", keep, f, want)
		}
	}
	if d := (demonstration{}); d.ended(nil) != nil {
		t.Error("a demo that ended well fails")
	}
}
