package git

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"ferrus/checks/regular"
)

// packs are the packs below directories of objects. Each is opened when an object is first looked for in it.
// https://git-scm.com/docs/gitformat-pack
type packs struct {
	list []*pack
}

// pack is one pack and its index.
type pack struct {
	name   string // of the index
	index  *os.File
	data   *os.File
	count  int // objects
	width  int // bytes of a name
	failed bool
}

// Kinds of the entries of a pack, as their first byte has them.
const (
	packedOffsetDelta    = 6
	packedReferenceDelta = 7
)

var packedKinds = [...]string{1: "commit", 2: "tree", 3: "blob", 4: "tag", 5: "", 6: "", 7: ""}

// Parts of an index of version 2.
const (
	packIndexHead   = "\xfftOc\x00\x00\x00\x02"
	packIndexFanout = 8               // where the counts of the objects are whose names begin with at most one byte
	packIndexNames  = 8 + 256*4       // where the names are
	packedLarge     = uint32(1) << 31 // in an offset: it is a position in the table of large offsets
)

// maxDeltas is how many differences may lie upon each other; git makes no more than 4095.
const maxDeltas = 4096

// findPacks lists the packs below directories of objects.
func findPacks(dirs []string) *packs {
	all := &packs{}
	for _, dir := range dirs {
		names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "pack", "pack-*.idx")) // the pattern is well formed
		for _, name := range names {
			all.list = append(all.list, &pack{name: name})
		}
	}
	return all
}

// escapeGlob returns the pattern that matches a path alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// close closes every file.
func (s *packs) close() {
	for _, p := range s.list {
		p.close()
	}
}

func (p *pack) close() {
	for _, file := range []*os.File{p.index, p.data} {
		if file != nil {
			file.Close()
		}
	}
	p.index, p.data, p.failed = nil, nil, true
}

// find returns the pack that has an object, and where; nil: none has.
func (s *packs) find(id string) (*pack, int64) {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return nil, 0
	}
	for i, p := range s.list {
		if at, ok := p.find(raw); ok {
			s.list[0], s.list[i] = p, s.list[0] // What is read next is probably there as well.
			return p, at
		}
	}
	return nil, 0
}

// find returns where a pack has an object.
func (p *pack) find(id []byte) (int64, bool) {
	if p.index == nil && !p.failed && !p.open(len(id)) {
		p.close()
	}
	if p.failed || len(id) != p.width {
		return 0, false
	}
	from, to := 0, p.fanout(int(id[0]))
	if id[0] > 0 {
		from = p.fanout(int(id[0]) - 1)
	}
	if from > to || to > p.count {
		return 0, false
	}
	name := make([]byte, p.width)
	n, found := sort.Find(to-from, func(i int) int {
		if _, err := p.index.ReadAt(name, packIndexNames+int64(from+i)*int64(p.width)); err != nil {
			return 0
		}
		return bytes.Compare(id, name)
	})
	if !found || !bytes.Equal(id, name) {
		return 0, false
	}
	return p.offset(from + n)
}

// open opens the index and the pack. The names in it have a length.
func (p *pack) open(width int) bool {
	var err error
	if p.index, err = regular.Open(p.name); err != nil {
		return false
	}
	if p.data, err = regular.Open(strings.TrimSuffix(p.name, ".idx") + ".pack"); err != nil {
		return false
	}
	var head [len(packIndexHead)]byte
	if _, err := p.index.ReadAt(head[:], 0); err != nil || string(head[:]) != packIndexHead {
		return false
	}
	p.width, p.count = width, p.fanout(255)
	info, err := p.index.Stat()
	return err == nil && int64(p.count)*int64(width+8)+packIndexNames <= info.Size()
}

// number reads a number of the index; all bits are set where there is none.
func (p *pack) number(at int64) uint32 {
	var n [4]byte
	if _, err := p.index.ReadAt(n[:], at); err != nil {
		return 1<<32 - 1
	}
	return binary.BigEndian.Uint32(n[:])
}

func (p *pack) fanout(first int) int { return int(p.number(packIndexFanout + int64(first)*4)) }

// offset returns where the pack has the n-th object.
func (p *pack) offset(n int) (int64, bool) {
	checksums := packIndexNames + int64(p.count)*int64(p.width)
	offsets := checksums + int64(p.count)*4
	at := p.number(offsets + int64(n)*4)
	if at&packedLarge == 0 {
		return int64(at), true
	}
	large := offsets + int64(p.count)*4 + int64(at&^packedLarge)*8
	high, low := p.number(large), p.number(large+4)
	return int64(high)<<32 | int64(low), high < 1<<31
}

// read returns an object, after comparing it with its name. Every error means: ask git.
func (s *packs) read(kind, id string) ([]byte, error) {
	p, at := s.find(id)
	if p == nil {
		return nil, errAskGit
	}
	got, content, err := s.readAt(p, at)
	if err != nil || got != kind || Hash(id, kind, content) != id {
		return nil, errAskGit
	}
	return content, nil
}

