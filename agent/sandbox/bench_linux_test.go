package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/proxy"
	"ferrus/hq/benchtest"
)

// launched is one row of BenchmarkLaunch.
type launched struct {
	name     string
	walls    Walls
	argv     []string // instead of what the walls say
	ordinary bool     // as an ordinary user, by root
	took     []time.Duration
	ran      []time.Duration // on processors
}

// BenchmarkLaunch starts /bin/true by the program that is built, in each kind of walls in turn, and
// by bubblewrap alone. It reports the median of each, and what the processors did. Root measures as an
// ordinary user, too.
func BenchmarkLaunch(b *testing.B) {
	dir := b.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for an ordinary user
		b.Fatal(err)
	}
	built := filepath.Join(dir, "ferrus")
	if out, err := exec.Command("go", "build", "-o", built, "ferrus").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	saved := executable
	defer func() { executable = saved }()
	executable = func() (string, error) { return built, nil }
	rows := launchRows(b)
	for b.Loop() {
		for _, r := range rows {
			r.launch(b)
		}
	}
	for _, r := range rows {
		b.ReportMetric(benchtest.Milliseconds(r.took, 0.5), r.name+"-p50-ms")
		b.ReportMetric(benchtest.Milliseconds(r.ran, 0.5), r.name+"-cpu-ms")
	}
}

func launchRows(b *testing.B) (rows []*launched) {
	b.Helper()
	rows = []*launched{{name: "bare", walls: Walls{Kind: None}}}
	if path, err := findBubblewrap(); err == nil {
		rows = append(rows, &launched{name: "bubblewrap", argv: []string{path, "--unshare-user", "--unshare-pid",
			"--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "/bin/true"}})
	}
	for _, c := range columns[:4] {
		w, err := probe(b, c.kind, c.network)
		if err != nil {
			b.Logf("no %s walls here: %v", c.title, err)
			continue
		}
		name := strings.ReplaceAll(strings.TrimPrefix(c.title, "namespace with "), " ", "-")
		rows = append(rows, &launched{name: strings.Trim(name, "-"), walls: w})
	}
	if os.Getuid() == 0 {
		for _, r := range rows {
			rows = append(rows, &launched{name: r.name + "-user", walls: r.walls, argv: r.argv, ordinary: true})
		}
	}
	return rows
}

func (r *launched) launch(b *testing.B) {
	b.Helper()
	outside, err := r.walls.StartProxy(proxy.Rules{})
	if err != nil {
		b.Fatal(err)
	}
	defer outside.Close()
	if outside != nil && r.ordinary {
		for _, path := range []string{outside.dir, outside.set.Proxy} {
			if err := os.Chown(path, unprivileged, unprivileged); err != nil {
				b.Fatal(err)
			}
		}
	}
	began := time.Now()
	argv := r.argv
	if r.ordinary {
		geteuid = func() int { return unprivileged }
		defer func() { geteuid = os.Geteuid }()
	}
	if argv == nil {
		if argv, err = r.walls.Command(outside.Policy(Policy{Network: r.walls.Network}), "/bin/true"); err != nil {
			b.Fatal(err)
		}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	if r.ordinary {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v: %s", r.name, err, out)
	}
	r.took = append(r.took, time.Since(began))
	r.ran = append(r.ran, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}
