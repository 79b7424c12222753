package gate

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"ferrus/checks"
	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// opening is an entry of [sandbox] and a program that needs it, in an environment of ferrus's.
type opening struct{ name, entry, command, env string }

// TestOpenings has a program of the system use what an entry of [sandbox] opens, and fail without the entry.
func TestOpenings(t *testing.T) {
	longtest.OnlyCI(t)
	requireWalls(t)
	for _, o := range []opening{socketOpening(t), portOpening(t), hostOpening(t), deviceOpening(t)} {
		t.Run(o.name, func(t *testing.T) {
			if o.command == "" {
				t.Skip("this machine has nothing to open")
			}
			for _, open := range []bool{true, false} {
				toml, command := "network = \"proxy\"\n", "! "+o.command
				if open {
					toml, command = toml+"[sandbox]\n"+o.entry, o.command
				}
				l := newInside(t, toml, command)
				if r := l.gatedIn(o.env); r.Verdict != checks.Pass {
					t.Errorf("with %v open: %s, want a pass\n%s", open, r.Why, r.Report)
				}
			}
		})
	}
}

// gatedIn is gated in a process of its own: a process looks for your proxy once.
func (l *fixture) gatedIn(env string) Record {
	l.Helper()
	ticket := l.check()
	cmd := exec.Command(os.Args[0], "gate", "run", strconv.FormatUint(ticket, 10))
	cmd.Env = append(os.Environ(), project.ProjectEnv+"="+l.Dir, env)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.Fatalf("%v: %s", err, out)
	}
	r, err := Read(l.Task, ticket)
	l.ok(err)
	return r
}

// curl returns a command that reads a page, if the machine can.
func curl(t *testing.T, args string) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		return ""
	}
	return "curl -sS -f --max-time 20 " + args
}

// page serves one page at an address.
func page(t *testing.T, l net.Listener) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "the page") //nolint:errcheck // the program that asked says so
	}))
	server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func socketOpening(t *testing.T) opening {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	page(t, l)
	return opening{"sockets", fmt.Sprintf("sockets = [%q]\n", path), curl(t, "--unix-socket "+path+" http://x/"), ""}
}

func portOpening(t *testing.T) opening {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(page(t, l).Listener.Addr().String())
	return opening{"ports", fmt.Sprintf("ports = [%q]\n", port), curl(t, "http://127.0.0.1:"+port+"/"), ""}
}

// hostOpening has a host behind your proxy, as in a company.
func hostOpening(t *testing.T) opening {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return opening{"hosts", "hosts = [\"docs.example.com\"]\n", curl(t, "http://docs.example.com/"),
		"HTTP_PROXY=" + page(t, l).URL}
}

// deviceOpening asks a device of the kernel for its version, where there is one that this user can use.
func deviceOpening(t *testing.T) opening {
	t.Helper()
	const kvm, fuse = "/dev/kvm", "/dev/fuse"
	const version = `import fcntl, os; fcntl.ioctl(os.open("` + kvm + `", os.O_RDWR), 0xAE00)`
	if exec.Command("/usr/bin/python3", "-c", version).Run() == nil {
		return opening{"devices", "devices = [\"" + kvm + "\"]\n", "/usr/bin/python3 -c '" + version + "'", ""}
	}
	if f, err := os.OpenFile(fuse, os.O_RDWR, 0); err == nil {
		f.Close()
		return opening{"devices", "devices = [\"" + fuse + "\"]\n", "sh -c ': <>" + fuse + "'", ""}
	}
	return opening{name: "devices"}
}
