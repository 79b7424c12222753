package agent

// Usage is what a session used, as its client reported it. What was not reported
// is not known, which is not nothing.
type Usage struct {
	Input  int     `json:"input"`  // tokens read, with Cached
	Cached int     `json:"cached"` // of Input, those that came from a cache
	Output int     `json:"output"`
	Cost   float64 `json:"cost"`             // in US dollars
	Known  bool    `json:"known"`            // the tokens were reported
	Priced bool    `json:"priced,omitempty"` // the cost was
}

// UsageReporter is a [Renderer] of a stream that ends with what was used. A stream that
// was cut short before that leaves it unknown.
type UsageReporter interface{ Usage() Usage }

// ReportsUsage says whether the headless sessions of a built-in agent report the
// tokens they used, and what they cost. A session on the agent's own screen
// reports nothing.
func ReportsUsage(name string) (tokens, cost bool) {
	if r, ok := vendors[name].(reporter); ok {
		return r.reports()
	}
	return false, false
}

// reporter is an adapter whose renderer is a Meter.
type reporter interface{ reports() (tokens, cost bool) }

// Usage is that of the newest result, which tells of the whole session.
func (s *stream) Usage() Usage { return s.used }

// Usage is that of all turns.
func (t *thread) Usage() Usage { return t.used }

// plausible bounds what a stream says: nobody has used more than that.
const plausible = 1 << 40

func amount(n int) int { return min(max(n, 0), plausible) }

// usage is what a result says was used.
func (r streamResult) usage() Usage {
	var used Usage
	if u := r.Usage; u != nil {
		used.Input, used.Cached, used.Output = amount(u.In)+amount(u.Created)+amount(u.Read), amount(u.Read), amount(u.Out)
		if u.Total > 0 { // where there is a sum, what is cached is a part of what was read
			used.Input = amount(u.Total - used.Output)
		}
		used.Known = true
	}
	if r.Cost != nil {
		used.Cost, used.Priced = min(max(*r.Cost, 0), plausible), true
	}
	return used
}

// usage is what the renderer in front of the screen has read, if it is a Meter.
func (s *lineSplitter) usage() Usage {
	if m, ok := s.renderer.(UsageReporter); ok {
		return m.Usage()
	}
	return Usage{}
}
