package agent

import (
	"cmp"
	"strings"

	"ferrus/agent/acp"
)

// protocolRenderer renders the events of [acp.Run].
type protocolRenderer struct {
	transcriptWriter
	sessionFailure
	log     func(line string) (text string, known bool) // what a line of the program's log says; nil: itself
	failed  func(message string) (string, bool)         // why a turn failed whose last message says so; nil: none does
	message string                                      // being said
	final   string
	used    Usage
}

// newProtocolRenderer returns the renderer for the events of a built-in agent, or of another.
func newProtocolRenderer(name string) *protocolRenderer {
	r := &protocolRenderer{}
	if d, ok := adapters[name].(limitDetector); ok {
		r.patterns = d.limitPatterns()
	}
	if d, ok := adapters[name].(logReader); ok {
		r.log = d.readLog
	}
	if d, ok := adapters[name].(failureReader); ok {
		r.failed = d.failureIn
	}
	return r
}

// failureReader is an adapter whose program says in its last message that a turn failed, and ends it as one that went
// well.
type failureReader interface {
	failureIn(message string) (why string, failed bool)
}

// logReader is an adapter that knows what its program logs: text is what to show, which may be
// nothing.
type logReader interface {
	readLog(line string) (text string, known bool)
}

func (p *protocolRenderer) Render(line []byte) []byte {
	var e acp.Event
	if parseObject(&p.transcriptWriter, line, &e) {
		p.event(e)
	}
	return p.flush()
}

// Close writes what was said last. A stream without its last event was cut off.
func (p *protocolRenderer) Close() []byte {
	p.endMessage()
	return p.close()
}

// Final returns the last message.
func (p *protocolRenderer) Final() string { return p.final }

// Usage returns the usage of the turn.
func (p *protocolRenderer) Usage() Usage { return p.used }

// maxFinal bounds a message in bytes.
const maxFinal = 256 << 10

func (p *protocolRenderer) event(e acp.Event) {
	if e.Kind == acp.KindText {
		p.busy = true
		p.say("", e.Text)
		if len(p.message) < maxFinal {
			p.message += e.Text
		}
		return
	}
	switch e.Kind {
	case acp.KindSession:
		p.busy = true
		p.say(faint, "session "+e.ID+"  "+e.Title)
	case acp.KindThought:
		p.say(faint, oneLine(e.Text, maxDetailCells))
	case acp.KindCall:
		p.endMessage()
		p.startCall(call{e.ID, e.Title, withoutTitle(e)})
	case acp.KindResult:
		p.result(e)
	case acp.KindDiff:
		p.diff(e)
	case acp.KindPlan:
		p.plan(e.Plan)
	case acp.KindPermission:
		if e.Status != "allowed" {
			p.say(yellow, "refused: "+oneLine(e.Title, maxDetailCells)+reason(e.Text))
		}
	case acp.KindUsage:
		if e.Usage != nil { // the line may not be ferrus's
			p.usage(*e.Usage)
		}
	case acp.KindNote:
		p.note(e.Text)
	case acp.KindEnd:
		p.end(e)
	}
}

// withoutTitle returns what a call is about, unless its title says so.
func withoutTitle(e acp.Event) string {
	if strings.Contains(e.Title, e.Text) {
		return ""
	}
	return e.Text
}

func reason(text string) string {
	if text == "" {
		return ""
	}
	return ": " + oneLine(text, maxDetailCells)
}

// endMessage ends a message.
func (p *protocolRenderer) endMessage() {
	if p.message != "" {
		p.final, p.message = p.message, ""
	}
}

func (p *protocolRenderer) result(e acp.Event) {
	c := call{id: e.ID, name: e.Title}
	if e.Status == "completed" {
		p.endCall(c, "", toolStatus(e.Text))
		return
	}
	fault := cmp.Or(e.Text, "no reason given")
	p.endCall(c, fault, "")
}

// diff shows a changed file.
func (p *protocolRenderer) diff(e acp.Event) {
	p.say(bold, oneLine(e.Title, maxDetailCells))
	for line := range strings.Lines(e.Text) {
		color := green
		if line[0] == '-' {
			color = red
		}
		p.say(color, "  "+oneLine(line, maxDetailCells))
	}
}

// plan shows the steps of a plan.
func (p *protocolRenderer) plan(steps []acp.PlanEntry) {
	p.say(bold, "plan")
	for _, step := range steps {
		mark, color := "· ", ""
		switch step.Status {
		case "in_progress":
			mark, color = "▸ ", yellow
		case "completed":
			mark, color = "✓ ", green
		}
		p.say(color, "  "+mark+oneLine(step.Content, maxDetailCells))
	}
}

// usage notes what was used: the tokens of the newest report, and the newest cost.
func (p *protocolRenderer) usage(u acp.Usage) {
	if u.Cost != nil {
		p.used.Cost, p.used.Priced = min(max(*u.Cost, 0), maxUsage), true
		return
	}
	cost, priced := p.used.Cost, p.used.Priced
	p.used = Usage{Cost: cost, Priced: priced}
	p.used.add(u.Input, u.Cached, u.Output)
}

// note shows a line of the program's log.
func (p *protocolRenderer) note(line string) {
	if p.log != nil {
		if text, known := p.log(line); known {
			p.say(yellow, text)
			return
		}
	}
	p.say(faint, oneLine(line, maxFaultCells))
}

func (p *protocolRenderer) end(e acp.Event) {
	if p.failed != nil && e.Text == "" {
		e.Text, _ = p.failed(p.message)
	}
	p.endMessage()
	for len(p.calls) > 0 {
		p.endCall(p.calls[0], "no outcome", "")
	}
	p.busy = false
	switch {
	case e.Status == "cancelled":
		p.say(yellow, e.Text)
	case e.Text != "":
		why := strings.TrimPrefix(e.Text, "Internal error: ")
		p.sessionFailure.message = withStatus(statusIn(why), why)
		p.say(red, "the session failed: "+p.sessionFailure.message)
	}
	if p.used.Known {
		p.say(faint, formatTokens(p.used.Input, p.used.Cached, p.used.Output))
	}
}

// RendererOf returns a new renderer by the name that a launch gives it: of an agent, or of the
// events of a protocol; nil: none is known.
func RendererOf(name string) Renderer {
	if rest, ok := strings.CutPrefix(name, protocolStream); ok {
		return newProtocolRenderer(rest)
	}
	if a, ok := adapters[name]; ok {
		return a.Renderer()
	}
	return nil
}
