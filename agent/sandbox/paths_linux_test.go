package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A variable may name a toolchain in the home of another user.
func TestUnreachablePathsAreLeftOut(t *testing.T) {
	top := t.TempDir()
	closed := filepath.Join(top, "closed")
	for _, dir := range []string{closed, filepath.Join(closed, "tool")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o755) }) // so that it can be removed
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // the thread ends with the goroutine: its user is not restored
			if err := syscall.Setfsuid(unprivileged); err != nil {
				t.Error(err)
			}
		}
		got, err := findTrees([]string{"/usr", filepath.Join(closed, "tool"), filepath.Join(closed, "missing")})
		if err != nil || len(got) != 1 || got[0] != "/usr" {
			t.Errorf("findTrees returned %q, %v", got, err)
		}
	}()
	<-done
}

// A link that a program inside made leads no other program, or the next one, to what it names.
func TestLinksInWritableTreesLeadNowhere(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	secret, project, other := filepath.Join(top, "secret"), filepath.Join(top, "project"), filepath.Join(top, "other")
	for _, dir := range []string{secret, filepath.Join(project, "venv"), other} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	yours, planted := filepath.Join(top, "yours"), filepath.Join(project, "venv", "bin")
	for _, link := range []string{yours, planted} {
		if err := os.Symlink(secret, link); err != nil {
			t.Fatal(err)
		}
	}
	through := filepath.Join(top, "through") // leads through the planted one
	if err := os.Symlink(planted, through); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{Namespace, Landlock} {
		for _, p := range []Policy{{Write: []string{project}}, {Write: []string{other}, Shared: []string{project}}} {
			for _, path := range []string{planted, through, planted + "/below"} {
				p.Read = []string{path, yours}
				got, err := p.resolve(kind)
				if err != nil || !slices.Equal(got.Read, []string{secret}) {
					t.Errorf("%s, %+v: readable are %q, %v; want only the secret", kind, p, got.Read, err)
				}
				p.Read = []string{path}
				if got, err := p.resolve(kind); err != nil || len(got.Read) > 0 {
					t.Errorf("%s, %+v: readable are %q, %v; want none", kind, p, got.Read, err)
				}
				p.Read = nil
				for _, more := range []Policy{
					{Write: []string{path}}, {Sockets: []string{path}}, {Devices: []string{path}},
				} {
					more.Write, more.Shared = append(more.Write, p.Write...), p.Shared
					if _, err := more.resolve(kind); err == nil {
						t.Errorf("%s: %+v is not refused", kind, more)
					}
				}
			}
		}
	}
}

// Root inside cannot read them, in each kind of walls.
func TestNoSecretAmongProgramsIsRead(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root could read it")
	}
	dir, err := os.MkdirTemp("/opt", "ferrus-test-")
	if err != nil {
		t.Skip("nothing can be put there: " + err.Error())
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	was := programSecrets
	programSecrets = func() []string { return (&searches{Trees: map[string]searched{}}).secretsOf("/opt", time.Now()) }
	t.Cleanup(func() { programSecrets = was })
	for _, kind := range []Kind{Namespace, Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			w := walls(t, kind, Open)
			argv, err := w.Command(Policy{Dir: "/"}, "/bin/sh", "-c", `cat "$0"/key; ls "$0"`, dir)
			if err != nil {
				t.Fatal(err)
			}
			out, _ := exec.Command(argv[0], argv[1:]...).CombinedOutput()
			if strings.Contains(string(out), "secret") {
				t.Errorf("it was read: %s", out)
			}
		})
	}
}

// What you decided is not in a tree that a program inside changes, even if the directory of your state is.
func TestTheStateIsHidden(t *testing.T) {
	top := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(top, "state"))
	trusted := filepath.Join(top, "state", "ferrus", "trusted")
	for _, c := range []struct {
		network Network
		policy  Policy
	}{{Open, Policy{Dir: top, Write: []string{top}}}, {Unshared, Policy{Dir: top, Read: []string{top}}}} {
		w := walls(t, Namespace, c.network)
		if err := os.MkdirAll(filepath.Dir(trusted), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(trusted, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		c.policy.Network = c.network
		argv, err := w.Command(c.policy, "/bin/sh", "-c", `cat "$0"; echo forged >"$0"; mv state moved; true`, trusted)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(argv[0], argv[1:]...).Output()
		if data, _ := os.ReadFile(trusted); err != nil || string(out) != "" || string(data) != "mine" {
			t.Errorf("inside %q (%v), outside %q", out, err, data)
		}
	}
}
