package sshlink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ferrus/hq/wire"
	"ferrus/store/exectest"
)

// playEnv makes the test binary the program at the other end.
const playEnv = "TEST_PLAY"

const greeting = "ferrus test\n"

// ssh is a program that behaves as the destination says, and notes its arguments.
const ssh = `#!/bin/sh
echo "$@" >>ROOT/arguments
while [ "$1" != -- ]; do shift; done
case $2 in
good) exec env TEST_PLAY=worker SELF ;;
banner) echo 'Welcome.'; printf 'no greeting: ferrus test'; echo; exec env TEST_PLAY=worker SELF ;;
denied) printf 'debug1: x\nme@big: \033[31mPermission denied (publickey).\n' >&2; exit 255 ;;
missing) echo 'sh: ferrus: not found'; echo; exit 127 ;;
nothing) exit 3 ;;
silent) exec sleep 1000 ;;
lost) exec env TEST_PLAY=lost SELF ;;
here) export HOME=ROOT/there; exec sh -c "$3" ;;
full) cat >/dev/null; echo 'cat: write error: No space left on device' >&2; exit 1 ;;
esac
`

func TestMain(m *testing.M) {
	if how := os.Getenv(playEnv); how != "" {
		play(how)
		return
	}
	root, err := os.MkdirTemp("", "sshlink")
	if err == nil {
		text := strings.NewReplacer("ROOT", root, "SELF", os.Args[0]).Replace(ssh)
		err = exectest.WriteFile(filepath.Join(root, "ssh"), []byte(text), 0o700)
	}
	if err == nil {
		err = os.Setenv(Env, filepath.Join(root, "ssh")+" -p 2222")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	arguments = filepath.Join(root, "arguments")
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.RemoveAll(root)
	os.Exit(code)
}

// arguments is the file with those of each ssh.
var arguments string

// play greets, and answers calls with their bodies; what is lost ends with the first.
func play(how string) {
	fmt.Print(greeting)
	_ = wire.Serve(context.Background(), wire.Bytes(os.Stdin, os.Stdout), echo(how)) // it ends with its input
}

type echo string

func (e echo) Call(_ context.Context, _ wire.Method, body []byte) ([]byte, error) {
	if e == "lost" {
		fmt.Fprintln(os.Stderr, "client_loop: send disconnect: Broken pipe")
		os.Exit(255)
	}
	return body, nil
}

func (echo) Stream(context.Context, wire.Method, []byte, wire.Stream) error { return io.EOF }

func dial(t *testing.T, destination string) (wire.Link, error) {
	t.Helper()
	return Dial(t.Context(), Options{Destination: destination, Command: Shell("worker --stdio"), Greeting: greeting})
}

// A link is made whatever a login prints before the greeting, and ends with ssh.
func TestALinkOverSSH(t *testing.T) {
	t.Parallel()
	for _, destination := range []string{"good", "banner"} {
		l, err := dial(t, destination)
		if err != nil {
			t.Fatalf("%s: %v", destination, err)
		}
		if got, err := l.Call(t.Context(), "echo", []byte("x")); string(got) != "x" || err != nil {
			t.Errorf("%s: %q, %v", destination, got, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("%s: %v", destination, err)
		}
		if _, err := l.Call(t.Context(), "echo", nil); !errors.Is(err, wire.ErrLost) {
			t.Errorf("%s: a closed link answers: %v", destination, err)
		}
	}
	data, err := os.ReadFile(arguments)
	if want := "-p 2222 -T -oBatchMode=yes -- good sh -c 'PATH="; err != nil || !strings.Contains(string(data), want) {
		t.Errorf("ssh was called with %q, %v; want %q", data, err, want)
	}
}

// Why there is no link is said in the words of ssh or of the other machine, in one line without control characters.
func TestWhyThereIsNoLink(t *testing.T) {
	t.Parallel()
	for destination, c := range map[string]struct {
		words string
		code  int // of a FailedError; 0: it is another error
	}{
		"denied":  {"Permission denied (publickey).", 255},
		"missing": {`the last line was "sh: ferrus: not found"`, 127},
		"nothing": {"ssh exited with 3", 3},
		"":        {"is not a valid ssh destination", 0},
		"a b":     {"is not a valid ssh destination", 0}, "-oProxyCommand=x": {"is not a valid ssh destination", 0},
	} {
		_, err := dial(t, destination)
		var failed *FailedError
		switch {
		case err == nil || !strings.Contains(err.Error(), c.words) || strings.ContainsAny(err.Error(), "\x1b\n"):
			t.Errorf("%q: %v; want %q", destination, err, c.words)
		case errors.As(err, &failed) != (c.code > 0) || failed != nil && failed.Code != c.code:
			t.Errorf("%q: %+v", destination, failed)
		}
	}
}

// A link that is lost says what ssh said.
func TestALostLinkSaysWhatSSHSaid(t *testing.T) {
	t.Parallel()
	l, err := dial(t, "lost")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Call(t.Context(), "echo", nil); !errors.Is(err, wire.ErrLost) {
		t.Errorf("it answered: %v", err)
	}
	<-l.Done()
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "Broken pipe") {
		t.Errorf("it ended because of %v", err)
	}
}

// Who gives up while nothing answers leaves no ssh.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Dial(ctx, Options{Destination: "silent", Greeting: greeting})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}

// With a terminal, ssh may ask, and takes no escape character for itself.
func TestATerminal(t *testing.T) {
	t.Parallel()
	got := strings.Join(Options{Destination: "big", Port: "7", Terminal: true}.arguments(), " ")
	if want := "-tt -oEscapeChar=none -p 7 -- big"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A program is copied whole, or the old one stays.
func TestCopyTo(t *testing.T) {
	t.Parallel()
	there := filepath.Join(filepath.Dir(arguments), "there")
	if err := os.MkdirAll(there, 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	for _, text := range []string{"old", "new"} {
		if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := CopyTo(t.Context(), "here", program); err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(there, ".local", "bin", "ferrus")
		data, err := os.ReadFile(copied)
		info, _ := os.Stat(copied)
		if string(data) != text || err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%q was copied, %v: %v", data, info, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(there, ".local", "bin", "*")); len(left) != 1 {
		t.Errorf("left: %q", left)
	}
	err := CopyTo(t.Context(), "full", program)
	if err == nil || !strings.Contains(err.Error(), "copy ferrus to full: cat: write error: No space left on device") {
		t.Errorf("a full disk: %v", err)
	}
}
