package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ferrus/hq/hqtest"
	"ferrus/store/exectest"
)

// Only checks whose programs are installed are proposed, and the others are named.
func TestOnlyInstalledChecksAreProposed(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"cargo", "cargo-fmt"} {
		hqtest.Must(t, exectest.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755))
	}
	t.Setenv("PATH", bin)
	hqtest.Must(t, os.MkdirAll(filepath.Join(dir, "go"), 0o755))
	hqtest.Must(t, os.WriteFile(filepath.Join(dir, "Cargo.toml"), nil, 0o644))
	hqtest.Must(t, os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o644))
	var out bytes.Buffer
	got := proposeInstalled(dir, &out)
	if !slices.Equal(got, []string{"cargo fmt --check", "cargo test"}) {
		t.Errorf("proposed %q", got)
	}
	want := "not proposed, because go is not installed: go vet ./...\n" +
		"not proposed, because go is not installed: go test ./...\n" +
		"not proposed, because cargo-clippy is not installed: cargo clippy -- -D warnings\n"
	if out.String() != want {
		t.Errorf("printed %q", out.String())
	}
	if program := programOf("cd 'a b' && make check"); program != "make" {
		t.Errorf("the program is %q", program)
	}
}
