package checks

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"ferrus/checks/git"
	"ferrus/ui/text"
)

// Mentions calls back with each of the words that a text file of a tree has, and its path. A word that is a part of a
// longer one does not count.
func (r Repo) Mentions(ctx context.Context, tree string, words []string, f func(path, word string)) error {
	if len(words) == 0 {
		return nil
	}
	return r.compareTrees(ctx, tree, tree, func(p *private) error {
		files, err := p.ownGit().Tree(ctx, tree)
		if err != nil {
			return err
		}
		files = slices.DeleteFunc(files, func(e git.TreeEntry) bool { return !isFileMode(e.Mode) })
		objects, err := p.ownGit().Objects(ctx)
		if err != nil {
			return err
		}
		defer objects.Close()
		ids := make([]string, len(files))
		for i, e := range files {
			ids[i] = e.ID
		}
		if err := objects.Ask(ids); err != nil {
			return err
		}
		set := newWordSet(words)
		var content textFile
		for _, e := range files {
			content.Reset()
			if err := objects.Read(&content, "blob", e.ID); err != nil {
				return err
			}
			for _, word := range set.find(content.Bytes()) {
				f(e.Path, word)
			}
		}
		return nil
	})
}

// textFile has what was written, unless it is what git takes for binary.
type textFile struct {
	bytes.Buffer
	binary bool
}

func (t *textFile) Reset() {
	t.Buffer.Reset()
	t.binary = false
}

func (t *textFile) Write(p []byte) (int, error) {
	const examined = 8000 // bytes in which git searches a NUL
	if rest := max(0, examined-t.Len()); bytes.IndexByte(p[:min(len(p), rest)], 0) >= 0 {
		t.Reset()
		t.binary = true
	}
	if t.binary {
		return len(p), nil
	}
	return t.Buffer.Write(p)
}

// wordSet finds many words in one pass over a text.
type wordSet struct {
	byStart map[string][]string // by the letters, digits and underscores that a word starts with, or its first byte
	lengths [256]uint64         // of these starts, by their first byte: a bit for each length, the last one for more
}

func newWordSet(words []string) *wordSet {
	s := &wordSet{byStart: map[string][]string{}}
	for _, word := range slices.Compact(slices.Sorted(slices.Values(words))) {
		if word == "" {
			continue
		}
		start := startOf([]byte(word))
		s.byStart[string(start)] = append(s.byStart[string(start)], word)
		s.lengths[start[0]] |= lengthBit(start)
	}
	return s
}

func lengthBit(start []byte) uint64 { return 1 << min(len(start), 63) }

// startOf returns the letters, digits and underscores that a text starts with, or its first byte.
func startOf(file []byte) []byte {
	end := 0
	for end < len(file) && text.IsWordByte[file[end]] {
		end++
	}
	return file[:max(end, 1)]
}

// find returns the words that a text has, each once, in their order.
func (s *wordSet) find(file []byte) []string {
	var found map[string]bool
	inside := false // a word that has not ended
	for i := 0; i < len(file); {
		start := startOf(file[i:])
		if !inside && s.lengths[start[0]]&lengthBit(start) != 0 {
			for _, word := range s.byStart[string(start)] {
				end := i + len(word)
				if bytes.HasPrefix(file[i:], []byte(word)) && (end == len(file) || !text.IsWordByte[file[end]]) {
					if found == nil {
						found = map[string]bool{}
					}
					found[word] = true
				}
			}
		}
		inside = text.IsWordByte[start[0]]
		i += len(start)
	}
	return slices.Sorted(maps.Keys(found))
}
