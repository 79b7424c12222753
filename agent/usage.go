package agent

// Usage is the usage of a session, as its client reported it. What was not reported is
// unknown, not zero.
type Usage struct {
	Input  int     `json:"input"`  // tokens read, with Cached
	Cached int     `json:"cached"` // part of Input that came from a cache
	Output int     `json:"output"`
	Cost   float64 `json:"cost"`             // in US dollars
	Known  bool    `json:"known"`            // the tokens were reported
	Priced bool    `json:"priced,omitempty"` // the cost was
}

// UsageReporter is a [Renderer] of a stream that ends with the usage. If the stream ends
// early, the usage is what its messages said, or unknown.
type UsageReporter interface{ Usage() Usage }

// ReportsUsage reports whether the headless sessions of a built-in agent report their tokens
// and their cost. A session on the agent's own screen reports nothing.
func ReportsUsage(name string) (tokens, cost bool) {
	if r, ok := adapters[name].(usageAdapter); ok {
		return r.reportsUsage()
	}
	return false, false
}

// usageAdapter is an adapter whose renderer is a [UsageReporter].
type usageAdapter interface{ reportsUsage() (tokens, cost bool) }

// Usage returns the usage in the last result, which covers the whole session.
func (s *streamRenderer) Usage() Usage {
	if !s.used.Known && !s.used.Priced {
		return s.seen.sum()
	}
	return s.used
}

// maxUsage limits what a stream may report.
const maxUsage = 1 << 40

// sumTokens returns a sum within 0 and maxUsage, whatever the stream says.
func sumTokens(counts ...int) (sum int) {
	for _, n := range counts {
		sum = min(sum+min(max(n, 0), maxUsage), maxUsage)
	}
	return sum
}

// add adds the tokens of a turn. The cached ones are part of input.
func (u *Usage) add(input, cached, output int) {
	u.Known = true
	u.Input = sumTokens(u.Input, input)
	u.Cached = sumTokens(u.Cached, cached)
	u.Output = sumTokens(u.Output, output)
}

// usage returns the usage in a result.
func (r streamResult) usage() Usage {
	var used Usage
	if u := r.Usage; u != nil {
		used = u.usage()
	}
	if r.Cost != nil {
		used.Cost, used.Priced = min(max(*r.Cost, 0), maxUsage), true
	}
	return used
}

func (u streamUsage) usage() (used Usage) {
	used.add(sumTokens(u.In, u.Created, u.Read), u.Read, u.Out)
	if u.Total > 0 { // with a total, the cached tokens are part of the input
		used.Input = sumTokens(u.Total - used.Output)
	}
	return used
}

// seenUsage adds up the usage of single messages, for a session that is killed before its
// result. A message arrives in parts, and each part repeats the message's usage.
type seenUsage struct {
	id           string
	before, last Usage // of the messages before, and of this one
}

func (s *seenUsage) note(id string, u *streamUsage) {
	if u == nil {
		return
	}
	if id != s.id || id == "" {
		s.before, s.id = s.sum(), id
	}
	s.last = u.usage()
}

// sum returns the usage of all messages.
func (s *seenUsage) sum() Usage {
	sum := s.before
	if s.last.Known {
		sum.add(s.last.Input, s.last.Cached, s.last.Output)
	}
	return sum
}

// usage returns the usage that the renderer has read, if it reports one.
func (s *lineSplitter) usage() Usage {
	if m, ok := s.renderer.(UsageReporter); ok {
		return m.Usage()
	}
	return Usage{}
}
