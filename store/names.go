package store

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The files and directories of the store below .ferrus.
const (
	stateName   = "STATE.json"
	tempState   = "STATE.json.tmp"
	lockName    = "STATE.lock"
	journalName = "journal.jsonl"
	docsDir     = "docs"
	runDir      = "run"
	checksDir   = "checks"
	logsDir     = "logs"
	archiveDir  = "archive"
	tempPrefix  = "tmp-" // of files below run
)

// stateFiles are the names of a state's own files.
type stateFiles struct{ state, temp, lock string }

// The state of a project is in capitals, so that it sorts first; a nested one, such as a
// workflow's, is among files in small letters.
var (
	projectFiles = stateFiles{state: stateName, temp: tempState, lock: lockName}
	nestedFiles  = stateFiles{state: "state.json", temp: "state.json.tmp", lock: "state.lock"}
)

const (
	nameLimit = 200      // bytes of one part of a path; file systems allow 255
	fileLimit = 16 << 20 // bytes of a file that is read or written whole
)

var component = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// checkName refuses a name that could lead out of .ferrus, or is not portable.
func checkName(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if part == "." || part == ".." || len(part) > nameLimit || !component.MatchString(part) {
			return fmt.Errorf("%.80q is not a name below .ferrus: its parts are letters, digits, dot, underscore "+
				"and dash, %d at most", name, nameLimit)
		}
	}
	return nil
}

// checkFree refuses, besides, the names that only the store writes.
func checkFree(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	own := []string{stateName, tempState, lockName, journalName, docsDir, sumsName, sumsLock}
	if top, _, _ := strings.Cut(name, "/"); slices.Contains(own, top) {
		return fmt.Errorf("%s is written by the store alone", name)
	}
	return nil
}

// checkText refuses a name that no text can have: it is also the name of the copy
// beside STATE.json.
func checkText(name string) error {
	dirs := []string{runDir, checksDir, logsDir, archiveDir}
	if path.Base(name) != name || slices.Contains(dirs, name) {
		return fmt.Errorf("%.80q cannot be the name of a text", name)
	}
	return checkFree(name)
}
