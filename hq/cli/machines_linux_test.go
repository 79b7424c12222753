package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// TestMachines runs tasks on two workers in network namespaces, one over a real sshd and one over a
// real NATS server, while the network and the machines fail: nothing is lost, done twice, or left
// behind.
func TestMachines(t *testing.T) {
	longtest.Only(t)
	if _, err := os.Stat("/usr/sbin/sshd"); err != nil {
		t.Skip("openssh-server is not installed")
	}
	n := newNetwork(t, "home", "far", "near")
	home, far, near := n.all["home"], n.all["far"], n.all["near"]
	for _, m := range n.all {
		for _, program := range []string{"ferrus", "slowagent"} {
			path, err := exec.LookPath(program)
			if err == nil {
				err = os.Symlink(path, filepath.Join(m.dir, "bin", program))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		config := "[user]\n\tname = You\n\temail = you@example.com\n"
		if err := os.WriteFile(filepath.Join(m.dir, ".gitconfig"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	startHub(t, n)
	far.daemon = append(far.daemon, func() *exec.Cmd {
		return far.command("ferrus", "worker", "--nats", "nats://10.99.0.1:4222", "--name", "far", "--labels", "w",
			"--slots", "3")
	})
	login := serveSSH(t, near)
	far.boot()
	near.boot()

	const tasks = 16
	app := filepath.Join(home.dir, "app")
	makeApp(t, home, app, near, login, tasks)
	outcome := n.faults(t, home, app, tasks)
	t.Log(outcome)
	if outcome.homes != 2 {
		t.Errorf("there are %d directories of home on the workers", outcome.homes)
	}
	if outcome.lost+outcome.doubled+outcome.leaked > 0 {
		for _, m := range n.all {
			data, _ := os.ReadFile(filepath.Join(m.dir, "log"))
			t.Logf("%s:\n%s", m.name, data[max(len(data)-6000, 0):])
		}
		t.Fail()
	}
}

// startHub starts the NATS server.
func startHub(t *testing.T, n *network) {
	t.Helper()
	hub := &computer{t: t, name: "hub", space: n.hub, dir: filepath.Join(n.root, "hub"), address: "10.99.0.1"}
	if err := os.MkdirAll(hub.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	hub.daemon = append(hub.daemon, func() *exec.Cmd { return hub.command("play-nats", hub.address, "4222") })
	n.all["hub"] = hub
	hub.boot()
}

// serveSSH has a machine run sshd, and returns the ssh that logs in there.
func serveSSH(t *testing.T, m *computer) (login string) {
	t.Helper()
	at := func(name string) string { return filepath.Join(m.dir, name) }
	for _, key := range []string{"host", "user"} {
		make := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(key))
		if out, err := make.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	_ = os.Mkdir("/run/sshd", 0o755) // where packages have it made at boot
	config := fmt.Sprintf("Port 22\nListenAddress %s\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\n"+
		"PermitRootLogin yes\nPidFile none\nSetEnv HOME=%s XDG_RUNTIME_DIR=%s TMPDIR=%s PATH=%s:%s\n", m.address,
		at("host"), at("user.pub"), m.dir, at("run"), at("tmp"), at("bin"), os.Getenv("PATH"))
	login = at("login")
	script := fmt.Sprintf("#!/bin/sh\nexec ssh -i %s -oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null "+
		"-oLogLevel=ERROR -oConnectTimeout=5 \"$@\"\n", at("user"))
	for name, text := range map[string]string{"config": config, "login": script} {
		if err := exectest.WriteFile(at(name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m.daemon = append(m.daemon, func() *exec.Cmd { return m.command("/usr/sbin/sshd", "-D", "-e", "-f", at("config")) })
	return login
}

// makeApp makes the project, and queues its tasks.
func makeApp(t *testing.T, home *computer, app string, near *computer, login string, tasks int) {
	t.Helper()
	toml := slowTOML + `[limits]
max_parallel_tasks = 6
[workers]
nats = "nats://10.99.0.1:4222"
[worker.near]
ssh = "root@` + near.address + `"
slots = 3
labels = ["w"]
`
	if err := os.MkdirAll(app, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"ferrus.toml": toml, "a.txt": "a\n"} {
		if err := os.WriteFile(filepath.Join(app, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"git init --quiet --initial-branch=main", "ferrus init --yes", "ferrus trust --yes",
		"git add -A", "git commit --quiet -m first"} {
		home.run(app, strings.Fields(line)...)
	}
	for i := range tasks {
		home.run(app, "ferrus", "task", "add", "--needs", "w", fmt.Sprintf("Task %d", i+1))
	}
	home.daemon = append(home.daemon, func() *exec.Cmd {
		c := home.command("ferrus", "run")
		c.Dir = app
		c.Env = append(c.Env, "FERRUS_SSH_COMMAND="+login)
		return c
	})
}

// outcome is the result of the tasks.
type outcome struct {
	seed                  uint64
	faults                []string
	lost, doubled, leaked int
	homes                 int // directories of home on workers
	why                   []string
	took                  time.Duration
}

func (o outcome) String() string {
	return fmt.Sprintf("seed %d: lost %d, doubled %d, leaked %d, after %d faults in %v: %s\n%s", o.seed, o.lost,
		o.doubled, o.leaked, len(o.faults), o.took.Round(time.Second), strings.Join(o.faults, ", "),
		strings.Join(o.why, "\n"))
}

func pause(random *rand.Rand, least, most int) {
	time.Sleep(time.Duration(least)*time.Second + time.Duration(random.IntN((most-least)*1000))*time.Millisecond)
}
