package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/store/exectest"
)

// A long directory for temporary files leaves the probe its sockets.
func TestTheProbeFitsALongTemporaryDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	s, err := newProbeTargets()
	if err != nil {
		t.Fatal(err)
	}
	s.close()
}

func TestAProbeLooksFromOutside(t *testing.T) {
	s, err := newProbeTargets()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	// Without walls nothing but the writable tree and the terminal is as it must be.
	argv, err := stageCommand(probeCommand, s.targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.findings(report{Secret: s.secret, Vsock: "it worked", Calls: "it worked"}) {
		if without := f.Name == findWrite || f.Name == findTerminal; f.Holds != without {
			t.Errorf("without walls: %s: %v (%s)\n%s", f.Name, f.Holds, f.Got, out)
		}
	}
}

func TestLandlockHolds(t *testing.T) {
	w := walls(t, Landlock, Open)
	fails := func(f Finding) bool { return !f.Holds }
	if !slices.ContainsFunc(w.Findings, fails) {
		t.Errorf("%s has no limits: %+v", w, w.Findings)
	}
}

func TestChooseNeverDropsSilently(t *testing.T) {
	w, err := Choose(t.Context(), Auto, Open)
	if err != nil {
		t.Fatal(err)
	}
	if w.Kind != Namespace && w.Reason == "" {
		t.Errorf("%s without a reason", w)
	}
	saved := bubblewraps
	defer func() { bubblewraps = saved }()
	bubblewraps = nil
	w, err = Choose(t.Context(), Auto, Unshared)
	if err != nil {
		t.Fatal(err)
	}
	if w.Kind == Namespace || !strings.Contains(w.Reason, "not installed") ||
		!strings.Contains(w.Cure, "bubblewrap") || w.Network != Open {
		t.Errorf("without bubblewrap: %+v", w)
	}
	_, err = Choose(t.Context(), Require, Open)
	if err == nil || Cure(err) != w.Cure {
		t.Errorf("required without bubblewrap: %v, cure %q", err, Cure(err))
	}
}

func TestABubblewrapThatFailsIsNotUsed(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "bwrap")
	script := []byte("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
	if err := exectest.WriteFile(fake, script, 0o755); err != nil {
		t.Fatal(err)
	}
	saved := bubblewraps
	defer func() { bubblewraps = saved }()
	bubblewraps = []string{fake}
	w, err := Choose(t.Context(), Auto, Open)
	if err != nil || w.Kind == Namespace || !strings.Contains(w.Reason, "uid map: Permission denied") || w.Cure == "" {
		t.Errorf("the sandbox is %+v, %v; want none of namespaces, with the reason and a cure", w, err)
	}
}
