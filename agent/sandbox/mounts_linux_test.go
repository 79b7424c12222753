package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestProtectedPathsAreMadeAndHeld(t *testing.T) {
	w := walls(t, Namespace, Open)
	work := t.TempDir()
	p := Policy{Dir: work, Write: []string{work}, Protect: []string{work + "/svc/.ferrus/", work + "/a/b/settings"}}
	out, err := run(t, w, p, `mv svc x; mv svc/.ferrus x; mv a x; mv a/b x; mkdir svc/.ferrus/y; echo forged > a/b/settings
		rm -rf svc a; rmdir svc; touch svc/new && echo made`)
	if !strings.HasSuffix(out, "made") {
		t.Errorf("beside a protected path: %v\n%s", err, out)
	}
	for _, name := range []string{"svc/.ferrus", "a/b/settings", "svc/new"} {
		if _, err := os.Stat(filepath.Join(work, name)); err != nil {
			t.Error(err)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(work, "a/b/settings")); len(data) > 0 {
		t.Errorf("the settings are forged: %q, want them empty", data)
	}
}

func TestALinkOnTheWayToAProtectedPathIsRefused(t *testing.T) {
	work, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(work, "svc")); err != nil {
		t.Fatal(err)
	}
	w := Walls{Kind: Namespace, Bwrap: "/usr/bin/bwrap"}
	_, err := w.Command(Policy{Write: []string{work}, Protect: []string{work + "/svc/.ferrus/"}}, "true")
	if err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("got %v, want that it is a symbolic link", err)
	}
	if entries, _ := os.ReadDir(elsewhere); len(entries) > 0 {
		t.Error("something was made behind the link")
	}
}

func TestAMountCoversAFile(t *testing.T) {
	w := walls(t, Namespace, Open)
	work, other := t.TempDir(), t.TempDir()
	if err := errors.Join(os.WriteFile(work+"/.git", []byte("outside"), 0o600),
		os.WriteFile(other+"/git", []byte("inside"), 0o600)); err != nil {
		t.Fatal(err)
	}
	p := Policy{Dir: work, Write: []string{work}, Mounts: []Mount{{From: other + "/git", To: work + "/.git"}}}
	out, _ := run(t, w, p, `cat .git; mv .git x 2>/dev/null || rm .git 2>/dev/null || echo forged 2>/dev/null > .git || echo " held"`)
	if out != "inside held" {
		t.Errorf("the output is %q, want inside held", out)
	}
	if data, _ := os.ReadFile(work + "/.git"); string(data) != "outside" {
		t.Errorf("the file outside is %q, want it unchanged", data)
	}
}

func TestHiddenPartsAreNotRead(t *testing.T) {
	for _, kind := range []Kind{Namespace, Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			w := walls(t, kind, Open)
			tools := t.TempDir()
			if err := errors.Join(os.MkdirAll(tools+"/deep/private", 0o755), os.MkdirAll(tools+"/bin", 0o755),
				os.WriteFile(tools+"/deep/private/key", []byte("secret"), 0o644),
				os.WriteFile(tools+"/deep/token", []byte("secret"), 0o644),
				os.WriteFile(tools+"/deep/open", []byte("visible"), 0o644),
				os.WriteFile(tools+"/bin/tool", []byte("tool"), 0o644)); err != nil {
				t.Fatal(err)
			}
			p := Policy{Read: []string{tools}, Hide: []string{tools + "/deep/private", tools + "/deep/token"}}
			out, _ := run(t, w, p, fmt.Sprintf(`cd %s; cat deep/open bin/tool; cat deep/private/key deep/token 2>/dev/null`, tools))
			if out != "visibletool" {
				t.Errorf("the output is %q, want visibletool", out)
			}
		})
	}
}

// TestFullDirectoriesLeaveHalfOfTheMemory fills nothing: it asks the kernel, from inside, how large what can be
// written in memory may get.
func TestFullDirectoriesLeaveHalfOfTheMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := walls(t, Namespace, Open)
	argv, err := w.Command(Policy{}, "/bin/sh", "-c", `while read dev at type rest; do
		[ "$type" = tmpfs ] && [ -w "$at" ] && stat -f -c "$at %S %b" "$at"; done </proc/mounts; true`)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var total uint64
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		var at string
		var block, blocks uint64
		if _, err := fmt.Sscan(line, &at, &block, &blocks); err != nil {
			t.Fatal(err)
		}
		found[at], total = true, total+block*blocks
	}
	if !found["/tmp"] || !found["/dev/shm"] {
		t.Errorf("the mounts are %s, want /tmp and /dev/shm among them", out)
	}
	if atOnce*total > memory()/2 {
		t.Errorf("%d programs keep up to %d MiB of %d:\n%s", atOnce, atOnce*total>>20, memory()>>20, out)
	}
}

func TestAFullTmpHurtsNothingOutside(t *testing.T) {
	w := walls(t, Namespace, Open)
	before, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A limit of the test's own: what is allowed takes long to fill.
	flags := Policy{}.bubblewrapFlags(Policy{}.mounts())
	for i, f := range flags {
		if f == "--size" {
			flags[i+1] = "1000000"
		}
	}
	name := fmt.Sprintf("full-%d", os.Getpid())
	cmd := exec.Command(w.Bwrap, append(flags, "--", "/bin/sh", "-c", fmt.Sprintf("dd if=/dev/zero of=/tmp/%[1]s "+
		"bs=1M count=4 2>&1; dd if=/dev/zero of=/dev/shm/%[1]s bs=1M count=4 2>&1", name))...)
	out, _ := cmd.CombinedOutput()
	if strings.Count(string(out), "No space left on device") != 2 {
		t.Errorf("the output is %s, want both file systems full", out)
	}
	after, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range after {
		if e.Name() == name {
			t.Errorf("%s is outside; there were %d files", e.Name(), len(before))
		}
	}
}
