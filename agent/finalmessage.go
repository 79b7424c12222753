package agent

// FinalReporter is a [Renderer] of a stream that marks messages. Final returns the last one,
// in full, after the session has ended; empty if there was none.
type FinalReporter interface{ Final() string }

// Final returns the result at the end of the stream or, without one, the last message.
func (s *streamRenderer) Final() string {
	if s.final != "" {
		return s.final
	}
	return s.last
}

// final returns the last message that the renderer has read, if it reports one.
func (s *lineSplitter) final() *string {
	f, ok := s.renderer.(FinalReporter)
	if !ok {
		return nil
	}
	message := f.Final()
	return &message
}
