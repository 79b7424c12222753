package pair

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"ferrus/checks/redact"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"ferrus/machine"
	"ferrus/machine/pair"
)

// Entry is one line of transcript.jsonl.
type Entry struct {
	Seq  int       `json:"seq,omitempty"` // of a step; 0: no step
	At   time.Time `json:"at"`
	Run  string    `json:"run"`
	Type string    `json:"type"` // state, prompt, output, gate, session or resumed
	Step
	Author
	Signal     pair.Signal `json:"signal,omitempty"`
	Verdict    string      `json:"verdict,omitempty"`
	Tree       string      `json:"tree,omitempty"`
	Text       string      `json:"text,omitempty"`   // of a prompt, an output, a report; why, of a step
	Parked     bool        `json:"parked,omitempty"` // a session that waits until its usage limit resets
	DurationMS int64       `json:"duration_ms,omitempty"`
}

// Step is a transition of the run's machine.
type Step struct {
	Event     machine.Kind `json:"event,omitempty"`
	From      pair.State   `json:"from,omitempty"`
	To        pair.State   `json:"to,omitempty"`
	Iteration int          `json:"iteration,omitempty"`
}

// Author is the agent that a line is about.
type Author struct {
	Turn    int    `json:"turn,omitempty"`
	Agent   string `json:"agent,omitempty"` // primary or secondary
	Name    string `json:"name,omitempty"`  // of its program
	Session string `json:"session,omitempty"`
}

// By returns the author of a line: primary, secondary, person or ferrus.
func (e Entry) By() string {
	switch {
	case e.Agent != "":
		return e.Agent
	case e.Event == pair.Cancel{}.Kind(), e.Event == pair.Resume{}.Kind():
		return "person"
	}
	return "ferrus"
}

const transcriptName = "transcript.jsonl"

// note appends a line that is not a step.
func (r *Run) note(e Entry) error {
	e.At, e.Run, e.Iteration = time.Now().UTC(), r.Manifest.ID, r.machine.Snap().Data.Iteration
	return r.append(e)
}

func (r *Run) append(e Entry) error {
	e.Text = redacted(e.Text)
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := appendLine(r.disk, r.Manifest.file(transcriptName), data); err != nil {
		return fmt.Errorf("write the transcript: %w", err)
	}
	r.watch(Event{Entry: &e, Agent: e.Agent})
	return nil
}

// redacted returns a text without the secrets of this environment and without what has the
// shape of a key.
func redacted(text string) string { return redact.RemoveSecrets(text, os.Environ()...) }

// appendLine appends a line with one write, so that lines of several writers do not mix.
func appendLine(d disk, name string, line []byte) error {
	file, err := d.Append(name)
	if err != nil {
		return err
	}
	torn, err := endsTorn(d, name)
	if err == nil {
		if torn {
			line = append([]byte("\n"), line...)
		}
		_, err = file.Write(append(line, '\n'))
	}
	return errors.Join(err, file.Close())
}

// endsTorn reports whether the last line of a file has no end, as a crash may leave it.
func endsTorn(d disk, name string) (bool, error) {
	file, err := d.OpenFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = file.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// readLines calls f with every complete line of a file from an offset on, and returns the
// offset at which the last of them ends. It skips lines that are not JSON.
func readLines[T any](d disk, name string, from int64, f func(T)) (int64, error) {
	file, err := d.OpenFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return from, nil
	}
	if err != nil {
		return from, err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return from, err
	}
	buffered := bufio.NewReader(file)
	for {
		line, err := buffered.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return from, nil
		}
		if err != nil {
			return from, err
		}
		from += int64(len(line))
		var value T
		if len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &value) == nil {
			f(value)
		}
	}
}

// Transcript returns the readable lines of the run's transcript.
func (r *Run) Transcript() ([]Entry, error) {
	var all []Entry
	_, err := readLines(r.disk, r.Manifest.file(transcriptName), 0, func(e Entry) { all = append(all, e) })
	if err != nil {
		return nil, fmt.Errorf("read the transcript: %w", err)
	}
	return all, nil
}

// addLostStep appends the newest step if a crash kept it out of the transcript.
func (r *Run) addLostStep() error {
	if r.Manifest.Last == nil {
		return nil
	}
	newest := 0
	_, err := readLines(r.disk, r.Manifest.file(transcriptName), 0, func(e Entry) { newest = max(newest, e.Seq) })
	if err != nil || newest >= r.Manifest.Last.Seq {
		return err
	}
	return r.append(*r.Manifest.Last)
}
