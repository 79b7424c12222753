package agent

import "testing"

// TestGetting checks that the error about a missing program says how to install it.
func TestGetting(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		a, err := Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := InstallCommand(a); (got == "") != (a.Binary() == "") {
			t.Errorf("%s, whose program is %q, is got by %q", name, a.Binary(), got)
		}
	}
}
