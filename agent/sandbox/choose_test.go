package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// The walls of each system, by what its probes find: require refuses what does not hold, and auto never steps down
// without a reason.
func TestChoosesByWhatTheProbesFind(t *testing.T) {
	t.Parallel()
	const all, isolated, nothing = "proxy open", "open", ""
	for name, c := range map[string]struct {
		required   Kind
		namespaces string // networks that namespace walls hold with
		second     bool   // the second best walls hold
		mode       Mode
		network    Network
		want       string // walls, "refused", or walls with a reason
	}{
		"linux":           {Namespace, all, true, Auto, Proxied, "namespace, network proxy"},
		"linux, no proxy": {Namespace, isolated, true, Auto, Proxied, "namespace, network open; why"},
		"linux, no namespaces": {Namespace, nothing, true, Auto, Proxied,
			"landlock (accidents only), network open; why"},
		"linux, nothing": {Namespace, nothing, false, Auto, Open,
			"no sandbox: " + Exposed + "; why; why not"},
		"linux, required":           {Namespace, all, true, Require, Proxied, "namespace, network proxy"},
		"linux, required, no proxy": {Namespace, isolated, true, Require, Proxied, "refused: why"},
		"linux, required, landlock": {Namespace, nothing, true, Require, Open, "refused: why"},
		"macos": {Seatbelt, nothing, true, Auto, Proxied,
			"seatbelt (experimental), network open; why"},
		"macos, does not hold": {Seatbelt, nothing, false, Auto, Open, "no sandbox: " + Exposed + "; why; why not"},
		"macos, required": {Seatbelt, nothing, true, Require, Open,
			"seatbelt (experimental), network open"},
		"macos, required, does not hold": {Seatbelt, nothing, false, Require, Open, "refused: why not"},
		"macos, required, proxy":         {Seatbelt, nothing, true, Require, Proxied, "refused: why"},
		"macos, required, no network":    {Seatbelt, nothing, true, Require, Unshared, "refused: why"},
	} {
		second := map[Kind]Kind{Namespace: Landlock, Seatbelt: Seatbelt}[c.required]
		s := probes{c.required, func(_ context.Context, network Network) (Walls, error) {
			if !strings.Contains(c.namespaces, string(network)) {
				return Walls{}, errors.New("why")
			}
			return Walls{Kind: Namespace, Network: network}, nil
		}, func(context.Context) (Walls, error) {
			if !c.second {
				return Walls{}, errors.New("why not")
			}
			return Walls{Kind: second, Network: Open}, nil
		}}
		w, err := s.choose(t.Context(), c.mode, c.network)
		got := w.Describe()
		if err != nil {
			got = "refused" + strings.TrimPrefix(err.Error(), "the sandbox is required")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Walls that are off say so once, and whose choice it was.
func TestOffSaysWhoseChoiceItIs(t *testing.T) {
	w, err := Choose(t.Context(), Off, Proxied)
	if want := "no sandbox: " + Exposed + `; ferrus.toml has mode = "off" in [sandbox]`; err != nil || w.Describe() != want {
		t.Errorf("%q, %v; want %q", w.Describe(), err, want)
	}
}
