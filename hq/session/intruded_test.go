package session

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/host"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// The journal names a session that connects to the door of another one.
func TestAnIntruderIsInTheJournal(t *testing.T) {
	p := hqtest.NewProject(t, hqtest.Files{})
	disk, own := hostDisk{p}, host.Launch{Name: "executor:codex:1"}
	note := func() string {
		t.Helper()
		disk.Intruded(own, os.Getpid())
		lines, err := p.Store.Journal(0)
		hqtest.Must(t, err)
		return fmt.Sprint(lines[len(lines)-1])
	}
	const refused = "connected to the socket of executor:codex:1 and was refused"
	outside := fmt.Sprintf("a process outside every session (process %d) %s", os.Getpid(), refused)
	if got := note(); !strings.Contains(got, outside) {
		t.Errorf("of no session: %s", got)
	}
	me, err := process.Identify(os.Getpid())
	hqtest.Must(t, err)
	other := project.SessionRecord{Name: "reviewer:claude-code:1", Process: me}
	hqtest.Must(t, p.SaveRegistry(project.Registry{Agents: []project.SessionRecord{other}}))
	if got := note(); !strings.Contains(got, "reviewer:claude-code:1 (process") || !strings.Contains(got, refused) {
		t.Errorf("of another session: %s", got)
	}
}
