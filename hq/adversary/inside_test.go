package adversary

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/checks/git/gittest"
	"ferrus/hq/project"
)

// call returns a line of shell that makes a server call a tool, and succeeds unless the tool
// refuses.
func call(tool string) string {
	return `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' '{"jsonrpc":"2.0","method":` +
		`"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool +
		`","arguments":{}}}' | ferrus serve --role supervisor | grep '"id":2' | grep -v '"isError":true\|"error":'`
}

// hostile lists the attempts of a session inside the sandbox, each with a name and a line of shell
// that succeeds if it gets through.
var hostile = []struct{ name, try string }{
	{"read your key", `cat "$YOURS/.ssh/id_rsa"`},
	{"list your home", `ls "$YOURS"/*`},
	{"read the state", `cat "$PROJECT/.ferrus/STATE.json"`},
	{"replace .git", `mv .git old || rm -f .git || echo "gitdir: /tmp" >.git`},
	{"read another worktree", `cat "$PROJECT/.ferrus/worktrees/other/secret"`},
	{"reach a socket of another program", `test -S "$OUTSIDE"`},
	{"reach another session", `ls "$SOCKETS"/*/*.sock`},
	{"see processes outside", `kill -0 "$PID"`},
	{"reach tmux", `ls /tmp/tmux-*`},
	{"reach the bus of your session", `test -e "/run/user/$(id -u)/bus"`},
	{"reach the agent of ssh", `ssh-add -l`},
	{"start a server beside the door", `env -u FERRUS_DOOR ferrus serve --role supervisor </dev/null`},
	{"give your command", `ferrus approve </dev/null`},
	{"replay what a reviewer said at its door", call("approve")},
	{"replay what a planner said at its door", call("create_task")},
}

// unseen lists commands that succeed inside, on files that are discarded: outside nothing changes.
const unseen = `mkdir -p "$YOURS/.claude" "$PROJECT/.git/hooks" "$PROJECT/.git/refs/heads"
mkdir -p "$PROJECT/.ferrus/worktrees/x"
for file in "$YOURS/.bashrc" "$YOURS/.claude/settings.json" "$PROJECT/.ferrus/STATE.json" \
	"$PROJECT/.git/hooks/post-commit" "$PROJECT/.git/refs/heads/x" "$PROJECT/.git/objects/x" /run/ferrus-objects/x; do echo x >"$file"; done 2>/dev/null
`

// works lists what must work inside, in the same form.
var works = []struct{ name, try string }{
	{"write the worktree", `echo y >b.txt`},
	{"git status", `git status --short | grep -q b.txt`},
	{"git commit", `git add b.txt && git -c user.name=a -c user.email=a@b commit -qm b`},
	{"git restore", `echo z >b.txt && git restore b.txt && test "$(cat b.txt)" = y`},
	{"a private /tmp", `echo x >/tmp/x`},
	{"a private home", `echo x >"$HOME/x" && test "$HOME" != "$YOURS"`},
	{"a cache", `echo x >"$GOCACHE.probe"`},
	{"the door", `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` +
		`"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' | ferrus serve --role supervisor |
		grep -q '"ferrus"'`},
	{"a tool behind the door", call("status")},
}

// A session inside the sandbox reaches nothing but its own, and can do its work.
func TestAHostileSessionInside(t *testing.T) {
	for _, workspace := range []string{"worktree", "here"} {
		t.Run(workspace, func(t *testing.T) { playHostile(t, workspace) })
	}
}

func playHostile(t *testing.T, workspace string) {
	if testing.Short() {
		t.Skip("short: it is played through ferrus run")
	}
	if _, err := sandbox.Choose(t.Context(), sandbox.Require, sandbox.Open); err != nil {
		t.Skip("no namespace sandbox here: " + err.Error())
	}
	t.Setenv("SSH_AUTH_SOCK", "/nowhere")
	var script strings.Builder
	script.WriteString(`try() {
	if (eval "$2") >"$OUT/last" 2>&1; then echo "open: $1"; else echo "closed: $1"; cat "$OUT/last" >>"$OUT/errors"; fi \
		>>"$OUT/output"
}
`)
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	for _, one := range append(hostile[:len(hostile):len(hostile)], works...) {
		script.WriteString("try " + quote(one.name) + " " + quote(one.try) + "\n")
	}
	script.WriteString(unseen + `echo over >>"$OUT/output"`)
	p := newAttackedProject(t, "", "")
	listener, err := net.Listen("unix", filepath.Join(p.home, "socket"))
	p.ok(err)
	defer listener.Close()
	p.ok(os.MkdirAll(filepath.Join(p.home, ".ssh"), 0o700))
	p.write(filepath.Join(p.home, ".ssh", "id_rsa"), "SECRET")
	p.ok(os.MkdirAll(filepath.Join(p.dir, ".ferrus", "worktrees", "other"), 0o700))
	p.write(filepath.Join(p.dir, ".ferrus", "worktrees", "other", "secret"), "SECRET")
	p.write(filepath.Join(p.out, "attack"), "YOURS="+p.home+" PROJECT="+p.dir+" OUTSIDE="+p.home+"/socket PID="+
		strconv.Itoa(os.Getpid())+" SOCKETS="+os.Getenv("XDG_RUNTIME_DIR")+"/ferrus\n"+script.String()+
		"\nwhile :; do sleep 1; done\n")
	config, err := os.ReadFile(filepath.Join(p.dir, "ferrus.toml"))
	p.ok(err)
	const more = "[hq]\nworkspace = %q\n[sandbox]\nwrite = [%q]\nread = [%q]\n"
	p.write(filepath.Join(p.dir, "ferrus.toml"), string(config)+
		fmt.Sprintf(more, workspace, p.out, filepath.Join(filepath.Dir(p.dir), "bin")))
	gittest.Run(p, p.dir, "commit", "-qam", "sandbox")
	p.human(0, "trust", "--yes")
	p.run()
	output := p.output()
	if data, err := os.ReadFile(filepath.Join(p.out, "errors")); err == nil {
		t.Logf("errors inside:\n%s", data)
	}
	for _, one := range hostile {
		if !strings.Contains(output, "closed: "+one.name+"\n") {
			t.Errorf("a session inside can %s", one.name)
		}
	}
	for _, one := range works {
		if !strings.Contains(output, "open: "+one.name+"\n") {
			t.Errorf("a session inside cannot use %s", one.name)
		}
	}
	var registry project.Registry
	data, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", "agents.json"))
	p.ok(err)
	p.ok(json.Unmarshal(data, &registry))
	if len(registry.Agents) == 0 || registry.Agents[0].Sandbox != "namespace, network proxy" {
		t.Errorf("the registry says %+v, want a namespace sandbox with a proxy", registry.Agents)
	}
	if data, err := os.ReadFile(filepath.Join(p.home, ".ssh", "id_rsa")); string(data) != "SECRET" || err != nil {
		t.Errorf("your key is %q, %v; want it unchanged", data, err)
	}
	for _, file := range []string{p.home + "/.bashrc", p.home + "/.claude", p.dir + "/.git/hooks/post-commit",
		p.dir + "/.git/refs/heads/x", p.dir + "/.git/objects/x", p.dir + "/.ferrus/worktrees/x"} {
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("outside the sandbox %s exists", file)
		}
	}
	if state, err := os.ReadFile(filepath.Join(p.dir, ".ferrus", "STATE.json")); err != nil || !json.Valid(state) {
		t.Errorf("STATE.json is %q, %v; want valid JSON", state, err)
	}
}
