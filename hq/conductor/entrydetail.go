package conductor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/machine/task"
	"ferrus/store"
)

// EntryDetail is what there is to tell of one line of the journal.
type EntryDetail struct {
	Line   store.Entry
	Texts  []EntryText // that came with the event
	Judged string      // the notes of a review, whole
	Gate   *GateView   // of the gate that began or ended
	Report string      // that the executor was given of the gate
}

// EntryText is a text that an event wrote.
type EntryText struct {
	Name string // TASK.md
	Text string
	Gone bool // a newer one took its place, and it is not kept
}

// ErrNoEntry is returned for a seq that the journal does not have.
var ErrNoEntry = errors.New("the journal has no such entry")

// ReadEntry reads what belongs to the journal's line with a seq.
func (c *Conductor) ReadEntry(seq uint64) (EntryDetail, error) {
	lines, err := c.project.Store.Journal(max(seq, 1) - 1)
	if err != nil {
		return EntryDetail{}, fmt.Errorf("read the journal: %w", err)
	}
	if len(lines) == 0 || lines[0].Seq != seq {
		return EntryDetail{}, ErrNoEntry
	}
	s := EntryDetail{Line: lines[0]}
	var data struct {
		Docs map[string]store.Doc `json:"docs"`
		Gate *core.Gate           `json:"gate"`
	}
	if err := json.Unmarshal(s.Line.Data, &data); err != nil {
		return s, fmt.Errorf("read entry %d: %w", seq, err)
	}
	if s.Texts, err = c.readEntryTexts(data.Docs); err != nil {
		return s, err
	}
	review, judged, err := c.project.ReviewAt(".", seq, s.Line.Event)
	if err != nil {
		return s, fmt.Errorf("read the review of entry %d: %w", seq, err)
	}
	if judged {
		s.Judged = review.Notes
	}
	if data.Gate != nil {
		err = c.readEntryGate(&s, data.Gate.Ticket)
	}
	return s, err
}

// readEntryTexts reads texts that an event wrote; one that it took away is no text.
func (c *Conductor) readEntryTexts(docs map[string]store.Doc) (texts []EntryText, err error) {
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if docs[name].File == "" {
			continue
		}
		if text, ok := c.observed.cache.lookup(docs[name].File); ok {
			texts = append(texts, EntryText{Name: name, Text: text})
			continue
		}
		data, err := c.project.Store.ReadFile(docs[name].File)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		texts = append(texts, EntryText{Name: name, Text: string(data), Gone: err != nil})
	}
	return texts, nil
}

// readEntryGate reads the record of the gate that a line is about. The line of a
// verdict does not repeat the ticket: it belongs to the check before it.
func (c *Conductor) readEntryGate(s *EntryDetail, ticket uint64) error {
	if ticket == 0 {
		ticket = c.ticketBefore(s.Line.Seq)
	}
	record, err := gate.Read(c.project, ticket)
	if errors.Is(err, fs.ErrNotExist) || ticket == 0 {
		return nil // it runs, or its record was archived with its task
	}
	if err != nil {
		return fmt.Errorf("read the gate of ticket %d: %w", ticket, err)
	}
	v := recalled(record)
	s.Gate, s.Report = &v, record.Report
	return nil
}

// ticketBefore is the ticket of the newest gate that began before a seq.
func (c *Conductor) ticketBefore(seq uint64) uint64 {
	journal := c.View().Journal
	for _, line := range slices.Backward(journal) {
		var data struct {
			Gate *core.Gate `json:"gate"`
		}
		if line.Seq < seq && json.Unmarshal(line.Data, &data) == nil && data.Gate != nil && data.Gate.Ticket != 0 {
			return data.Gate.Ticket
		}
	}
	return 0
}

// Diff is the difference between the task's base and what is there now.
type Diff struct {
	Base  core.Base
	Files []checks.FilePatch
}

// diffLimits bounds a diff on the screen: it is more than anyone reads.
var diffLimits = checks.PatchRoom{File: 256 << 10, All: 4 << 20, Files: 2000}

// Diff reads what the task has changed up to now, or had when it was complete.
func (c *Conductor) Diff(ctx context.Context) (Diff, error) {
	state, err := c.project.World()
	if err != nil {
		return Diff{}, err
	}
	if state.World.Task == nil || state.World.Task.Base.Tree == "" {
		return Diff{}, errors.New("there is no task to show the change of")
	}
	out := Diff{Base: state.World.Task.Base}
	repo, newest := c.project.Work(state.World), ""
	if done := state.World.Submission; state.World.State == task.Complete && done != nil {
		newest = done.Tree // what came after is not the task's
	} else {
		tree, err := repo.Tree(ctx)
		if err != nil {
			return out, fmt.Errorf("read the present tree: %w", err)
		}
		newest = tree.Hash
	}
	out.Files, err = repo.PatchWithin(ctx, out.Base.Tree, newest, diffLimits)
	return out, err
}
