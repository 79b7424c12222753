package conductor

import (
	"maps"
	"slices"
	"sync"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// textCacheBytes bounds the texts that are remembered.
const textCacheBytes = 8 << 20

// textCache remembers texts that events wrote: the store keeps only the newest of a
// name, and an entry of the journal is opened later. The zero value works, and its
// methods may be called from anywhere.
type textCache struct {
	mu    sync.Mutex
	texts map[string]string // by file; guarded by mu
	order []string          // of the files, oldest first; guarded by mu
	size  int               // guarded by mu
}

// lookup returns what a file had.
func (k *textCache) lookup(file string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, ok := k.texts[file]
	return text, ok
}

func (k *textCache) put(file, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.texts == nil {
		k.texts = map[string]string{}
	}
	k.texts[file] = text
	k.order, k.size = append(k.order, file), k.size+len(text)
	for k.size > textCacheBytes && len(k.order) > 1 {
		k.size -= len(k.texts[k.order[0]])
		delete(k.texts, k.order[0])
		k.order = k.order[1:]
	}
}

// add remembers the texts that a state names.
func (k *textCache) add(from *project.Project, state store.State[core.World]) {
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
