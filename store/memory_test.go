package store

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
)

// memory is a disk that loses what was not synced. It counts the changes that it is asked for, and
// stops before one of them.
type memory struct {
	top     *node // the project; .ferrus is in it
	pending []change
	n       int
	at      int // the step that fails, from 1
	sticky  bool
	fail    error                      // the step returns this; nil: the process dies before it
	ignore  func(op, name string) bool // syncs that do nothing, for the tests of the test
	turn    int                        // which of what is done together comes first
	boots   int                        // how often the power was lost
	swap    bool                       // texts are written after the state that names them, for the same
}

// node is a file or a directory.
type node struct {
	dir           bool
	live, durable map[string]*node // of a directory
	data, synced  []byte           // of a file
	unsynced      []edit
}

// edit is one change of a file's content.
type edit struct {
	offset int
	data   []byte
	cut    bool // to offset
}

// change is one change of directories; a rename is one, as file systems have it.
type change struct {
	dir, from  *node // from: of a rename, the directory it left
	name, left string
	target     *node // nil: removed
}

// died is the value that a stopped process panics with.
type died struct{}

func (m *memory) boot() string { return strconv.Itoa(m.boots) }

func newMemory() *memory { return &memory{top: newFolder(), at: -1} }

func newFolder() *node {
	return &node{dir: true, live: map[string]*node{}, durable: map[string]*node{}}
}

func (m *memory) step() error {
	m.n++
	if m.n != m.at && (!m.sticky || m.n < m.at) || m.at < 0 {
		return nil
	}
	if m.fail != nil {
		return m.fail
	}
	panic(died{})
}

func (e edit) apply(data []byte) []byte {
	if e.cut {
		return slices.Clone(data[:min(e.offset, len(data))])
	}
	if grow := e.offset + len(e.data) - len(data); grow > 0 {
		data = append(slices.Clone(data), make([]byte, grow)...)
	} else {
		data = slices.Clone(data)
	}
	copy(data[e.offset:], e.data)
	return data
}

func (c change) apply(entries func(*node) map[string]*node) {
	if c.from != nil {
		delete(entries(c.from), c.left)
	}
	if c.target == nil {
		delete(entries(c.dir), c.name)
	} else {
		entries(c.dir)[c.name] = c.target
	}
}

func (m *memory) do(c change) {
	c.apply(func(n *node) map[string]*node { return n.live })
	m.pending = append(m.pending, c)
}

// lose returns a disk after a power failure: what was synced, and a random part of the rest.
func (m *memory) lose(rng *rand.Rand) *memory {
	next := m.clone()
	next.boots++
	keep := rng.Float64() // also all and nothing, nearly
	if rng.IntN(4) == 0 {
		keep = float64(rng.IntN(2))
	}
	type entry struct {
		dir  *node
		name string
	}
	late := map[entry]bool{} // what happens to one entry happens in order
	for _, c := range next.pending {
		at, from := entry{c.dir, c.name}, entry{c.from, c.left}
		if late[at] || late[from] || rng.Float64() >= keep {
			late[at] = true
			late[from] = c.from != nil
			continue
		}
		c.apply(func(n *node) map[string]*node { return n.durable })
	}
	next.pending = nil
	next.top.lose(rng, keep, map[*node]bool{})
	return next
}

func (n *node) lose(rng *rand.Rand, keep float64, seen map[*node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if n.dir {
		n.live = maps.Clone(n.durable)
		for _, name := range slices.Sorted(maps.Keys(n.live)) {
			n.live[name].lose(rng, keep, seen)
		}
		return
	}
	data := n.synced
	for _, e := range n.unsynced {
		if rng.Float64() >= keep {
			if !e.cut { // a part of it, or a hole where it was
				e.data = slices.Clone(e.data[:rng.IntN(len(e.data)+1)])
				if rng.IntN(3) == 0 && len(e.data) > 0 {
					clear(e.data[:rng.IntN(len(e.data))])
				}
				data = e.apply(data)
			}
			break
		}
		data = e.apply(data)
	}
	n.data, n.synced, n.unsynced = slices.Clone(data), slices.Clone(data), nil
}

// clone returns the same disk, as another process finds it when the first is killed.
func (m *memory) clone() *memory {
	copies := map[*node]*node{}
	next := &memory{at: -1, top: m.top.clone(copies), ignore: m.ignore, swap: m.swap, boots: m.boots}
	for _, c := range m.pending {
		c.dir, c.from, c.target = c.dir.clone(copies), c.from.clone(copies), c.target.clone(copies)
		next.pending = append(next.pending, c)
	}
	return next
}

func (n *node) clone(copies map[*node]*node) *node {
	if n == nil {
		return nil
	}
	if c := copies[n]; c != nil {
		return c
	}
	c := &node{dir: n.dir, data: slices.Clone(n.data), synced: slices.Clone(n.synced),
		unsynced: slices.Clone(n.unsynced)}
	copies[n] = c
	if n.dir {
		c.live, c.durable = map[string]*node{}, map[string]*node{}
		for name, child := range n.live {
			c.live[name] = child.clone(copies)
		}
		for name, child := range n.durable {
			c.durable[name] = child.clone(copies)
		}
	}
	return c
}

func (m *memory) create() (folder, error) {
	if m.top.live[".ferrus"] == nil {
		if err := m.step(); err != nil {
			return nil, err
		}
		m.do(change{dir: m.top, name: ".ferrus", target: newFolder()})
	}
	if err := m.syncNode(m.top, "project", ".."); err != nil {
		return nil, err
	}
	return m.open()
}

func (m *memory) open() (folder, error) {
	if m.top.live[".ferrus"] == nil {
		return nil, fs.ErrNotExist
	}
	f := memoryFolder{m, m.top.live[".ferrus"]}
	if m.swap {
		return &swapped{memoryFolder: f}, nil
	}
	return f, nil
}

func (m *memory) syncNode(dir *node, op, name string) error {
	if err := m.step(); err != nil {
		return err
	}
	if m.ignore != nil && m.ignore(op, name) {
		return nil
	}
	m.pending = slices.DeleteFunc(m.pending, func(c change) bool {
		here := c.dir == dir || c.from == dir
		if here {
			c.apply(func(n *node) map[string]*node { return n.durable })
		}
		return here
	})
	return nil
}
