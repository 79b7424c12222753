package acp

import (
	"encoding/json"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// The kinds of events.
const (
	KindSession    = "session"    // ID; Title is the agent, Text the model that was asked for
	KindText       = "text"       // Text is a part of a message, with its line ends
	KindThought    = "thought"    // the same
	KindCall       = "call"       // of ID: Title, and Text is what it is about
	KindResult     = "result"     // of ID: Status is completed or failed, Text what came back
	KindDiff       = "diff"       // Title is the path, Text lines that begin with + or -
	KindPlan       = "plan"       // Plan
	KindPermission = "permission" // Title is what is asked for, Status the answer, Text the reason
	KindUsage      = "usage"      // Usage of the session so far
	KindNote       = "note"       // Text is a line for a log
	KindEnd        = "end"        // Status is the reason of the protocol; Text is not empty after an error
)

// Event is something that happened. Its texts are bounded; what they contain was chosen by
// the agent.
type Event struct {
	Kind   string      `json:"acp"`
	ID     string      `json:"id,omitempty"`
	Title  string      `json:"title,omitempty"`
	Text   string      `json:"text,omitempty"`
	Status string      `json:"status,omitempty"`
	Plan   []PlanEntry `json:"plan,omitempty"`
	Usage  *Usage      `json:"usage,omitempty"`
}

// Usage is what a turn used. Input has the cached tokens in it.
type Usage struct {
	Input  int      `json:"input"`
	Cached int      `json:"cached"`
	Output int      `json:"output"`
	Cost   *float64 `json:"cost,omitempty"` // of the conversation, in US dollars; nil: not known
}

// events writes events, each as one line in one write. Texts that come in small pieces are
// joined until a line ends or something else happens.
type events struct {
	mu    sync.Mutex // guards the rest
	out   io.Writer
	kind  string // of the text that is held back
	piece strings.Builder
}

func (e *events) emit(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.release()
	e.write(event)
}

// note shows a line for a log. It comes from another stream and does not divide a text that is held back.
func (e *events) note(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write(Event{Kind: KindNote, Text: line})
}

// flush writes the text that is held back.
func (e *events) flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.release()
}

// stream adds to a text.
func (e *events) stream(kind, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if kind != e.kind {
		e.release()
	}
	e.kind = kind
	for {
		at := strings.LastIndexByte(text, '\n') + 1
		room := maxText - e.piece.Len()
		if at == 0 && len(text) <= room {
			e.piece.WriteString(text)
			return
		}
		if at == 0 || at > room {
			at = validCut(text, max(min(room, len(text)), 1))
		}
		e.piece.WriteString(text[:at])
		e.release()
		e.kind, text = kind, text[at:]
	}
}

// validCut returns where a text can be cut so that no rune is split, near at and above 0.
func validCut(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// release writes the text that is held back; the lock is held.
func (e *events) release() {
	if e.piece.Len() > 0 {
		e.write(Event{Kind: e.kind, Text: e.piece.String()})
		e.piece.Reset()
	}
}

// write bounds and writes an event; the lock is held.
func (e *events) write(event Event) {
	for _, text := range []*string{&event.ID, &event.Title, &event.Text, &event.Status} {
		*text = clip(*text, maxText)
	}
	event.Plan = event.Plan[:min(len(event.Plan), maxSteps)]
	for i := range event.Plan {
		event.Plan[i] = PlanEntry{clip(event.Plan[i].Content, maxStep), clip(event.Plan[i].Status, maxStep)}
	}
	line, err := json.Marshal(event)
	if err != nil {
		panic(err) // texts and finite numbers only
	}
	_, _ = e.out.Write(append(line, '\n')) // without a reader the session is over
}

// The bounds of a plan: steps, and bytes of one.
const (
	maxSteps = 100
	maxStep  = 400
)

// clip cuts a text.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + " ..."
}
