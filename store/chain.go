package store

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// head is the end of the chain: what STATE.json says of the newest line of the journal,
// and of itself. It is the last member of the file. A state without one was written by a
// ferrus that kept no chain; the next writer adds it, see [writer.chain].
type head struct {
	Project string `json:"project"` // random; names the head that is kept outside the project
	Seq     uint64 `json:"seq"`     // of the newest line; 0: there is none
	SHA256  string `json:"sha256"`  // of its bytes in the journal, without the newline; noHash before the first
	Repair  bool   `json:"repair"`  // a repair has begun whose event is not in the journal yet
	Bound   bool   `json:"bound"`   // sums has the hashes of the files
	Unkept  string `json:"unkept"`  // why the head outside does not know this seq; empty: it does, or none is kept
	Sum     string `json:"sum"`     // SHA-256 of STATE.json with noHash in this place
}

// Prefix is the part of a journal before an entry: what the entry vouches for as a whole,
// because the lines in it do not form a chain.
type Prefix struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// noHash stands where there is no line to hash.
var noHash = strings.Repeat("0", 2*sha256.Size)

// newHead returns the head of a journal without lines.
func newHead() *head {
	var random [16]byte
	rand.Read(random[:]) //nolint:errcheck // it never fails
	return &head{Project: hex.EncodeToString(random[:]), SHA256: noHash}
}

// check validates what a head says; the sum is checked by [document.checkHead].
func (h head) check() error {
	for _, sum := range []string{h.Project + h.Project, h.SHA256, h.Sum} {
		if data, err := hex.DecodeString(sum); err != nil || len(data) != sha256.Size {
			return errors.New("its head is not one that ferrus writes")
		}
	}
	return nil
}

// The head ends STATE.json, so its sum is in a fixed place before the end.
const (
	beforeSum = "\"sum\": \""
	afterSum  = "\"\n  }\n}\n"
)

// encode returns the head as the last member of STATE.json, still without a sum.
func (h head) encode() string {
	return fmt.Sprintf(",\n  \"head\": {\n    \"project\": %q,\n    \"seq\": %d,\n    \"sha256\": %q,\n"+
		"    \"repair\": %t,\n    \"bound\": %t,\n    \"unkept\": %s,\n    %s%s%s",
		h.Project, h.Seq, h.SHA256, h.Repair, h.Bound, quote(h.Unkept), beforeSum, noHash, afterSum)
}

// addSum puts the sum of a STATE.json into it, and returns the sum.
func addSum(data []byte) string {
	sum := sha(data)
	copy(data[len(data)-len(afterSum)-len(noHash):], sum)
	return sum
}

// checkHead compares STATE.json with the sum in its head, and the newest entry that it
// keeps with the hash there. A state without a head has nothing to compare.
func (d document) checkHead() error {
	if d.Head == nil {
		return nil
	}
	if err := d.checkSum(); err != nil {
		return &DamagedError{File: stateName, Why: err.Error(), Fix: fixRepair}
	}
	return nil
}

func (d document) checkSum() error {
	at := len(d.data) - len(afterSum) - len(noHash)
	if at < 0 || !bytes.HasSuffix(d.data[:at], []byte(beforeSum)) || !bytes.HasSuffix(d.data, []byte(afterSum)) {
		return errors.New("it does not end as ferrus ends it")
	}
	h := sha256.New()
	for _, part := range [][]byte{d.data[:at], []byte(noHash), []byte(afterSum)} {
		h.Write(part)
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != d.Head.Sum || sum != string(d.data[at:at+len(noHash)]) {
		return errors.New("it is not what ferrus wrote: its checksum differs")
	}
	switch {
	case d.Seq == 0 && d.Last == nil && d.Head.Seq == 0 && d.Head.SHA256 == noHash:
		return nil
	case d.Head.Seq != d.Seq || d.lastEntry().Seq != d.Seq || sha(d.Last.Line) != d.Head.SHA256:
		return errors.New("its last entry is not the head of its chain")
	}
	return nil
}

// chainVerifier reads the lines of a journal and compares the hash of each with what the
// next one says. It decodes none of them.
type chainVerifier struct {
	head   string // hash of the newest line; noHash: there is none
	end    int64  // offset after the newest whole line
	lines  int    // whole ones
	linked bool   // the chain has begun
	broken string // where it does not hold; empty: it holds
	torn   []byte // what follows the newest whole line, as far as it can be a line
	after  int64  // bytes that follow it

	whole hash.Hash // of all bytes so far
}

// verifyChain reads a journal from its beginning. What follows the last newline is not
// part of it.
func verifyChain(file io.ReaderAt, size int64) (*chainVerifier, error) {
	v := &chainVerifier{head: noHash, whole: sha256.New()}
	return v, v.read(file, size)
}

// read adds the lines after the newest one.
func (v *chainVerifier) read(file io.ReaderAt, size int64) error {
	reader := newLines(file, v.end, logEnd(file, size))
	for {
		data, length, err := readLine(reader)
		if errors.Is(err, io.EOF) {
			v.torn, v.after = data, size-v.end
			return nil
		} else if err != nil {
			return err
		}
		v.add(data, length)
	}
}

// add compares one line with those before it. Lines without a link are an earlier ferrus's,
// and count only if a later line vouches for them all.
func (v *chainVerifier) add(line []byte, length int64) {
	v.lines++
	prev, linked := prevOf(line)
	before := prefixOf(line)
	switch {
	case before != nil && before.Bytes == v.end && before.SHA256 == hex.EncodeToString(v.whole.Sum(nil)):
		v.broken = ""
	case before != nil:
		v.note("it vouches for lines other than the previous ones")
	case linked && !v.linked && v.lines > 1:
		v.note("no line vouches for the previous ones")
	case !linked && v.linked:
		v.note("it does not name the previous line")
	}
	if linked && prev != v.head {
		v.note("it does not follow the previous one")
	}
	v.linked = v.linked || linked
	v.head, v.end = sha(line), v.end+length
	v.whole.Write(line)
	v.whole.Write([]byte("\n"))
}

// note keeps the first place where the chain does not hold.
func (v *chainVerifier) note(why string) {
	if v.broken == "" {
		v.broken = fmt.Sprintf("line %d: %s", v.lines, why)
	}
}

// An entry ends with the hash of the line before it.
const (
	beforePrev = `,"prev":"`
	afterPrev  = `"}`
)

// prevOf returns the hash that a line names; false if it names none.
func prevOf(line []byte) (prev string, ok bool) {
	at := len(line) - len(afterPrev) - len(noHash)
	if at < 0 || !bytes.HasSuffix(line, []byte(afterPrev)) || !bytes.HasSuffix(line[:at], []byte(beforePrev)) {
		return "", false
	}
	return string(line[at : at+len(noHash)]), true
}

// prefixOf returns what a line vouches for; nil: nothing.
func prefixOf(line []byte) *Prefix {
	if !bytes.Contains(line[max(0, len(line)-300):], []byte(`"before":{`)) {
		return nil
	}
	entry, _ := parseEntry(line)
	return entry.Before
}
