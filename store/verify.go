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

// journalVerifier is what of a journal holds together: each of its lines has the seq after
// the one before and leads to the state that it was written with.
type journalVerifier struct {
	folded        map[string]any
	raw           json.RawMessage // the newest line
	first, newest uint64
	lines         int
	bad           []BadLine
	badCount      int
	torn          int64
	kept          []span // of the file, oldest first
	afterGap      bool   // the newest odd line comes after a gap
	gapSeq        uint64 // the seq before the gap that was told
	metSHA        string // fingerprint of the state of the seq that was looked for

	whole     []byte // folded as JSON, to go back to; nil when nothing is proved line by line
	newestSHA string // of the newest line
}

// span is a part of a file.
type span struct{ begin, end int64 }

// maxBad is how many odd lines are told one by one.
const maxBad = 20

// traceJournal goes through the journal. It trusts the lines if they lead to the state
// of the newest; if they do not, it proves each.
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
	c, err := traceLines(file, size, seq, false)
	if err != nil || c.badCount == 0 && c.proved() {
		return c, err
	}
	return traceLines(file, size, seq, true)
}

// proved says that the lines lead to the state of the newest.
func (c *journalVerifier) proved() bool {
	if c.newest == 0 {
		return true
	}
	sum, err := fingerprint(c.folded)
	return err == nil && sum == c.newestSHA
}

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

// recordBad counts an odd line and tells it, unless one was told that it is as far
// from: after a gap all lines are.
func (c *journalVerifier) recordBad(number int, why string) {
	c.badCount++
	told := c.afterGap && c.gapSeq == c.newest
	if c.afterGap {
		c.afterGap, c.gapSeq = false, c.newest
	}
	if !told && len(c.bad) < maxBad {
		c.bad = append(c.bad, BadLine{number, why})
	}
}

func (c *journalVerifier) retainSpan(offset, length int64) {
	c.lines++
	if last := len(c.kept) - 1; last >= 0 && c.kept[last].end == offset {
		c.kept[last].end += length
		return
	}
	c.kept = append(c.kept, span{offset, offset + length})
}

// acceptLine adds a line, or says why it cannot follow.
func (c *journalVerifier) acceptLine(data []byte, length int64, prove bool) string {
	if length > lineLimit {
		return fmt.Sprintf("it has %d MiB, and no line of ferrus is as long", length>>20)
	}
	line, ok := parseEntry(data)
	if !ok {
		return "it is no line of a journal"
	}
	switch {
	case c.newest == math.MaxUint64 || c.newest > 0 && line.Seq > c.newest+1:
		c.afterGap = true
		return fmt.Sprintf("seq %d follows seq %d: what was between them is missing", line.Seq, c.newest)
	case c.newest > 0 && line.Seq == c.newest && bytes.Equal(data, c.raw):
		return fmt.Sprintf("it is the line before it again, seq %d", line.Seq)
	case c.newest > 0 && line.Seq <= c.newest:
		return fmt.Sprintf("seq %d was there before", line.Seq)
	}
	patch, err := decode(line.Data)
	if _, object := patch.(map[string]any); err != nil || !object {
		return fmt.Sprintf("the data of seq %d is no object", line.Seq)
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

// merge folds a line in; one that proves wrong leaves nothing.
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

// with is the state after one more line, if that follows and proves right.
func (c *journalVerifier) with(line Entry) (map[string]any, bool) {
	if c == nil || line.Seq == 0 || line.Seq != c.newest+1 {
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
