package agent

func newStream() Renderer { return nil }
func newThread() Renderer { return nil }
