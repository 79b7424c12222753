package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// Entry is one line of journal.jsonl: an event that was accepted. The fields are written
// in this order; their names are part of the format. It has more than 12 fields because it
// is one flat object of a file format.
type Entry struct {
	Seq     uint64    `json:"seq"` // one more than the previous entry's
	At      time.Time `json:"at"`  // UTC, milliseconds; clocks can go back, seq cannot
	Event   string    `json:"event"`
	By      string    `json:"by"`            // person, ferrus or an agent's id
	Via     string    `json:"via,omitempty"` // where a command of the human came from: HQ, a terminal, a code
	Session string    `json:"session"`       // id, never the nonce
	Call    string    `json:"call"`          // Call.ID
	From    string    `json:"from"`          // the member "state" or "phase" of T, before and after
	To      string    `json:"to"`
	Why     string    `json:"why"`
	// merge patch (RFC 7386) of what the event changed; the first entry has all members
	Data json.RawMessage `json:"data"`
	// SHA-256, in hex, of the state that it led to: of the members of STATE.json that [Fold]
	// returns. A changed or missing entry is noticed by it.
	StateSHA string `json:"state_sha"`
	// what of the journal before it the entry vouches for; nil: only the line before it
	Before *Prefix `json:"before,omitempty"`
	// SHA-256 of the line before it, without its newline; empty: an earlier ferrus wrote it.
	// It stays the last member: [prevOf] looks for it there.
	Prev string `json:"prev,omitempty"`
}

// lineLimit is the maximal length of a line: STATE.json contains the newest, and the
// first contains all members of STATE.json.
const lineLimit = fileLimit + 1<<20

// parseEntry decodes a line without its newline; false if it is no entry.
func parseEntry(data []byte) (Entry, bool) {
	var line Entry
	if len(data) == 0 || data[0] != '{' || json.Unmarshal(data, &line) != nil {
		return line, false
	}
	return line, line.Seq > 0 && len(line.Data) > 0
}

// tail describes the end of the journal.
type tail struct {
	newest Entry // zero if there is no whole entry
	end    int64 // the offset at which it ends; what follows was torn by a crash
}

// readTail finds the newest whole entry, reading from the end of the file in growing
// parts.
func readTail(file io.ReaderAt, size int64) (tail, error) {
	for length := int64(8 << 10); ; length = min(length*4, lineLimit) {
		start := max(size-length, 0)
		data := make([]byte, size-start)
		if _, err := file.ReadAt(data, start); err != nil && !errors.Is(err, io.EOF) {
			return tail{}, err
		}
		if t, ok := lastWhole(data, start); ok || start == 0 {
			return t, nil
		}
		if length == lineLimit {
			return tail{}, &DamagedError{File: journalName, Fix: fixRepair,
				Why: fmt.Sprintf("its last %d MiB contain no line", length>>20)}
		}
	}
}

// lastWhole finds the newest whole entry in the part of the file from start to its end.
func lastWhole(data []byte, start int64) (tail, bool) {
	for end := bytes.LastIndexByte(data, '\n'); end >= 0; {
		begin := bytes.LastIndexByte(data[:end], '\n')
		if begin < 0 && start > 0 {
			break // its beginning is not here
		}
		if line, ok := parseEntry(data[begin+1 : end]); ok {
			return tail{line, start + int64(end) + 1}, true
		}
		end = begin
	}
	return tail{}, false
}

// JournalInfo returns what the system says of the journal's file. One that is not longer than before, and not as old,
// was changed by another program than ferrus, or repaired: [Dir.Verify] says which.
func (d *Dir[T]) JournalInfo() (fs.FileInfo, error) {
	f, err := d.open()
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	defer f.Close()
	info, err := f.stat(journalName)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", d.named(err))
	}
	return info, nil
}

