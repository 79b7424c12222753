package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// Examination is the result of [Dir.Examine]: whether the files of a .ferrus agree.
// Nothing was changed to find out.
type Examination struct {
	Unusable error          // why STATE.json cannot be read; nil: it can
	Seq      uint64         // of STATE.json; 0 if it cannot be read
	Edits    []StateEdit    // where STATE.json is not what its events made it
	Journal  Journal        // and what is wrong with it
	Texts    []TextMismatch // texts that are not what was written
	Copies   []string       // texts whose copies beside STATE.json are wrong, missing or too many
	Files    error          // which file is not what ferrus wrote, of those whose hashes are kept; nil: none
	Outside  error          // why the record is not the one whose head is kept outside; nil: it is, or none is kept
	evidence evidence
}

// StateEdit is one member of STATE.json that is not as its events wrote it. The values
// are JSON; an empty one means that the member is missing.
type StateEdit struct {
	Member     string // its dotted path: task.title
	Want, Have string // what the journal gives, and what the file has
}

// Journal describes the journal, and what is wrong with it.
type Journal struct {
	Unreadable   error     // nil: it can be read
	Lines        int       // entries that follow from each other
	First, Last  uint64    // their seqs
	Bad          []BadLine // the first lines that do not follow, 20 at most
	BadCount     int       // the number of all of these
	Torn         int64     // bytes after the last whole line
	Behind       bool      // the newest entry is only in STATE.json: its writer died, and the next one appends it
	Disconnected string    // why the entries do not lead to STATE.json although that is sound; empty: they do
	Broken       string    // where a line is not the one named by the next line or by STATE.json; empty: nowhere
}

// BadLine is one line of the journal that does not follow from the lines before it.
type BadLine struct {
	Number int    // from 1, in the file
	Why    string // in a sentence, without a capital and a period
}

// TextMismatch is a text whose file is not what was written.
type TextMismatch struct {
	Name, File string
	Why        error
	Copied     bool // its copy beside STATE.json is what was written, and proves it
}

// IsIntact reports whether there is nothing to repair.
func (e Examination) IsIntact() bool {
	return e.Unusable == nil && e.Outside == nil && e.Files == nil && len(e.Edits)+len(e.Texts)+len(e.Copies)+
		e.Journal.BadCount == 0 &&
		e.Journal.Torn == 0 && e.Journal.Unreadable == nil && e.Journal.Disconnected+e.Journal.Broken == ""
}

// evidence is what STATE.json must have been according to the journal and to its own
// newest entry.
type evidence struct {
	doc   document // as far as it could be decoded
	chain *journalVerifier
	truth map[string]any  // folded members that are proved; nil: none are
	line  json.RawMessage // the newest entry of truth
	lost  bool            // STATE.json is not the truth
}

// Examine compares STATE.json, the journal and the texts. It takes no lock; it starts
// again if the state changes meanwhile, five times at most.
func (d *Dir[T]) Examine() (Examination, error) {
	f, err := d.open()
	if err != nil {
		return Examination{}, fmt.Errorf("examine state: %w", err)
	}
	defer f.Close()
	for range 5 {
		e := d.examine(f)
		if again := d.examineState(f); again.doc.Seq == e.evidence.doc.Seq {
			return e, nil
		}
	}
	return Examination{}, errors.New("examine state: it keeps changing; stop what is running and try again")
}

// examine makes one attempt of Examine.
func (d *Dir[T]) examine(f folder) Examination {
	state := d.examineState(f)
	e := Examination{Unusable: state.err}
	if state.err == nil {
		e.Seq = state.doc.Seq
	}
	e.evidence.doc = state.doc
	c, err := traceJournal(f, state.doc.Seq)
	e.Journal.Unreadable = d.named(err)
	if err == nil {
		e.Journal.Lines, e.Journal.First, e.Journal.Last = c.lines, c.first, c.newest
		e.Journal.Bad, e.Journal.BadCount, e.Journal.Torn = c.bad, c.badCount, c.torn
	}
	e.evidence.chain = c
	e.judge(state)
	if err == nil {
		e.Journal.Broken, err = examineChain(f, state)
		e.Journal.Unreadable = d.named(err)
	}
	e.examineTexts(f)
	if _, err := f.stat(sumsLock); err == nil || e.Unusable == nil && state.doc.Head != nil && state.doc.Head.Bound {
		e.Files = d.named(d.compareSums(f))
	}
	if e.Unusable == nil {
		e.Outside = d.named(d.examineKept(f))
	}
	return e
}

// seen is STATE.json as far as it can be read.
type seen struct {
	doc    document
	err    error
	folded map[string]any // nil when there are no members
	sum    string
	line   Entry           // the newest, as STATE.json keeps it
	raw    json.RawMessage // the same, as the journal has it
}

// matchesLastEntry reports whether STATE.json is what its newest entry led to.
func (s seen) matchesLastEntry() bool {
	seq, ok := s.folded["seq"].(json.Number)
	return ok && s.line.Seq > 0 && seq.String() == string(number(s.line.Seq)) && s.sum == s.line.StateSHA
}

