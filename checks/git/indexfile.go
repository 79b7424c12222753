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
var errIndex = errors.New("only git can read this index")

// indexFile is a parsed .git/index; one that is split or sparse is not parsed: [errIndex].
// https://git-scm.com/docs/index-format
type indexFile struct {
	entries []TreeEntry
	cached  []byte // the extension in which git notes the trees that they make; empty: there is none
	size    int    // bytes of a name of an object

	data []byte // the whole file
	at   []int  // where each entry is in it
	end  int    // of the entries in it
}

// cachedTree is what an index has noted of a directory.
type cachedTree struct {
	id    string // of the tree; empty: an entry below it has changed since
	count int    // of the entries below it
	dirs  int    // directories inside
	below map[string]*cachedTree
}

// of returns the tree of so many entries; empty: it is not known.
func (t *cachedTree) of(entries int) string {
	if t == nil || t.count != entries {
		return ""
	}
	return t.id
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
	x.data, x.size, x.entries, x.at = data, size, make([]TreeEntry, count), make([]int, count)
	for i := range x.entries {
		x.at[i] = len(data) - size - len(rest)
		if rest, err = readIndexEntry(rest, &x.entries[i], last, version, size); err != nil {
			return x, err
		}
		last = x.entries[i].Path
	}
	x.end = len(data) - size - len(rest)
	return x, x.readExtensions(rest)
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
func (x *indexFile) readExtensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errIndex
		}
		name, length := string(data[:4]), uint64(binary.BigEndian.Uint32(data[4:]))
		if length > uint64(len(data)-8) || name[0] < 'A' || name[0] > 'Z' { // Git must understand it.
			return errIndex
		}
		body := data[8 : 8+length]
		if data = data[8+length:]; name == "TREE" {
			x.cached = body
		}
	}
	return nil
}

// readCachedTree reads what is noted of a directory, and returns it with its name, or nil.
func readCachedTree(data []byte, size, depth int) (name string, t *cachedTree, rest []byte) {
	if name, t, rest = readCachedDirectory(data, size); t == nil || depth > maxDepth {
		return "", nil, nil
	}
	if t.dirs > 0 {
		t.below = map[string]*cachedTree{}
	}
	for range t.dirs {
		inside, u, more := readCachedTree(rest, size, depth+1)
		if u == nil {
			return "", nil, nil
		}
		t.below[inside], rest = u, more
	}
	return name, t, rest
}

// readCachedDirectory reads what is noted of a directory without those inside: its name, the count of entries, -1 where
// one has changed, the count of directories inside, and the tree.
func readCachedDirectory(data []byte, size int) (name string, t *cachedTree, rest []byte) {
	head, rest, named := bytes.Cut(data, []byte{0})
	numbers, rest, counted := bytes.Cut(rest, []byte("\n"))
	entries, dirs, two := strings.Cut(string(numbers), " ")
	count, err := strconv.Atoi(entries)
	inside, wrong := strconv.Atoi(dirs)
	if !named || !counted || !two || err != nil || wrong != nil {
		return "", nil, nil
	}
	t = &cachedTree{count: count, dirs: inside}
	if count >= 0 {
		if len(rest) < size {
			return "", nil, nil
		}
		t.id, rest = hex.EncodeToString(rest[:size]), rest[size:]
	}
	return string(head), t, rest
}

// trees returns what is noted of all directories; nil: nothing.
func (x indexFile) trees() *cachedTree {
	_, root, _ := readCachedTree(x.cached, x.size, 0)
	return root
}

// tree returns the tree of all entries; empty: git has not noted it.
func (x indexFile) tree() string {
	_, root, _ := readCachedDirectory(x.cached, x.size)
	return root.of(len(x.entries))
}

// IsIndexOf reports whether the index of the worktree has exactly the files of a tree: false also where only git can
// tell.
func (r Repository) IsIndexOf(tree string) bool {
	x, err := readIndex(r.Dir+"/index", formatOf(tree))
	return err == nil && x.tree() == tree
}
