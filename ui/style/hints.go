package style

// Hints returns keys with their words behind a beginning, in at most w cells. The last
// key leads out, and stays longest where there is no room for all.
func (t *Theme) Hints(w int, before Spans, keys ...[2]string) Spans {
	for {
		hints := before[:len(before):len(before)]
		for _, k := range keys {
			hints = append(hints, Span{"   " + k[0], ""}, Span{" " + k[1], t.Faint})
		}
		if hints.Width() <= w || len(keys) < 2 {
			return hints
		}
		keys = keys[1:]
	}
}
