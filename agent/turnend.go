package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ferrus/agent/acp"
)

// turnEndVar names the file that a client on its own screen writes when it ends a turn, and removes when the
// next one begins. Clients that keep a record of their conversation need not.
const turnEndVar = "FERRUS_TURN_END"

// NoteTurnEnd writes the file that the environment names for the end of a turn, if it names one. Without
// the file, silence tells the end.
func NoteTurnEnd() {
	if file := os.Getenv(turnEndVar); file != "" {
		_ = os.WriteFile(file, []byte("ended\n"), 0o600)
	}
}

// NoteTurn removes that file: another turn begins.
func NoteTurn() {
	if file := os.Getenv(turnEndVar); file != "" {
		_ = os.Remove(file)
	}
}

// Plugin returns the name and the text of a file that makes an agent's client report the ends of its
// turns and its usage; empty: it needs none. The file must be in [Launch.Reports].
func Plugin(a Adapter) (name, text string) {
	if p, ok := resembled(a).(interface{ plugin() (name, text string) }); ok {
		return p.plugin()
	}
	return "", ""
}

// Reported are the names of the files that a client may write in [Launch.Reports].
var Reported = []string{turnEndFile, turnEndFile + sessionFile, usageFileName}

const (
	turnEndFile   = "turn-end"
	usageFileName = "usage.json"
)

// TurnEnd returns the file whose time says when the turn ended.
func (s OwnScreen) TurnEnd() string { return filepath.Join(s.Reports, turnEndFile) }
func (s OwnScreen) usage() string   { return filepath.Join(s.Reports, usageFileName) }

// OwnScreen is a session of a client on its own screen, as seen from outside.
type OwnScreen struct {
	Reports      string // as in [Launch]
	Home         string // the private one; empty: yours
	Workspace    string
	Conversation string    // id of the conversation that it continues; empty: a new one
	Since        time.Time // when it started
	Unfinished   string    // as [Launch.Resume]
}

// turnRecorder is an adapter whose client records its conversation in a file, a JSON object a line, with the
// time of each.
type turnRecorder interface {
	// records returns the files that may be the session's. Dir returns a directory of the client's: what a
	// variable says, else its name below the home.
	records(s OwnScreen, dir func(variable, name string) string) []string
	// recordID returns the id with which the client continues the conversation in a file.
	recordID(file string) string
	// readTurn returns what a line says of the turn.
	readTurn(line []byte) turnState
}

// turnState is what a line of a record says of the turn.
type turnState int

const (
	turnUnknown turnState = iota
	turnRuns
	turnOver
)

// TurnEnded returns when the client of a session on its own screen ended its turn, as it says itself: in a file
// for that, or in its record of the conversation. Zero: a turn runs, or the client does not say.
func TurnEnded(a Adapter, s OwnScreen) time.Time {
	if info, err := os.Lstat(s.TurnEnd()); err == nil && info.Mode().IsRegular() && !info.ModTime().Before(s.Since) {
		return info.ModTime()
	}
	r, ok := a.(turnRecorder)
	file := ""
	if ok {
		file = newest(s.recordsOf(r), s.Since)
	}
	if file == "" {
		return time.Time{}
	}
	for _, line := range slices.Backward(lastLines(file)) {
		switch r.readTurn(line) {
		case turnRuns:
			return time.Time{}
		case turnOver:
			var l struct{ Timestamp time.Time }
			if json.Unmarshal(line, &l) != nil || l.Timestamp.Before(s.Since) {
				return time.Time{}
			}
			return l.Timestamp
		}
	}
	return time.Time{}
}

// NewestConversation replaces an unknown id: the client continues its last conversation in its
// directory.
const NewestConversation = "newest"

// ContinuesSession reports whether the client of an agent can continue on its own screen what it began without
// one, and the other way round.
func ContinuesSession(a Adapter) bool {
	_, records := a.(turnRecorder)
	_, resumes := a.(interface{ continuesSession() })
	return records || resumes || Dialog(a)
}

// Dialog reports whether an agent has no screen of its own with ferrus's tools: where you can type, ferrus shows
// a dialog with it.
func Dialog(a Adapter) bool {
	d, ok := a.(interface{ dialog() bool })
	return ok && d.dialog()
}

// LastConversation returns the id of the conversation that a session had; empty: none is known. Without a
// screen it is recorded as well.
func LastConversation(a Adapter, s OwnScreen) string {
	if file, err := os.Lstat(s.Unfinished); err == nil && !file.ModTime().Before(s.Since) {
		if id := acp.Unfinished(readSmall(s.Unfinished), s.Workspace); id != "" {
			return id
		}
	}
	if last, ok := a.(interface{ lastSession(OwnScreen) string }); ok {
		return last.lastSession(s)
	}
	r, ok := a.(turnRecorder)
	if !ok {
		return ""
	}
	if id := r.recordID(newest(s.recordsOf(r), s.Since)); conversationID.MatchString(id) {
		return id
	}
	return ""
}

func (s OwnScreen) recordsOf(r turnRecorder) []string {
	return r.records(s, func(variable, name string) string {
		if s.Home != "" {
			return filepath.Join(s.Home, name)
		}
		home, _ := os.UserHomeDir() // without one there is no such file
		return clientDir(variable, home, name)
	})
}

// newest returns the file that changed last, if that was after a time.
func newest(files []string, since time.Time) (file string) {
	for _, name := range files {
		info, err := os.Lstat(name)
		if err == nil && info.Mode().IsRegular() && !info.ModTime().Before(since) {
			file, since = name, info.ModTime()
		}
	}
	return file
}

// maxTail limits how much of the end of a record is read, in bytes. A longer line is
// ignored.
const maxTail = 1 << 20

// lastLines returns the last whole lines of a file.
func lastLines(name string) [][]byte {
	file, err := openInside(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	tail := make([]byte, min(size, maxTail))
	n, err := file.ReadAt(tail, size-int64(len(tail)))
	if err != nil && err != io.EOF {
		return nil
	}
	lines := bytes.Split(bytes.TrimSpace(tail[:n]), []byte("\n"))
	if int64(n) < size {
		lines = lines[1:] // its beginning is cut off
	}
	return lines
}

// inWorkspace returns the folder that a client names after the workspace.
func inWorkspace(top string, s OwnScreen) string {
	dir := s.Workspace
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(escapeGlob(top), slug(dir))
}

// glob returns the files of a pattern.
func glob(pattern ...string) []string {
	files, _ := filepath.Glob(filepath.Join(pattern...)) // a broken pattern finds none
	return files
}
