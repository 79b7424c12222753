package serve

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A client gets progress about a call that takes long, whatever the call is doing.
func TestALongCallIsNotSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []string
		p := beginProgress(func(step float64, message string) {
			if int(step) != len(got)+1 {
				t.Errorf("step %g follows %d", step, len(got))
			}
			got = append(got, message)
		})
		time.Sleep(25 * time.Second)
		p.notify("waiting")
		time.Sleep(20 * time.Second)
		p.end()
		time.Sleep(time.Minute)
		p.notify("late")
		if want := []string{"still working", "still working", "waiting", "still working"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
