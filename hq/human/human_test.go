package human

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestMain is also a program that makes a terminal, under whatever name.
func TestMain(m *testing.M) {
	if os.Getenv("MAKES_TERMINAL") != "" {
		if err := makeTerminal(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// makeTerminal starts a shell on a terminal of its own, prints its number, and ends it with this
// process's input.
func makeTerminal() error {
	shell := exec.Command("/bin/sh", "-c", "read line")
	terminal, err := pty.Start(shell)
	if err != nil {
		return err
	}
	fmt.Println(shell.Process.Pid)
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // its end is as good
	_ = terminal.Close()
	_ = shell.Wait() // it was hung up
	return nil
}

// TestATerminalOfAServiceIsNotYours examines shells on terminals: one that a program like a
// terminal emulator made, and one of the service manager, which every process can ask for one.
func TestATerminalOfAServiceIsNotYours(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Standing{"emulator": Own, serviceManager: Unclear} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), name)
			if err := os.Symlink(self, program); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program)
			cmd.Env = append(os.Environ(), "MAKES_TERMINAL=1")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait() //nolint:errcheck // it ends with its input
			defer in.Close()
			var pid int
			if _, err := fmt.Fscan(out, &pid); err != nil {
				t.Fatal(err)
			}
			place, err := Here(nil)
			if err != nil {
				t.Fatal(err)
			}
			place.Self = 0 // else what this process started is a check
			f := Examine(pid, place)
			if f.Standing != want || want == Unclear && !strings.Contains(f.Why, "a service made its terminal") {
				t.Errorf("standing %d: %s (%s)", f.Standing, f.Why, f.From)
			}
		})
	}
}
