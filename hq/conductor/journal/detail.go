package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"ferrus/hq/conductor/gateview"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/store"
)

// Detail is a line of the journal with all that belongs to it.
type Detail struct {
	Line   store.Entry
	Texts  []EntryText    // written by the event
	Judged string         // the notes of a review, whole
	Gate   *gateview.View // the gate that started or ended; nil: none
	Report string         // the gate's report to the executor
}

// EntryText is a text that an event wrote.
type EntryText struct {
	Name string // TASK.md
	Text string
	Gone bool // it was replaced, and is no longer kept
}

// ErrNone is returned for a seq that the journal does not have.
var ErrNone = errors.New("the journal has no such entry")

// Reader reads what belongs to an entry, from disk. Its methods may be called from any goroutine.
type Reader struct {
	Project *project.Task
	Cache   *Cache
	Recent  []store.Entry // the newest lines of the journal
}

// Read reads what belongs to the entry with a seq, or returns [ErrNone].
func (r Reader) Read(seq uint64) (Detail, error) {
	lines, err := r.Project.Store.Journal(max(seq, 1) - 1)
	if err != nil {
		return Detail{}, fmt.Errorf("read the journal: %w", err)
	}
	if len(lines) == 0 || lines[0].Seq != seq {
		return Detail{}, ErrNone
	}
	s := Detail{Line: lines[0]}
	var data struct {
		Docs map[string]store.Doc `json:"docs"`
		Gate *core.Gate           `json:"gate"`
	}
	if err := json.Unmarshal(s.Line.Data, &data); err != nil {
		return s, fmt.Errorf("read entry %d: %w", seq, err)
	}
	if s.Texts, err = r.texts(data.Docs); err != nil {
		return s, err
	}
	review, judged, err := r.Project.ReviewAt(".", seq, s.Line.Event)
	if err != nil {
		return s, fmt.Errorf("read the review of entry %d: %w", seq, err)
	}
	if judged {
		s.Judged = review.Notes
	}
	if data.Gate != nil {
		err = r.gate(&s, data.Gate.Ticket)
	}
	return s, err
}

// texts reads the texts that an event wrote. A text that the event removed is left out.
func (r Reader) texts(docs map[string]store.Doc) (texts []EntryText, err error) {
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if docs[name].File == "" {
			continue
		}
		if text, ok := r.Cache.lookup(docs[name].File); ok {
			texts = append(texts, EntryText{Name: name, Text: text})
			continue
		}
		data, err := r.Project.Store.ReadFile(docs[name].File)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		texts = append(texts, EntryText{Name: name, Text: string(data), Gone: err != nil})
	}
	return texts, nil
}

// gate reads the record of the gate that a line is about. A verdict's line does not repeat
// the ticket: it belongs to the previous check.
func (r Reader) gate(s *Detail, ticket uint64) error {
	if ticket == 0 {
		ticket = r.ticketBefore(s.Line.Seq)
	}
	record, err := gate.Read(r.Project, ticket)
	if errors.Is(err, fs.ErrNotExist) || ticket == 0 {
		return nil // it runs, or its record was archived with its task
	}
	if err != nil {
		return fmt.Errorf("read the gate of ticket %d: %w", ticket, err)
	}
	v := gateview.Recalled(record)
	s.Gate, s.Report = &v, record.Report
	return nil
}

// ticketBefore returns the ticket of the newest gate that started before a seq; 0: the recent
// lines show none.
func (r Reader) ticketBefore(seq uint64) uint64 {
	for _, line := range slices.Backward(r.Recent) {
		var data struct {
			Gate *core.Gate `json:"gate"`
		}
		if line.Seq < seq && json.Unmarshal(line.Data, &data) == nil && data.Gate != nil && data.Gate.Ticket != 0 {
			return data.Gate.Ticket
		}
	}
	return 0
}
