package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/store/longtest"
)

func TestCachesAreBelowTheirDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := Caches(dir, []string{"GOPROXY=off", "GOMODCACHE=/modules"})
	if got := variable(env, "GOCACHE"); got != GoCacheIn(dir) {
		t.Errorf("GOCACHE=%s, want %s", got, GoCacheIn(dir))
	}
	if got, want := variable(env, "GOPROXY"), "file:///modules/cache/download,off"; got != want {
		t.Errorf("GOPROXY=%s, want %s", got, want)
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if below := strings.HasPrefix(value, dir+"/"); below != IsCache(name) {
			t.Errorf("%s: below the directory %t, a cache %t", entry, below, IsCache(name))
		}
	}
	for name, want := range map[string]bool{
		"CARGO_TARGET_DIR": true, "GOCACHE": true, "MAVEN_OPTS": false, "HOME": false} {
		if IsCache(name) != want {
			t.Errorf("%s is a cache: %t", name, !want)
		}
	}
}

func TestCertificatesCanBeRead(t *testing.T) {
	t.Parallel()
	const file = "/company/ca.pem"
	read, set := Toolchains("/home/x", []string{"NODE_EXTRA_CA_CERTS=" + file, "PIP_CERT=/home"})
	if !slices.Contains(read, file) || !slices.Contains(set, "NODE_EXTRA_CA_CERTS="+file) {
		t.Errorf("read %q, set %q", read, set)
	}
	if slices.Contains(read, "/home") {
		t.Error("a variable opened all homes")
	}
}

// TestMavenKeepsItsRepositoryThere asks Maven, of which many versions know no MAVEN_ARGS.
func TestMavenKeepsItsRepositoryThere(t *testing.T) {
	if !longtest.On() {
		t.Skip("set FERRUS_LONG to run Maven")
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		t.Skip("mvn is not installed")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), mvn, "-B", "-o", "-q", "org.apache.maven.plugins:maven-help-plugin:0:help")
	cmd.Dir, cmd.Env = dir, slices.Concat(os.Environ(), Caches(dir, os.Environ()))
	out, err := cmd.CombinedOutput() // It has no such plugin, and no network to look for one.
	if err == nil {
		t.Fatalf("a plugin that is nowhere ran:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".m2", "repository")); err != nil {
		t.Errorf("Maven's repository is missing: %v\n%s", err, out)
	}
}
