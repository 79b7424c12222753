package project

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ferrus/hq/core"
)

// A file that changes through memory keeps its times, so that only a reader of its content finds out.
func TestApprovalReadsTheFiles(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	file, err := os.OpenFile(filepath.Join(l.Dir, "main.go"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	memory, err := unix.Mmap(int(file.Fd()), 0, 4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	copy(memory, "PACK")
	l.submit()
	if _, err := l.Repo().Tree(t.Context()); err != nil { // It reads what was young at the submission.
		t.Fatal(err)
	}
	copy(memory, "pack")
	l.refused(core.Command{Kind: "approve", By: HumanActor()})
	if s := l.world(); s.World.State != "Addressing" {
		t.Errorf("the task is %s, want Addressing", s.World.State)
	}
}
