package project

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
)

func TestBookPinsWhatRuns(t *testing.T) {
	t.Parallel()
	b := &TrustStore{File: filepath.Join(t.TempDir(), "ferrus", "trust.json")}
	one := core.Definition{Commands: []checks.Command{{Run: "go test ./..."}}}
	knows := func(dir string, d core.Definition, want bool) {
		t.Helper()
		if got, err := b.IsTrusted(dir, d); err != nil || got != want {
			t.Errorf("IsTrusted(%v) = %v, %v; want %v", d.Commands, got, err, want)
		}
	}
	knows("/a", one, false)
	if err := b.Trust("/a", one); err != nil {
		t.Fatal(err)
	}
	knows("/a", one, true)
	knows("/b", one, false)
	named := one
	named.Commands, named.TimeoutSecs = []checks.Command{{Name: "unit", Run: "go test ./..."}}, 5
	knows("/a", named, true) // The same is run.
	for _, other := range []checks.Command{{Run: "go test ./... || true"}, {Run: "go test ./...", Dir: "x"},
		{Run: "go test ./...", Env: []string{"A=b"}}} {
		knows("/a", core.Definition{Commands: []checks.Command{other}}, false)
	}
	knows("/a", core.Definition{Commands: append(one.Commands, one.Commands...)}, false)
	info, err := os.Stat(b.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v; want 0600", info.Mode(), err)
	}
	if dir, err := os.Stat(filepath.Dir(b.File)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("the directory's mode is %v, %v; want 0700", dir.Mode(), err)
	}
}

func TestBookIsNotForOthersToWrite(t *testing.T) {
	t.Parallel()
	b := &TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	d := core.Definition{Commands: []checks.Command{{Run: "true"}}}
	if err := b.Trust("/a", d); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(b.File, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := b.IsTrusted("/a", d); err == nil || !strings.Contains(err.Error(), "run: chmod 600") {
		t.Errorf("got %v, want a hint to run: chmod 600", err)
	}
	if err := os.WriteFile(b.File, []byte("{"), 0o600); err != nil || os.Chmod(b.File, 0o600) != nil {
		t.Fatal(err)
	}
	if known, err := b.IsTrusted("/a", d); err == nil || known {
		t.Errorf("a damaged store trusts: %v, %v; want an error", known, err)
	}
}

func TestManyTrustAtOnce(t *testing.T) {
	t.Parallel()
	b := &TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := b.Trust("/a",
				core.Definition{Commands: []checks.Command{{Run: strings.Repeat("x", i+1)}}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 20 {
		if known, err := b.IsTrusted("/a",
			core.Definition{Commands: []checks.Command{{Run: strings.Repeat("x", i+1)}}}); err != nil || !known {
			t.Errorf("%d is lost: %v", i, err)
		}
	}
}

func TestUntrustedNamesThePinnedOnesToo(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.Trusts = &TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	setup := core.Definition{Setup: []checks.Command{{Run: "npm ci"}}}
	if trusted, err := l.Trusted(setup); trusted || err != nil {
		t.Errorf("setup without commands: %v, %v", trusted, err)
	}
	w := core.World{State: "Executing",
		Task: &core.Task{Definition: &core.Definition{Commands: []checks.Command{{Run: "other"}}}}}
	got, err := l.Untrusted(w)
	if err != nil || len(got) != 2 || got[1].Commands[0].Run != "other" {
		t.Fatalf("Untrusted = %+v, %v; want 2 definitions", got, err)
	}
	if err := l.Trust(got...); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Untrusted(w); err != nil || len(got) != 0 {
		t.Errorf("Untrusted = %+v, %v; want none", got, err)
	}
}
