package journal

import (
	"maps"
	"slices"
	"sync"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// cacheBytes bounds the texts in the cache; the newest is kept whatever its size.
const cacheBytes = 8 << 20

// Cache keeps texts that events wrote: the store has only the newest of each name, while
// an entry of the journal may be opened later. The zero value is ready to use. Its methods
// may be called from any goroutine.
type Cache struct {
	mu    sync.Mutex
	texts map[string]string // by file; guarded by mu
	order []string          // of the files, oldest first; guarded by mu
	size  int               // guarded by mu
}

// lookup returns the text that a file had; false: the cache does not have it.
func (k *Cache) lookup(file string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, ok := k.texts[file]
	return text, ok
}

func (k *Cache) put(file, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.texts == nil {
		k.texts = map[string]string{}
	}
	k.texts[file] = text
	k.order, k.size = append(k.order, file), k.size+len(text)
	for k.size > cacheBytes && len(k.order) > 1 {
		k.size -= len(k.texts[k.order[0]])
		delete(k.texts, k.order[0])
		k.order = k.order[1:]
	}
}

// Add reads the texts that a state names into the cache.
func (k *Cache) Add(from *project.Task, state store.State[core.World]) {
	for _, name := range slices.Sorted(maps.Keys(state.Docs)) {
		file := state.Docs[name].File
		if _, known := k.lookup(file); known {
			continue
		}
		if text, err := from.Store.ReadText(state, name); err == nil { // an error is shown where the text is needed
			k.put(file, text)
		}
	}
}
