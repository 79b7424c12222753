package project

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ferrus/agent/process"
)

func TestFind(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"above/repo/.git", "above/repo/project/deep", "above/repo/other"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"above/ferrus.toml", "above/repo/project/ferrus.toml"} {
		if err := os.WriteFile(filepath.Join(top, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(ProjectEnv, "")
	project := filepath.Join(top, "above/repo/project")
	for start, want := range map[string]string{"above/repo/project/deep": project, "above/repo/project": project,
		"above": filepath.Join(top, "above")} {
		if got, err := Find(filepath.Join(top, start)); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %v", start, got, err, want)
		}
	}
	if got, err := Find(filepath.Join(top, "above/repo/other")); !errors.Is(err, ErrNone) {
		t.Errorf("past the git root: %s, %v", got, err)
	}
	t.Setenv(ProjectEnv, project)
	if got, err := Find("/"); err != nil || got != project {
		t.Errorf("Find with %s: %s, %v; want %s", ProjectEnv, got, err, project)
	}
	t.Setenv(ProjectEnv, filepath.Join(top, "gone"))
	if _, err := Find("/"); err == nil {
		t.Error("a directory that is not there is a project")
	}
}

func TestInsideSession(t *testing.T) {
	l := newFixture(t)
	t.Setenv(process.NonceEnv, "")
	t.Setenv(ProjectEnv, "")
	if e, inside := l.InsideSession(); inside {
		t.Errorf("InsideSession = %+v, want none", e)
	}
	parent, err := process.Identify(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	save := func(e SessionRecord) {
		t.Helper()
		if err := l.SaveRegistry(Registry{Agents: []SessionRecord{e}}); err != nil {
			t.Fatal(err)
		}
	}
	save(SessionRecord{Name: "by ancestor", Process: parent})
	if e, inside := l.InsideSession(); !inside || e.Name != "by ancestor" {
		t.Errorf("an ancestor is a session: %+v, %v", e, inside)
	}
	parent.Start++
	save(SessionRecord{Name: "by nonce", Process: parent, Session: process.SessionID("n")})
	if e, inside := l.InsideSession(); inside {
		t.Errorf("the pid is used again: %+v", e)
	}
	t.Setenv(process.NonceEnv, "n")
	if e, inside := l.InsideSession(); !inside || e.Name != "by nonce" {
		t.Errorf("the nonce is a session's: %+v, %v", e, inside)
	}
	t.Setenv(process.NonceEnv, "another")
	if e, inside := l.InsideSession(); inside {
		t.Errorf("a nonce of another project: %+v", e)
	}
	t.Setenv(ProjectEnv, l.Dir)
	if _, inside := l.InsideSession(); !inside {
		t.Error("an unknown nonce of this project")
	}
}
