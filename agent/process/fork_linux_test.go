package process

import (
	"io"
	"os"
	"os/exec"
	"testing"
)

// waits has this program wait for the end of its input, as its own child.
const waits = "FERRUS_TEST_WAITS"

func TestMain(m *testing.M) {
	if os.Getenv(waits) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A child that is this very program has its files because it was forked from it. With other
// words it is another process, and so is one below it.
func TestForkIsNoUser(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want bool
	}{{os.Args, false}, {[]string{os.Args[0], "-other"}, true}} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Args, cmd.Dir, cmd.Env = c.args, dir, append(os.Environ(), waits+"=1")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		users, err := UsersOf(dir)
		if _, found := users.Find(cmd.Process.Pid); err != nil || found != c.want {
			t.Errorf("%q: %+v, %v", c.args, users, err)
		}
		_ = in.Close()
		_ = cmd.Wait()
	}
}
