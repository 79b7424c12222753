package fleet

import (
	"strings"
	"testing"

	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
)

// A gate runs on the idlest worker that did none of the work, unless one has run it already.
func TestTheIdlestWorkerGetsAGate(t *testing.T) {
	t.Parallel()
	p := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"}, "one", "two")
	run := merge.GateRun{Label: "proof", Not: []string{"did"}, Options: gate.Options{Name: "merge_1_1"}}
	with := func(change func(*fleetLink)) *fleetLink {
		l := &fleetLink{status: remote.LinkStatus{Connected: true, Welcome: &wire.Welcome{Status: wire.Status{
			Labels: []string{"proof"}, Slots: 1, Cores: 4, Load: 2}}}}
		if change != nil {
			change(l)
		}
		return l
	}
	q, err := queue.OpenOrCreate(t.Context(), p)
	if err == nil {
		err = q.Drain(t.Context(), project.HumanActor(), "full", true)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		links       map[string]*fleetLink
		want, waits string
	}{
		"load": {map[string]*fleetLink{"a": with(nil),
			"b": with(func(l *fleetLink) { l.status.Welcome.Load = 1 })}, "b", ""},
		"cores": {map[string]*fleetLink{"a": with(nil),
			"b": with(func(l *fleetLink) { l.status.Welcome.Cores, l.status.Welcome.Load = 64, 16 })}, "b", ""},
		"gates": {map[string]*fleetLink{"a": with(func(l *fleetLink) { l.gates = 1 }), "b": with(nil)}, "b", ""},
		"names": {map[string]*fleetLink{"b": with(nil), "a": with(nil)}, "a", ""},
		"has it": {map[string]*fleetLink{"a": with(nil), "b": with(func(l *fleetLink) {
			l.gates, l.status.Welcome.Gates = 1, []string{"merge_1_1"}
		})}, "b", ""},
		"lost": {map[string]*fleetLink{"a": with(func(l *fleetLink) { l.status.Connected = false })}, "",
			"waits for a worker with proof"},
		"drained": {map[string]*fleetLink{"full": with(nil)}, "", "waits for a worker with proof: full is drained"},
		"drained since": {map[string]*fleetLink{"full": with(func(l *fleetLink) {
			l.status.Welcome.Gates = []string{"merge_1_1"}
		})}, "full", ""},
		"did": {map[string]*fleetLink{"did": with(nil),
			"c": with(func(l *fleetLink) { l.status.Welcome.Labels = nil })}, "", "did did the work itself"},
	} {
		f := &Fleet{project: p, links: map[remote.Target]*fleetLink{}}
		for n, l := range c.links {
			f.links[remote.Target{Name: n}] = l
		}
		if got, waits := f.chooseGate(run); got.Name != c.want || !strings.Contains(waits, c.waits) {
			t.Errorf("%s: %q, %q; want %q, %q", name, got.Name, waits, c.want, c.waits)
		}
	}
}
