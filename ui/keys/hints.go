package keys

// Hint is what a key does, in a word.
type Hint struct{ Keys, Words string }

// Hints returns what the keys of a place do, in their order. Neighbours with the same
// words are one hint, with a key of each. Skipped actions are left out; skip may be nil.
func (m Map) Hints(in Context, skip func(Action) bool) (hints []Hint) {
	for _, b := range m {
		if b.In&in == 0 || b.Hint == "" || skip != nil && skip(b.Action) {
			continue
		}
		key := b.Label
		if len(b.Keys) > 0 {
			key = Label(b.Keys[0])
		}
		if n := len(hints); n > 0 && hints[n-1].Words == b.Hint {
			hints[n-1].Keys += " " + key
			continue
		}
		hints = append(hints, Hint{key, b.Hint})
	}
	return hints
}

// JoinHints joins hints to a footer.
func JoinHints(hints []Hint) (line string) {
	for i, h := range hints {
		if i > 0 {
			line += "  "
		}
		line += h.Keys + " " + h.Words
	}
	return line
}
