package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What the kernel and the system open to root alone is hidden from a root inside, who is the same user: most
// machines of tests have no such files, so they are made.
func TestSecretsOfRootAreHidden(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := []string{
		"sys/devices/virtual/dmi/id/product_serial", "sys/devices/virtual/dmi/id/board_serial",
		"sys/devices/virtual/dmi/id/chassis_serial", "sys/devices/virtual/dmi/id/product_uuid",
		"sys/devices/pci0000:00/0000:00:02.0/vpd", "sys/devices/pci0000:00/0000:00:02.0/0000:01:00.0/vpd",
		"sys/devices/pci0000:00/0000:00:02.0/0000:01:00.0/0000:02:00.0/0000:03:00.0/vpd",
		"sys/firmware", "etc/ssh/ssh_host_rsa_key", "etc/shadow", "etc/own.secret",
	}
	public := []string{
		"sys/devices/virtual/dmi/id/product_name", "sys/devices/pci0000:00/0000:00:02.0/vendor", "etc/passwd",
		"sys/devices/system/cpu/online",
	}
	for _, name := range slices.Concat(secret, public) {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(name, "etc/own") {
			mode = 0o600
		}
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	cards := filepath.Join(top, "sys/bus/pci/devices") // which the kernel links to each
	if err := os.MkdirAll(cards, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range secret {
		if dir, found := strings.CutSuffix(name, "/vpd"); found {
			link := filepath.Join(cards, filepath.Base(dir))
			if err := os.Symlink(filepath.Join("../../..", strings.TrimPrefix(dir, "sys/")), link); err != nil {
				t.Fatal(err)
			}
		}
	}
	ofRoot, ofUser := hiddenBelow(top, true), hiddenBelow(top, false)
	for _, name := range secret {
		path := filepath.Join(top, name)
		if !slices.Contains(ofRoot, path) {
			t.Errorf("root inside reads %s", name)
		}
		own := strings.HasPrefix(name, "sys/") || strings.HasPrefix(name, "etc/own")
		if slices.Contains(ofUser, path) == own {
			t.Errorf("%s: hidden from an ordinary user: %v", name, !own)
		}
	}
	for _, name := range public {
		if slices.Contains(ofRoot, filepath.Join(top, name)) {
			t.Errorf("%s is hidden from root", name)
		}
	}
}

// What only root can read where programs are installed is hidden, unless a policy names it, a program on PATH is in
// it, or all of an installation is like that.
func TestSecretsAmongProgramsAreHidden(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, named := write("app/etc/app.key", 0o600), write("app/named.key", 0o600)
	write("app/readme", 0o644)
	inside := filepath.Dir(write("private/keys/a", 0o644))
	tools := filepath.Dir(write("tools/bin/tool", 0o755))
	for i := range maxSecrets + 1 {
		write(fmt.Sprint("strict/", i), 0o600)
	}
	for _, dir := range []string{inside, tools} {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", tools)
	kept := searches{Trees: map[string]searched{}}
	got := Policy{Read: []string{named}}.withSecrets(kept.secretsOf(top, time.Now())).Hide
	if want := []string{key, inside}; !slices.Equal(got, want) {
		t.Errorf("hidden: %q, want %q", got, want)
	}
}