// readAt returns the object at a place in a pack, and its kind.
func (s *packs) readAt(p *pack, at int64) (kind string, content []byte, err error) {
	var deltas [][]byte
	for total := 0; ; {
		e, err := s.entryAt(p, at)
		if err != nil {
			return "", nil, err
		}
		if total += len(e.content); len(deltas) > maxDeltas || total > 2*directBytes {
			return "", nil, errAskGit
		}
		if kind, content = packedKinds[e.kind], e.content; kind != "" {
			break
		}
		deltas = append(deltas, e.content)
		switch {
		case e.kind == packedOffsetDelta && e.back > 0 && e.back < at:
			at -= e.back
		case e.kind == packedReferenceDelta:
			base, ok := p.find(e.base)
			if !ok {
				return "", nil, errAskGit
			}
			at = base
		default:
			return "", nil, errAskGit
		}
	}
	for i := len(deltas) - 1; i >= 0; i-- {
		if content, err = patch(content, deltas[i]); err != nil {
			return "", nil, err
		}
	}
	return kind, content, nil
}

// packed is an entry of a pack.
type packed struct {
	kind    byte
	content []byte // inflated
	back    int64  // of an offset delta: how far in front of it its base is
	base    []byte // of a reference delta: the name of its base
}

// entryAt reads the entry at a place in a pack.
func (s *packs) entryAt(p *pack, at int64) (e packed, err error) {
	in := bufio.NewReader(io.NewSectionReader(p.data, at, 1<<62))
	first, err := in.ReadByte()
	if err != nil {
		return e, errAskGit
	}
	size, shift := uint64(first&0xf), 4
	for b := first; b&0x80 != 0; shift += 7 {
		if b, err = in.ReadByte(); err != nil || shift > 32 {
			return e, errAskGit
		}
		size |= uint64(b&0x7f) << shift
	}
	switch e.kind = first >> 4 & 7; e.kind {
	case packedOffsetDelta:
		for more, i := true, 0; more; i++ {
			b, err := in.ReadByte()
			if err != nil || i > 8 {
				return e, errAskGit
			}
			if i > 0 {
				e.back++
			}
			e.back, more = e.back<<7|int64(b&0x7f), b&0x80 != 0
		}
	case packedReferenceDelta:
		e.base = make([]byte, p.width)
		if _, err := io.ReadFull(in, e.base); err != nil {
			return e, errAskGit
		}
	}
	if size > directBytes {
		return e, errAskGit
	}
	e.content, err = inflated(in, int(size))
	return e, err
}

// inflated reads content whose size is known.
func inflated(in io.Reader, size int) ([]byte, error) {
	content := make([]byte, size)
	err := inflate(in, func(from io.Reader) error {
		_, err := io.ReadFull(from, content)
		return err
	})
	if err != nil {
		return nil, errAskGit
	}
	return content, nil
}

// patch applies a delta: two sizes, and then copies from the base and new bytes.
func patch(base, delta []byte) ([]byte, error) {
	from, delta := packedNumber(delta)
	to, delta := packedNumber(delta)
	if from != len(base) || to < 0 || to > directBytes {
		return nil, errAskGit
	}
	made := make([]byte, 0, to)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		source, n := delta, int(op)
		if op&0x80 != 0 {
			var start int
			if start, n, delta = copied(op, delta); start+n > len(base) {
				return nil, errAskGit
			}
			source = base[start:]
		} else if n == 0 || n > len(delta) {
			return nil, errAskGit
		} else {
			delta = delta[n:]
		}
		if made = append(made, source[:n]...); len(made) > to {
			return nil, errAskGit
		}
	}
	if len(made) != to {
		return nil, errAskGit
	}
	return made, nil
}

// copied reads what part of the base a delta copies: of start and length only the bytes are there whose bits are set.
// A delta that is cut short counts as zeros.
func copied(op byte, delta []byte) (start, n int, rest []byte) {
	for i := range 7 {
		if op>>i&1 == 0 {
			continue
		}
		b := 0
		if len(delta) > 0 {
			b, delta = int(delta[0]), delta[1:]
		}
		if i < 4 {
			start |= b << (8 * i)
		} else {
			n |= b << (8 * (i - 4))
		}
	}
	if n == 0 {
		n = 1 << 16
	}
	return start, n, delta
}

// packedNumber reads a number, its lowest bits first; -1: there is none.
func packedNumber(data []byte) (n int, rest []byte) {
	for i, b := range data {
		if i > 4 {
			break
		}
		if n |= int(b&0x7f) << (7 * i); b&0x80 == 0 {
			return n, data[i+1:]
		}
	}
	return -1, nil
}
