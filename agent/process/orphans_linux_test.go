package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// endsChain has this program end a chain of processes that each start the next one and end.
const endsChain = "FERRUS_TEST_ENDS_CHAIN"

// isChain has it be the chain.
const isChain = "FERRUS_TEST_IS_CHAIN"

// links is how many processes the chain has. The last one waits.
const links = 3000

func init() {
	if os.Getenv(isChain) != "" {
		os.Stdout.WriteString("ready\n")
		for range links {
			if pid, _, _ := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0); pid != 0 {
				syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
			}
		}
		var b [1]byte
		syscall.RawSyscall(syscall.SYS_READ, 3, uintptr(unsafe.Pointer(&b)), 1) // until endChain has ended
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	if os.Getenv(endsChain) != "" {
		if err := endChain(); err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// endChain returns once no process of the chain has its output open any more.
func endChain() error {
	if err := AdoptOrphans(); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	until, held, err := os.Pipe()
	if err != nil {
		return err
	}
	defer held.Close()
	cmd := exec.Command(os.Args[0])
	cmd.ExtraFiles = []*os.File{until}
	cmd.Stdout, cmd.Env = w, append(os.Environ(), isChain+"=1")
	if err := errors.Join(cmd.Start(), w.Close()); err != nil {
		return err
	}
	lines := bufio.NewReader(r)
	_, err = lines.ReadString('\n')
	if err = errors.Join(err, cmd.Wait(), EndOrphans()); err != nil {
		return err
	}
	_, err = io.ReadAll(lines)
	return err
}

// A chain of processes in which none lives for long does not outlive its session.
func TestEndOrphans(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), endsChain+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the chain is still there: %v\n%s", err, out)
	}
}
