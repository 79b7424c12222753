package project

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// An approval that the disk leaves no room for says so. Nothing is said about the tree, which has not changed.
func TestApproveOnAFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	if os.Geteuid() != 0 {
		t.Skip("mount: it needs root")
	}
	l := newFixture(t)
	l.submit()
	run := l.Store.Path("run")
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "nr_inodes=1,mode=700", "none", run).
		CombinedOutput(); err != nil {
		t.Skipf("mount: it is not allowed here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", run).Run() })
	approve := core.Command{Kind: core.KindApprove, By: HumanActor(), Text: "good"}
	_, err := l.Do(t.Context(), store.Call{}, approve)
	if !errors.Is(err, syscall.ENOSPC) || machine.IsRefusal(err) {
		t.Errorf("it says: %v", err)
	}
	if err := exec.Command("umount", run).Run(); err != nil {
		t.Fatal(err)
	}
	l.do(approve)
}
