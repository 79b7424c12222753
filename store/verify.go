package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
)

// journalVerifier reads a journal and keeps what of it holds together: the entries that
// each have the seq after the previous one and lead to the state they were written with.
type journalVerifier struct {
	trail
	badLines

	folded map[string]any // the members of STATE.json after the newest entry
	whole  []byte         // folded as JSON, to go back to; nil if entries are not proved one by one
	torn   int64          // bytes after the last whole line
	metSHA string         // fingerprint of the state at the seq that was asked for; empty: not met
}

// trail is the entries that follow from each other.
type trail struct {
	first, newest uint64          // seq; 0: there are none
	newestSHA     string          // of the state after the newest entry, as that says
	raw           json.RawMessage // the newest entry
	lines         int             // how many
	kept          []span          // where they are in the file, oldest first
}

// badLines is the lines that do not follow from the ones before.
type badLines struct {
	bad      []BadLine // the first maxBad, and only one for each gap
	badCount int       // all of them
	afterGap bool      // the newest bad line comes after a gap
	gapSeq   uint64    // the seq before the gap that was reported last
}

// span is a part of a file.
type span struct{ begin, end int64 }

// maxBad is the number of bad lines that are reported one by one.
const maxBad = 20

// traceJournal reads the journal, and remembers the state at a seq. It trusts the
// entries if together they lead to the state of the newest, which is one fingerprint
// for the whole file; otherwise it reads again and proves each entry.
func traceJournal(f folder, seq uint64) (*journalVerifier, error) {
	file, err := f.open(journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return &journalVerifier{}, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	size, err := file.size()
	if err != nil {
		return nil, err
	}
	end := logEnd(file, size)
	c, err := traceLines(file, end, seq, false)
	if err == nil && (c.badCount > 0 || !c.proved()) {
		c, err = traceLines(file, end, seq, true)
	}
	if err == nil {
		c.torn += size - end
	}
	return c, err
}

// proved reports whether the entries lead to the state of the newest.
func (c *journalVerifier) proved() bool {
	if c.newest == 0 {
		return true
	}
	sum, err := fingerprint(c.folded)
	return err == nil && sum == c.newestSHA
}

// traceLines reads the lines of a journal; with prove it fingerprints the state after
// each entry. The first entry may have any seq: a journal can start anew.
func traceLines(file io.ReaderAt, size int64, seq uint64, prove bool) (*journalVerifier, error) {
	c := &journalVerifier{folded: map[string]any{}}
	reader := newLines(file, 0, size)
	for offset, number := int64(0), 1; ; number++ {
		data, length, err := readLine(reader)
		if errors.Is(err, io.EOF) {
			c.torn = length
			return c, nil
		} else if err != nil {
			return nil, err
		}
		if why := c.acceptLine(data, length, prove); why != "" {
			c.recordBad(number, why)
		} else {
			c.retainSpan(offset, length)
			if c.newest == seq {
				c.metSHA = c.newestSHA
			}
		}
		offset += length
	}
}

// recordBad counts a bad line and reports it, except for the second and later lines
// after one gap: none of them can follow.
func (c *journalVerifier) recordBad(number int, why string) {
	c.badCount++
	reported := c.afterGap && c.gapSeq == c.newest
	if c.afterGap {
		c.afterGap, c.gapSeq = false, c.newest
	}
	if !reported && len(c.bad) < maxBad {
		c.bad = append(c.bad, BadLine{number, why})
	}
}

// retainSpan adds a good line to the parts of the file that a repair keeps.
func (c *journalVerifier) retainSpan(offset, length int64) {
	c.lines++
	if last := len(c.kept) - 1; last >= 0 && c.kept[last].end == offset {
		c.kept[last].end += length
		return
	}
	c.kept = append(c.kept, span{offset, offset + length})
}

// acceptLine adds an entry, or returns why the line cannot follow the entries before.
func (c *journalVerifier) acceptLine(data []byte, length int64, prove bool) string {
	if length > lineLimit {
		return fmt.Sprintf("it has %d MiB, more than any line that ferrus writes", length>>20)
	}
	line, ok := parseEntry(data)
	if !ok {
		return "it is not a journal entry"
	}
	switch {
	case c.newest == math.MaxUint64 || c.newest > 0 && line.Seq > c.newest+1:
		c.afterGap = true
		return fmt.Sprintf("seq %d follows seq %d: the lines between them are missing", line.Seq, c.newest)
	case c.newest > 0 && line.Seq == c.newest && bytes.Equal(data, c.raw):
		return fmt.Sprintf("it repeats the previous line, seq %d", line.Seq)
	case c.newest > 0 && line.Seq <= c.newest:
		return fmt.Sprintf("seq %d occurred before", line.Seq)
	}
	patch, err := decode(line.Data)
	if _, object := patch.(map[string]any); err != nil || !object {
		return fmt.Sprintf("the data of seq %d is not an object", line.Seq)
	}
	if why := c.merge(line, patch, prove); why != "" {
		return why
	}
	if c.first == 0 {
		c.first = line.Seq
	}
	c.newest, c.newestSHA = line.Seq, line.StateSHA
	c.raw = bytes.Clone(data)
	return ""
}

// merge folds an entry in. With prove, an entry that leads to another state than it
// says is undone again, and the reason is returned.
func (c *journalVerifier) merge(line Entry, patch any, prove bool) string {
	c.folded = merge(c.folded, patch).(map[string]any) // a patch that is an object makes one
	c.folded["seq"] = json.Number(number(line.Seq))
	if !prove {
		return ""
	}
	whole, err := marshal(c.folded)
	if err == nil && sha(whole) == line.StateSHA {
		c.whole = whole
		return ""
	}
	c.folded = map[string]any{}
	if c.whole != nil {
		before, err := decode(c.whole)
		if err != nil {
			panic(err) // it was encoded from what is decoded now
		}
		c.folded = before.(map[string]any)
	}
	return fmt.Sprintf("seq %d does not lead to the state that was written with it", line.Seq)
}

// with returns the state after one more entry, if that follows and leads to the state
// it says. The verifier itself is unchanged.
func (c *journalVerifier) with(line Entry) (map[string]any, bool) {
	begins := c != nil && c.newest == 0 && line.Prev == noHash
	if c == nil || line.Seq == 0 || line.Seq != c.newest+1 && !begins {
		return nil, false
	}
	before, err := marshal(c.folded)
	if err != nil {
		return nil, false
	}
	folded, err := decode(before)
	if err != nil {
		return nil, false
	}
	next := &journalVerifier{folded: map[string]any{}}
	if folded, ok := folded.(map[string]any); ok {
		next.folded = folded
	}
	patch, err := decode(line.Data)
	if _, object := patch.(map[string]any); err != nil || !object {
		return nil, false
	}
	why := next.merge(line, patch, true)
	return next.folded, why == ""
}
