package host

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/door"
)

// withDoor returns a session of the given part that has a door, and the door's socket.
func (s *fixture) withDoor(part, slot string, env ...string) (Launch, string) {
	s.Helper()
	l := s.launch(part, slot, env...)
	socket, err := MakeDoor(l.Session)
	if err != nil {
		s.Fatal(err)
	}
	l.Door = &Door{Socket: socket, Server: []string{os.Args[0]}, Env: []string{"PLAY=server"}}
	return l, socket
}

func TestASessionReachesItsServerThroughItsDoor(t *testing.T) {
	s := newFixture(t)
	l, socket := s.withDoor("relay", "executor", "SAY=hello there\n")
	l.Invocation.Env = append(l.Invocation.Env, door.Env+"="+socket)
	c, p := s.run(l)
	p.await(t, "hello there")
	p.await(t, "relayed <nil>")
	c.End(t.Context(), 0)
	if _, err := os.Lstat(filepath.Dir(socket)); !os.IsNotExist(err) {
		t.Errorf("the door's directory still exists: %v", err)
	}
}

// A process of another session, or of none, is refused with the reason and recorded.
func TestTheDoorIsForItsSessionAlone(t *testing.T) {
	s := newFixture(t)
	l, socket := s.withDoor("hang", "executor")
	_, p := s.run(l)
	p.await(t, "ready")
	err := door.Relay(t.Context(), socket, strings.NewReader("{}\n"), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "another session") {
		t.Errorf("a process outside every session got %v, want that it belongs to another session", err)
	}
	if noted, err := os.ReadFile(filepath.Join(string(s.dir), "intruded")); string(noted) != l.Session {
		t.Errorf("recorded %q, %v; want the session %q", noted, err, l.Session)
	}
	other := s.launch("relay", "reviewer", door.Env+"="+socket, "SAY=hello there\n")
	_, q := s.run(other)
	q.await(t, "another session")
}

// A client that is killed while it connects is not recorded as an intruder.
func TestAProcessThatHasEndedIsNotNoted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "private")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := listen(filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	knock := exec.Command(os.Args[0])
	knock.Env = append(os.Environ(), "PLAY=knock", door.Env+"="+l.Addr().String())
	if out, err := knock.CombinedOutput(); err != nil {
		t.Fatalf("knock: %v: %s", err, out)
	}
	conn, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	h := &host{disk: folder(dir), launch: Launch{Session: "s1"}}
	if err := h.admitToDoor(conn); err == nil {
		t.Error("the killed client was admitted")
	}
	if noted, err := os.ReadFile(filepath.Join(dir, "intruded")); !os.IsNotExist(err) {
		t.Errorf("recorded %q, %v; want nothing", noted, err)
	}
}
