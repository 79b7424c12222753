package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/store/longtest"
)

// Wherever a link or a pipe is planted below .ferrus, the scenario continues or is refused: nothing
// is written outside, and nothing outside is read into .ferrus.
func TestLinksInTheStory(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	skipInShort(t)
	s := newScenario(t)
	kinds := []string{"nothing", "file", "folder", "pipe"}
	for _, name := range []string{
		"STATE.json", "STATE.json.tmp", "STATE.lock", "journal.jsonl", "agents.json", "sessions.jsonl", "TASK.md",
		"REVIEW.md", "ANSWER.md",
		"docs", "docs/000001-TASK.md", "docs/000012-REVIEW.md", "checks", "checks/3.json", "logs", "logs/check_1.txt",
		"archive", "archive/TASK", "archive/TASK/checks", "archive/TASK/TASK.md", "archive/TASK/journal.jsonl", "lost",
		"runs", "runs/p-1", "messages", "inbox", "history",
		"run", "run/gate.json", "run/gate.lock", "run/conductor.lock", "run/e.json", "run/e.in", "run/executor.json",
		"run/git", "run/git/HEAD", "run/git/config", "run/git/index", "run/git/index.lock", "run/git/lock",
		"run/git/info", "run/git/info/exclude", "run/git/info/attributes",
		"run/git/objects", "run/git/objects/pack", "run/git/objects/info", "run/git/refs",
	} {
		for _, kind := range kinds {
			s.planted(name, kind)
		}
	}
}

// planted plays the story with something planted in the place of a file.
func (s *scenario) planted(name, kind string) {
	s.Helper()
	where := name + " is " + kind
	ferrus, outside := filepath.Join(s.dir, ".ferrus"), s.TempDir()
	target := map[string]string{"file": filepath.Join(outside, "secret"), "folder": outside,
		"nothing": filepath.Join(outside, "none")}[kind]
	err := errors.Join(os.RemoveAll(ferrus), os.WriteFile(filepath.Join(outside, "secret"),
		[]byte("what is outside"), 0o600))
	if err != nil {
		s.Fatal(err)
	}
	if _, err := store.Create(s.Context(), s.dir, core.New(time.Now())); err != nil {
		s.Fatal(err)
	}
	p, err := project.Open(s.dir, "one", "two")
	if err != nil {
		s.Fatal(err)
	}
	last := len(scenarioSteps) - 1
	for e := range scenarioSteps {
		if below, ok := strings.CutPrefix(name, "archive/TASK"); ok && e == last {
			if state, err := p.World(); err == nil && state.World.Task != nil {
				s.plant(filepath.Join(ferrus, "archive", state.World.Task.ID+below), target)
			}
		} else if !ok && e == 3 {
			s.plant(filepath.Join(ferrus, name), target)
		}
		s.do(p, e) //nolint:errcheck // it may be refused
	}
	s.readAll(p)
	left, err := os.ReadDir(outside)
	data, read := os.ReadFile(filepath.Join(outside, "secret"))
	if err != nil || read != nil || len(left) != 1 || string(data) != "what is outside" {
		s.Errorf("%s: outside there is %v with %q, %v", where, left, data, read)
	}
	s.keepsOut(where, ferrus)
}

// plant puts a link, or a pipe where there is no target, in a place.
func (s *scenario) plant(name, target string) {
	s.Helper()
	err := errors.Join(os.RemoveAll(name), os.MkdirAll(filepath.Dir(name), 0o700))
	if target == "" {
		err = errors.Join(err, syscall.Mkfifo(name, 0o600))
	} else {
		err = errors.Join(err, os.Symlink(target, name))
	}
	if err != nil {
		s.Fatal(err)
	}
}

// readAll reads and writes everything else that there is, and ignores the results.
func (s *scenario) readAll(p *project.Task) {
	p.AddEnded(project.Ended{Session: "e"})
	p.Ended("")
	p.SavePresence("0123456789abcdef", project.Presence{PID: 1})
	p.PostDirective("0123456789abcdef", project.Directive{Kind: "message", Text: "x"})
	p.SaveMessage(project.Message{})
	p.Messages()
	gate.LastLines(p, 0, 5)
	p.Store.Examine()
	p.Store.CheckFiles(true)
	p.Store.Repair(s.Context(), core.World.Validate)
	p.Store.Quarantine("agents.json", []byte("{}"))
	for _, dir := range []string{"archive", "checks", "logs", "runs"} {
		names, _ := p.Store.List(dir)
		for _, name := range names {
			p.Store.ReadFile(dir + "/" + name)
			p.Store.Archived(name)
			p.Store.Tail(dir+"/"+name, 10)
		}
	}
}

// keepsOut checks that no file contains anything from outside.
func (s *scenario) keepsOut(where, ferrus string) {
	s.Helper()
	err := filepath.WalkDir(ferrus, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "what is outside") {
			s.Errorf("%s: it was read into %s", where, path)
		}
		return err
	})
	if err != nil {
		s.Error(err)
	}
}
