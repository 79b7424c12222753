package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

// errIndex means that only git can read an index: it is damaged, split over two files, sparse, or newer.
var errIndex = errors.New("the index is not one that is read without git")

// indexFile is what an index has in one file.
// https://git-scm.com/docs/index-format
type indexFile struct {
	entries []TreeEntry
	tree    cachedTree // what git has noted of the tree that they make
}

// cachedTree is what an index has noted of a directory.
type cachedTree struct {
	id    string // of the tree; empty: an entry below it has changed since
	count int    // of the entries below it
	below map[string]*cachedTree
}

// inside returns what is noted of a directory inside; nil: nothing.
func (t *cachedTree) inside(name string) *cachedTree {
	if t == nil {
		return nil
	}
	return t.below[name]
}

// Parts of an entry: what git knows of the file, and bits of its flags.
const (
	indexStat      = 40 // bytes in front of the name of the object; the mode begins at indexMode
	indexMode      = 24
	flagExtended   = 0x4000
	flagStage      = 0x3000
	flagIntention  = 0x2000 // of the extended flags: git add --intent-to-add
	indexAlignment = 8
)

// readIndex reads an index whose object names have a format. There are no stages and no intentions in what it
// returns: with one of these the error is [errIndex].
func readIndex(name, format string) (x indexFile, err error) {
	data, err := readFile(name)
	if err != nil {
		return x, err
	}
	size := len(EmptyTree(format)) / 2
	if len(data) < 12+size || size == 0 || string(data[:4]) != "DIRC" {
		return x, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 || uint64(count)*uint64(indexStat+size) > uint64(len(data)) {
		return x, errIndex
	}
	rest, last := data[12:len(data)-size], ""
	x.entries = make([]TreeEntry, count)
	for i := range x.entries {
		if rest, err = readIndexEntry(rest, &x.entries[i], last, version, size); err != nil {
			return x, err
		}
		last = x.entries[i].Path
	}
	return x, x.readExtensions(rest, size)
}

// readIndexEntry reads an entry behind one of a path, and returns what is left.
func readIndexEntry(data []byte, e *TreeEntry, last string, version uint32, size int) ([]byte, error) {
	head := indexStat + size + 2
	if len(data) < head {
		return nil, errIndex
	}
	e.Mode = binary.BigEndian.Uint32(data[indexMode:])
	e.ID = hex.EncodeToString(data[indexStat : indexStat+size])
	flags := binary.BigEndian.Uint16(data[indexStat+size:])
	if flags&flagExtended != 0 {
		if len(data) < head+2 || binary.BigEndian.Uint16(data[head:])&flagIntention != 0 {
			return nil, errIndex
		}
		head += 2
	}
	name, prefix := data[head:], ""
	if version == 4 {
		drop, read := indexNumber(name)
		if read == 0 || drop > len(last) {
			return nil, errIndex
		}
		name, prefix = name[read:], last[:len(last)-drop]
	}
	end := bytes.IndexByte(name, 0)
	if end < 0 || flags&flagStage != 0 {
		return nil, errIndex
	}
	e.Path = prefix + string(name[:end])
	used := len(data) - len(name) + end + 1
	if version < 4 {
		used = (used + indexAlignment - 1) / indexAlignment * indexAlignment
	}
	if used > len(data) {
		return nil, errIndex
	}
	return data[used:], nil
}

// indexNumber reads a number as packs have them, and returns how many bytes it took; 0: it is cut short.
func indexNumber(data []byte) (n, read int) {
	for read < len(data) && read < 4 {
		b := data[read]
		if read++; read > 1 {
			n++
		}
		if n = n<<7 | int(b&0x7f); b&0x80 == 0 {
			return n, read
		}
	}
	return 0, 0
}

// readExtensions reads what is behind the entries: of all that may be there only the tree.
func (x *indexFile) readExtensions(data []byte, size int) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errIndex
		}
		name, length := string(data[:4]), uint64(binary.BigEndian.Uint32(data[4:]))
		if length > uint64(len(data)-8) || name[0] < 'A' || name[0] > 'Z' { // Git must understand it.
			return errIndex
		}
		body := data[8 : 8+length]
		if data = data[8+length:]; name != "TREE" {
			continue
		}
		if _, root, _, ok := readCachedTree(body, size, 0); ok {
			x.tree = *root
		}
	}
	return nil
}

// readCachedTree reads what is noted of a directory: its name, the count of entries, -1 where that has changed, the
// count of directories inside, the tree, and these directories.
func readCachedTree(data []byte, size, depth int) (name string, t *cachedTree, rest []byte, ok bool) {
	head, rest, named := bytes.Cut(data, []byte{0})
	numbers, rest, counted := bytes.Cut(rest, []byte("\n"))
	entries, dirs, two := strings.Cut(string(numbers), " ")
	count, err := strconv.Atoi(entries)
	inside, wrong := strconv.Atoi(dirs)
	if !named || !counted || !two || err != nil || wrong != nil || depth > maxDepth {
		return "", nil, nil, false
	}
	t = &cachedTree{count: count, below: map[string]*cachedTree{}}
	if count >= 0 {
		if len(rest) < size {
			return "", nil, nil, false
		}
		t.id, rest = hex.EncodeToString(rest[:size]), rest[size:]
	}
	for range inside {
		var below string
		var u *cachedTree
		if below, u, rest, ok = readCachedTree(rest, size, depth+1); !ok {
			return "", nil, nil, false
		}
		t.below[below] = u
	}
	return string(head), t, rest, true
}

// IsIndexOf reports whether the index of the worktree has exactly the files of a tree: false also where only git can
// tell.
func (r Repository) IsIndexOf(tree string) bool {
	x, err := readIndex(r.Dir+"/index", formatOf(tree))
	return err == nil && x.tree.id == tree && x.tree.count == len(x.entries)
}
