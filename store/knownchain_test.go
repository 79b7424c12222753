package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// A process that has verified the journal finds each change of it as one that has not.
func TestVerifyFindsEachChangeOfTheJournal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	d, _ := newStore(t)
	name := d.Path(journalName)
	for n := range 40 {
		update(t, d, Call{}, step)
		if n%3 == 0 { // otherwise there are several new lines
			ok(t, d.Verify(t.Context()))
		}
		journal, err := os.ReadFile(name)
		ok(t, err)
		at := random.IntN(len(journal))
		lines := bytes.SplitAfter(journal, []byte("\n"))
		which := random.IntN(len(lines) - 1)
		for how, changed := range map[string][]byte{
			"a byte": append(append(bytes.Clone(journal[:at]), journal[at]^1), journal[at+1:]...),
			"a line removed": bytes.Join(append(append([][]byte{}, lines[:which]...), lines[which+1:]...),
				nil),
			"a line twice": bytes.Join(append(append([][]byte{}, lines[:which+1]...), lines[which:]...), nil),
			"shorter":      journal[:at],
		} {
			verify := func(d *Dir[world]) error {
				ok(t, os.WriteFile(name, changed, 0o600))
				return d.Verify(t.Context())
			}
			fresh := &Dir[world]{Files: Files{root: d.root, disk: d.disk, names: d.names}, boot: d.boot}
			err, want := verify(d), verify(fresh)
			found := errors.As(want, new(*DamagedError))
			// A crash may leave the newest line out, so one that is missing is written again.
			mayPass := how == "shorter" || how != "a byte" && which+1 == len(lines)-1
			if fmt.Sprint(err) != fmt.Sprint(want) || !found && !mayPass {
				t.Fatalf("Verify returns %v for %s at %d, line %d of %d, and %v the first time; seed %d", err, how, at,
					which+1, len(lines)-1, want, seed)
			}
		}
		ok(t, os.WriteFile(name, journal, 0o600))
	}
	ok(t, d.Verify(t.Context()))
}
