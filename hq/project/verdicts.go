package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ferrus/checks"
	"ferrus/checks/regular"
	"ferrus/hq/core"
)

// verdictsFile returns the file that has a line for each gate that passed or failed, of every task, base and candidate
// of the project, and for each decision of yours about one that did both. It is outside the project, where no
// session has to write, unless you have no state directory.
func (p *Project) verdictsFile() string {
	name, err := p.KeptFile("verdicts")
	if err != nil {
		return filepath.Join(p.Dir, ".ferrus", "run", "verdicts.jsonl")
	}
	return name
}

// verdictsBytes is how long verdictsFile may become; then its older half is dropped.
const verdictsBytes = 256 << 10

// accepted is the verdict of a line with which you decided that a tree passes.
const accepted checks.Verdict = "ACCEPTED"

// verdictLine is a line of verdictsFile.
type verdictLine struct {
	At      time.Time      `json:"at"`
	Tree    string         `json:"tree"`
	Checks  string         `json:"checks,omitempty"` // see checksKey
	Verdict checks.Verdict `json:"verdict"`
	By      string         `json:"by,omitempty"` // the gate, in words
}

// Doubt is what gates of the project found on one tree since you last decided about it.
type Doubt struct {
	Failed, Passed string // the newest gate that did, in words; empty: none did
}

// DoubtOf returns what gates with the commands of a definition found on a tree.
func (p *Project) DoubtOf(tree string, d core.Definition) (found Doubt) {
	if tree == "" {
		return Doubt{}
	}
	key := checksKey(d)
	for _, l := range p.verdictLines(tree) {
		switch {
		case l.Verdict == accepted:
			found = Doubt{Passed: "your approval"}
		case l.Checks != key:
		case l.Verdict == checks.Fail:
			found.Failed = l.By
		case l.Verdict == checks.Pass:
			found.Passed = l.By
		}
	}
	return found
}

// NoteVerdict records that a gate with the commands of a definition passed or failed on a tree. By names the gate.
func (p *Project) NoteVerdict(tree string, d core.Definition, v checks.Verdict, by string) error {
	if tree == "" || v != checks.Pass && v != checks.Fail {
		return nil
	}
	return p.addVerdict(verdictLine{Tree: tree, Checks: checksKey(d), Verdict: v, By: by})
}

// AcceptVerdicts records that you decided about a tree: earlier failures on it no longer count.
func (p *Project) AcceptVerdicts(tree string) error {
	if tree == "" {
		return nil
	}
	return p.addVerdict(verdictLine{Tree: tree, Verdict: accepted})
}

func (p *Project) addVerdict(l verdictLine) error {
	l.At = time.Now().UTC().Truncate(time.Second)
	data, err := json.Marshal(l)
	if err == nil {
		err = p.appendVerdict([]byte("\n" + string(data) + "\n")) // A crash may have cut the last one short.
	}
	if err != nil {
		return fmt.Errorf("record the verdict on a tree: %w", err)
	}
	return nil
}

// appendVerdict adds one line with one write, so that gates of several tasks lose none.
func (p *Project) appendVerdict(line []byte) error {
	name := p.verdictsFile()
	if info, err := os.Stat(name); err == nil && info.Size() > verdictsBytes {
		if err := halveVerdicts(name); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// halveVerdicts drops the older half of a file of verdicts. What it cannot read, it leaves as it is.
func halveVerdicts(name string) error {
	old, err := regular.Read(name, 2*verdictsBytes)
	if err != nil {
		return nil
	}
	_, newer, _ := bytes.Cut(old[len(old)/2:], []byte("\n"))
	return WriteKept(name, newer)
}

// verdictLines returns what was recorded of a tree. There can be thousands of lines: only those with its hash are
// decoded.
func (p *Project) verdictLines(tree string) (all []verdictLine) {
	data, err := regular.Read(p.verdictsFile(), 2*verdictsBytes)
	if err != nil {
		return nil // Without it no gate is doubted, as in a new project.
	}
	hash := []byte(tree)
	for line := range bytes.Lines(data) {
		var l verdictLine
		// A line that a crash cut short says nothing.
		if bytes.Contains(line, hash) && json.Unmarshal(line, &l) == nil && l.Tree == tree {
			all = append(all, l)
		}
	}
	return all
}

// checksKey returns a hash of what is run on a tree. Where it runs, and which programs run it, does
// not matter.
func checksKey(d core.Definition) string {
	data, err := json.Marshal([]any{d.Setup, d.Commands, d.Key, d.Env})
	if err != nil {
		return "" // It cannot be: all of it was read from JSON.
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