// fresh reports whether nothing has happened yet.
func (s seen) fresh(c *journalVerifier) bool {
	return s.err == nil && s.doc.Seq == 0 && s.doc.Last == nil && c != nil && c.newest == 0
}

// examineState reads as much of STATE.json as can be read.
func (d *Dir[T]) examineState(f folder) seen {
	data, err := readWhole(f, d.names.state)
	if err != nil {
		return seen{err: d.named(d.describeMissing(err))}
	}
	doc, err := parse(data)
	s := seen{doc: doc}
	if err == nil {
		_, err = decodeState[T](doc)
	}
	if err == nil {
		err = doc.checkHead()
	}
	s.err = d.named(err)
	if folded, err := fold(doc.members); err == nil && doc.members != nil {
		s.folded = folded
		s.sum, _ = fingerprint(folded) //nolint:errcheck // what was decoded can be encoded
	}
	var kept struct {
		Line json.RawMessage `json:"line"`
	}
	if json.Unmarshal(doc.members["last"], &kept) == nil {
		s.line, _ = parseEntry(kept.Line)
		var b bytes.Buffer
		if json.Compact(&b, kept.Line) == nil {
			s.raw = b.Bytes()
		}
	}
	return s
}

// judge decides which state is proved, and by what: the journal, STATE.json with the
// entry that it keeps, or both. The cases go from agreement to contradiction.
func (e *Examination) judge(s seen) {
	ev, c := &e.evidence, e.evidence.chain
	if c != nil && c.newest > 0 {
		ev.truth, ev.line = c.folded, c.raw
	}
	if ahead, ok := c.with(s.line); ok {
		e.Journal.Behind = true
		ev.truth, ev.line = ahead, s.raw
	}
	sum := ""
	if ev.truth != nil {
		sum, _ = fingerprint(ev.truth) //nolint:errcheck // what was decoded can be encoded
	}
	own := s.matchesLastEntry()
	switch {
	case s.folded != nil && sum == s.sum: // they agree
		ev.lost = s.err != nil
	case s.fresh(c):
		ev.truth = s.folded
	case own && c != nil && c.metSHA == s.sum: // an older STATE.json was put back
		ev.lost, e.Edits = true, edits("", ev.truth, s.folded)
	case own && c != nil && c.newest >= s.line.Seq: // two histories: nothing proves which is right
		ev.truth, e.Journal.Disconnected = nil, disconnected(c, s.line.Seq)
	case own:
		e.Journal.Disconnected = disconnected(c, s.line.Seq)
		ev.truth, ev.line, ev.lost = s.folded, s.raw, s.err != nil
	case s.line.Seq > 0 && !e.Journal.Behind && (c == nil || s.line.Seq > c.newest): // events are missing
		ev.truth, ev.lost = nil, true
	default:
		ev.lost = true
		if ev.truth != nil && s.folded != nil {
			e.Edits = edits("", ev.truth, s.folded)
		}
	}
}

// disconnected describes where the entries lead; empty if they cannot be read.
func disconnected(c *journalVerifier, seq uint64) string {
	switch {
	case c == nil:
		return ""
	case c.newest == 0:
		return "it has no valid entry"
	case c.newest != seq:
		return fmt.Sprintf("its entries lead to seq %d, and %s is at %d", c.newest, stateName, seq)
	}
	return fmt.Sprintf("its entries lead to another state of seq %d", seq)
}

// edits returns the members that differ, by their dotted paths.
func edits(above string, want, have map[string]any) []StateEdit {
	var all []StateEdit
	names := maps.Clone(want)
	maps.Copy(names, have)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		w, wanted := want[name]
		h, had := have[name]
		wo, wok := w.(map[string]any)
		ho, hok := h.(map[string]any)
		if wok && hok {
			all = append(all, edits(above+name+".", wo, ho)...)
			continue
		}
		e := StateEdit{Member: above + name, Want: written(w, wanted), Have: written(h, had)}
		if e.Want != e.Have {
			all = append(all, e)
		}
	}
	return all
}

// written returns a member as JSON; empty if it is missing.
func written(v any, there bool) string {
	if !there {
		return ""
	}
	data, err := marshal(v)
	if err != nil {
		return "?"
	}
	return string(data)
}

// docs returns the texts that the state should have.
func (ev evidence) docs() map[string]Doc {
	docs := map[string]Doc{}
	if ev.truth == nil {
		return docs
	}
	data, err := marshal(ev.truth["docs"])
	if err != nil || json.Unmarshal(data, &docs) != nil || (document{envelope: envelope{Docs: docs}}).check() != nil {
		return map[string]Doc{}
	}
	return docs
}

// examineTexts examines the texts and their copies.
func (e *Examination) examineTexts(f folder) {
	docs := e.evidence.docs()
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		copied, err := readWhole(f, name)
		if docs[name].File == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				e.Copies = append(e.Copies, name)
			}
			continue
		}
		same := err == nil && sha(copied) == docs[name].SHA256
		if _, err := readDoc(f, docs[name]); err != nil {
			e.Texts = append(e.Texts, TextMismatch{Name: name, File: docs[name].File, Why: err, Copied: same})
		} else if !same {
			e.Copies = append(e.Copies, name)
		}
	}
}
