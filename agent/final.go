package agent

// Finisher is a [Renderer] of a stream that marks what the agent said last. Final
// is that message, whole, once the session is over; empty when there was none.
type Finisher interface{ Final() string }

// Final is the result that the stream ends with. A client that ended without one
// is taken by its last word.
func (s *stream) Final() string {
	if s.final != "" {
		return s.final
	}
	return s.last
}

// Final is the last message of the thread.
func (t *thread) Final() string { return t.final }

// final is the last message that the renderer in front of the screen has read, if
// it is a Finisher.
func (s *lineSplitter) final() *string {
	f, ok := s.renderer.(Finisher)
	if !ok {
		return nil
	}
	said := f.Final()
	return &said
}
