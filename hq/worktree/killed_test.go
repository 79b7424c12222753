package worktree

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A removal that ends in the middle is continued: what it has removed is not taken for a change, and nothing of the
// worktree stays.
func TestAnInterruptedRemovalIsContinued(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	for _, dir := range "abcdefghijklmnopqrstuvwxyz" { // in whichever order they are removed
		l.write(string(dir)+"/file", "x")
	}
	l.git("add", "--all")
	l.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "files")
	l.make(false)
	l.discardInPart("m")
	if loss, err := Losses(t.Context(), l.Place); err != nil || !loss.None() {
		t.Errorf("%+v, %v", loss, err)
	}
	if left, err := Remains(t.Context(), l.Place); !left || err != nil {
		t.Errorf("nothing is left: %v", err)
	}
	if err := Discard(t.Context(), l.Place); err != nil {
		t.Fatal(err)
	}
	if left, err := Remains(t.Context(), l.Place); left || err != nil || l.git("worktree", "prune", "-nv") != "" {
		t.Errorf("something is left: %v, %v", left, err)
	}
}

// discardInPart discards the worktree as a user who cannot remove one directory of it.
func (l *fixture) discardInPart(closed string) {
	l.Helper()
	closed = filepath.Join(l.Top(), closed)
	mode := os.FileMode(0o555)
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), discardEnv+"="+l.dir)
	if os.Getuid() == 0 { // root removes everything, so become another user
		mode = 0o755
		const other = 65534
		err := errors.Join(os.Chmod(l.dir, 0o755), os.Chmod(filepath.Dir(l.dir), 0o755),
			exec.Command("chown", "-R", fmt.Sprint(other), l.dir).Run(),
			exec.Command("chown", "-R", "0", closed).Run())
		if err != nil {
			l.Fatal(err)
		}
		program := filepath.Join(l.dir, ".git", "discard")
		if err := exec.Command("cp", os.Args[0], program).Run(); err != nil {
			l.Fatal(err)
		}
		c.Path = program
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}
	}
	if err := os.Chmod(closed, mode); err != nil {
		l.Fatal(err)
	}
	if out, err := c.CombinedOutput(); err == nil {
		l.Fatalf("it was not interrupted: %s", out)
	}
	mine := exec.Command("chown", "-R", fmt.Sprint(os.Getuid()), l.dir)
	if err := errors.Join(os.Chmod(closed, 0o755), mine.Run()); err != nil {
		l.Fatal(err)
	}
}
