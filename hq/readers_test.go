package hq_test

import (
	"bytes"
	"strings"
	"testing"
)

// readers are the files of packages that read what programs inside write, and that open other files as they are, by
// what those are. All else is read by package regular: a program may put a pipe or a device in the place of a file, or
// a file of holes, to whose end nothing comes.
var readers = map[string]string{
	"agent/acp/resume.go":        "its own process runs inside, where the file is",
	"agent/home/copy.go":         "your settings",
	"agent/home/login.go":        "your login, and what ferrus knows of it",
	"agent/home/seed.go":         "your cache",
	"agent/start.go":             "the null device",
	"checks/git/shadow.go":       "what ferrus noted beside a git directory",
	"checks/lane/lane.go":        "what ferrus noted of a lane",
	"checks/private.go":          "a git directory of ferrus's own",
	"checks/sparse.go":           "the same",
	"checks/submodule.go":        "the same",
	"checks/workspace/output.go": "a copy of ferrus's own",
	"checks/workspace/record.go": "what ferrus noted of a workspace",
	"hq/gate/alone.go":           "the load of the machine",
	"hq/gate/reuse.go":           "records of passes, in your cache directory",
	"hq/land/checkout.go":        "a copy in the record of the project",
	"hq/project/hosts.go":        "your answers, in your state directory",
	"hq/project/known.go":        "projects, in your state directory",
	"hq/project/repository.go":   "the repository of a project, in your state directory",
	"hq/project/truststore.go":   "the trusted commands, in your configuration",
	"hq/session/conversation.go": "a copy beside the homes of a task's sessions",
	"hq/session/taskdir.go":      "a file that you name",
	"hq/spec/dir.go":             "a directory",
}

// careful are the packages that read what programs inside write.
var careful = []string{"agent", "checks", "hq/adopt", "hq/commit", "hq/config", "hq/gate", "hq/land", "hq/project",
	"hq/session", "hq/spec", "hq/workflow", "hq/worktree"}

// reading are calls that open what is there, whatever that is.
var reading = []string{"os.ReadFile(", "os.Open(", "root.Open(", "root.ReadFile(", "from.Open("}

func TestWhatProgramsWriteIsReadWithCare(t *testing.T) {
	for _, s := range sources(t) {
		top, _, _ := strings.Cut(s.pkg, "/")
		isCareful := false
		for _, pkg := range careful {
			isCareful = isCareful || s.pkg == pkg || pkg == top
		}
		others := strings.HasPrefix(s.pkg, "agent/sandbox") || s.pkg == "agent/process" ||
			s.pkg == "checks/regular" // /proc, probes
		if s.test || !isCareful || others || strings.HasSuffix(s.pkg, "test") {
			continue
		}
		found := false
		for _, call := range reading {
			if !bytes.Contains(s.text, []byte(call)) {
				continue
			}
			if found = true; readers[s.name] == "" {
				t.Errorf("%s calls %s...): package regular reads what a program may have exchanged", s.name, call)
			}
		}
		if !found && readers[s.name] != "" {
			t.Errorf("%s opens nothing", s.name)
		}
	}
}