// Journal returns the entries after a seq, oldest first; 0 asks for all. It takes no
// lock and reads little more than it returns. It includes the newest event even if a
// crashed writer did not append it: STATE.json has it. The chain is not verified (see
// [Dir.Verify]); a line in the middle that is no entry is a *[DamagedError].
func (d *Dir[T]) Journal(after uint64) ([]Entry, error) {
	lines, err := d.journalAfter(after)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", d.named(err))
	}
	return lines, nil
}

// journalAfter reads STATE.json before the journal: its newest entry is then in one of the
// two, whatever is appended in between.
func (d *Dir[T]) journalAfter(after uint64) ([]Entry, error) {
	f, err := d.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, _, err := d.readUnchecked(f) // before the journal: the newest entry is in one of the two
	if err != nil {
		return nil, err
	}
	lines, err := linesAfter(f, after)
	if err != nil {
		return nil, err
	}
	newest := doc.lastEntry()
	if n := len(lines); newest.Seq > after && (n == 0 || lines[n-1].Seq < newest.Seq) {
		lines = append(lines, newest)
	}
	return lines, nil
}

// linesAfter returns the entries after a seq that are in the file.
func linesAfter(f folder, after uint64) ([]Entry, error) {
	file, size, err := openLog(f, journalName)
	if err != nil || file == nil {
		return nil, err
	}
	defer file.Close()
	size = logEnd(file, size)
	start, err := findOffset(file, size, after)
	if err != nil {
		return nil, err
	}
	return scan(io.NewSectionReader(file, start, size-start), start, after)
}

// findOffset finds an offset where a line starts: at most 8 KiB or one line before the first
// entry after a seq, and never behind it. It is a binary search over offsets, because
// the seqs in the file only grow.
func findOffset(file io.ReaderAt, size int64, after uint64) (int64, error) {
	low, high := int64(0), size
	for after > 0 && high-low > 8<<10 {
		middle := low + (high-low)/2
		line, end, err := lineFrom(file, middle, high)
		if err != nil {
			return 0, err
		}
		if line.Seq == 0 || line.Seq > after {
			high = middle
		} else {
			low = end
		}
	}
	return low, nil
}

// lineFrom returns the first whole entry that starts after an offset, and where it ends;
// a zero one if there is none before the limit.
func lineFrom(file io.ReaderAt, offset, limit int64) (Entry, int64, error) {
	r := bufio.NewReader(io.NewSectionReader(file, offset, limit-offset))
	_, skipped, err := readLine(r)
	var data []byte
	var length int64
	if err == nil {
		data, length, err = readLine(r)
	}
	if errors.Is(err, io.EOF) {
		return Entry{}, 0, nil
	} else if err != nil {
		return Entry{}, 0, err
	}
	line, _ := parseEntry(data)
	return line, offset + skipped + length, nil
}

// scan reads the entries after a seq. A line that is no entry is accepted only at the
// end, where a writer died or is writing now.
func scan(r io.Reader, start int64, after uint64) ([]Entry, error) {
	var lines []Entry
	var odd *DamagedError
	reader := bufio.NewReaderSize(r, 64<<10)
	for offset := start; ; {
		data, length, err := readLine(reader)
		if errors.Is(err, io.EOF) {
			return lines, nil
		} else if err != nil {
			return nil, err
		}
		line, ok := parseEntry(data)
		switch {
		case !ok && odd == nil:
			odd = &DamagedError{File: journalName, Why: fmt.Sprintf("there is no journal entry at byte %d", offset),
				Fix: fixRepair}
		case ok && odd != nil:
			return nil, odd
		case ok && line.Seq > after:
			lines = append(lines, line)
		}
		offset += length
	}
}

// readLine reads a line without its newline, and returns its length with it. A line
// over lineLimit is returned as nil, so that no file can use up the memory.
func readLine(r *bufio.Reader) (line []byte, length int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		length += int64(len(part))
		if length <= lineLimit {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), length, err
		}
	}
}
