package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The profile of macOS names what a policy names, and its later rules take back what earlier ones gave.
func TestSeatbelt(t *testing.T) {
	t.Parallel()
	p := Policy{Dir: "/w", Write: []string{"/w"}, Read: []string{"/tools"}, Protect: []string{"/w/a/b/.ferrus/"},
		Hide: []string{"/tools/secret"}, Sockets: []string{"/run/pg"}, Devices: []string{"/dev/cu.x"}}
	got, err := p.seatbelt()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{ // in this order
		"(version 1)", "(deny default)", "(allow signal (target same-sandbox))", "(allow network*)",
		"(deny network-outbound (remote unix-socket))",
		`(deny file-read-data file-read-xattr (subpath "/private/etc/ssh"))`,
		`(allow file-read* (subpath "/tools"))`, `(allow file-read* file-write* (subpath "/w"))`,
		`(deny file-write* (subpath "/w/a/b/.ferrus"))`,
		`(deny file-write-unlink (literal "/w/a"))`, `(deny file-write-unlink (literal "/w/a/b"))`,
		`(deny file-write-unlink (literal "/w/a/b/.ferrus"))`,
		`(deny file-read* file-write* (subpath "/tools/secret"))`,
		`(allow file-read* file-write* network-outbound (literal "/run/pg"))`,
		`(allow file-read* file-write* file-ioctl (literal "/dev/cu.x"))`,
	}
	rest := got
	for _, line := range want {
		_, after, found := strings.Cut(rest, line+"\n")
		if !found {
			t.Fatalf("no %s where it counts:\n%s", line, got)
		}
		rest = after
	}
	for _, never := range []string{"keychain", "securityd", "launchd", "WindowServer", "pasteboard"} {
		if strings.Contains(got, never) {
			t.Errorf("the profile names %s", never)
		}
	}
	if opened, closed := strings.Count(got, "("), strings.Count(got, ")"); opened != closed {
		t.Errorf("%d parentheses are opened and %d closed", opened, closed)
	}
}

// A path is data in a profile, whatever it has in it.
func TestSeatbeltQuotesPaths(t *testing.T) {
	t.Parallel()
	p := Policy{Write: []string{`/w") (allow default) (literal "\`}}
	got, err := p.seatbelt()
	if want := `(subpath "/w\") (allow default) (literal \"\\"))`; err != nil || !strings.Contains(got, want) {
		t.Errorf("%v, want %q\n%s", err, want, got)
	}
	if _, err := (Policy{Write: []string{"/w\nx"}}).seatbelt(); err == nil {
		t.Error("a path with a line break was quoted")
	}
}

// The command line starts the profile, and protects what is made first where it is absent.
func TestSeatbeltCommand(t *testing.T) {
	ready = true
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	policy := Policy{Dir: dir, Write: []string{dir}, Protect: []string{dir + "/svc/.ferrus/"}, Env: []string{"A=b"}}
	argv, err := Walls{Kind: Seatbelt, Network: Open}.Command(policy, "make", "test")
	if err != nil {
		t.Fatal(err)
	}
	if argv[0] != seatbeltProgram || !slices.Equal(argv[len(argv)-4:], []string{dir, "A=b", "make", "test"}) ||
		!strings.Contains(argv[2], `(deny file-write-unlink (literal "`+dir+`/svc"))`) {
		t.Errorf("the command is %q, want sandbox-exec with a rule for svc", argv)
	}
	if info, err := os.Stat(filepath.Join(dir, "svc", ".ferrus")); err != nil || !info.IsDir() {
		t.Errorf("the protected directory was not made: %v", err)
	}
	if _, err := (Walls{Kind: Seatbelt}).Command(Policy{Network: Unshared}, "make"); err == nil {
		t.Error("it has no network of its own")
	}
}
