package gate

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ferrus/hq/ports"
	"ferrus/store"
)

// A gate knows its task, and has the ports of its lane; what its commands leave open takes none
// from a task.
func TestGateHasPorts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "echo $FERRUS_TASK $FERRUS_PORT >>$OUT/env")
	l.Heads = store.Heads(filepath.Join(t.TempDir(), "heads"))
	l.run(l.check())
	data, err := os.ReadFile(filepath.Join(l.out, "env"))
	l.ok(err)
	task, port, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if task != l.world().Task.ID {
		t.Errorf("FERRUS_TASK is %q in a gate of %s", task, l.world().Task.ID)
	}
	want, err := ports.In(filepath.Dir(string(l.Heads))).Of(string(LaneOf(l.Task)))
	l.ok(err)
	if port != strconv.Itoa(want) {
		t.Errorf("FERRUS_PORT is %q, the lane has %d", port, want)
	}
}
