package conductor

import (
	"maps"
	"slices"
	"sync"

	"ferrus/hq/core"
	"ferrus/store"
)

// keptBytes bounds the texts that are remembered.
const keptBytes = 8 << 20

// kept remembers texts that events wrote: the store keeps only the newest of a
// name, and a story is told later. The zero value works.
type kept struct {
	mu    sync.Mutex
	texts map[string]string // by file; guarded by mu
	order []string          // of the files, oldest first; guarded by mu
	size  int               // guarded by mu
}

// text is what a file had.
func (k *kept) text(file string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, ok := k.texts[file]
	return text, ok
}

func (k *kept) put(file, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.texts == nil {
		k.texts = map[string]string{}
	}
	k.texts[file] = text
	k.order, k.size = append(k.order, file), k.size+len(text)
	for k.size > keptBytes && len(k.order) > 1 {
		k.size -= len(k.texts[k.order[0]])
		delete(k.texts, k.order[0])
		k.order = k.order[1:]
	}
}

// keepTexts remembers the texts that the state has now.
func (c *Conductor) keepTexts(state store.State[core.World]) {
	for _, name := range slices.Sorted(maps.Keys(state.Docs)) {
		file := state.Docs[name].File
		if _, known := c.kept.text(file); known {
			continue
		}
		if text, err := c.project.Store.Text(state, name); err == nil { // an error is told where the text is needed
			c.kept.put(file, text)
		}
	}
}
