package core

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Permissions are what sessions asked the human to permit, and the answers. They belong to
// the task: the next one begins without.
type Permissions struct {
	// The oldest first. Each belongs to a session that waits for its answer.
	Open []PermissionRequest `json:"open,omitempty"`
	// The oldest first. Remembered answers count for equal requests of the task.
	Answered []PermissionAnswer `json:"answered,omitempty"`
	Asked    int                `json:"asked"` // so far, with the withdrawn ones
}

// PermissionRequest is one thing that a session's program asks for before it does it. Its
// texts are an agent's, and bounded.
type PermissionRequest struct {
	// The seq of its event, so no two requests of a project have the same.
	Number  uint64 `json:"number"`
	Session string `json:"session,omitempty"` // empty: it was answered
	Slot    Slot   `json:"slot,omitempty"`
	By      string `json:"by"` // executor:codex:1
	Wanted
	At time.Time `json:"at"`
}

// Wanted is what a request is for.
type Wanted struct {
	Kind   PermissionKind `json:"kind"`
	What   string         `json:"what"`             // a command, a path, a host, or a tool with its arguments
	Dir    string         `json:"dir,omitempty"`    // where a command runs; empty: in the workspace
	Detail string         `json:"detail,omitempty"` // in the agent's words; empty: it gave none
	Long   bool           `json:"long,omitempty"`   // What has only the ends; [WholeRequests] have all of it
	// Requests with the same key ask for the same: it is made of the whole text.
	Key string `json:"key"`
	// Call is the client's name of the call that asks; one that is asked for again is not
	// asked twice. Empty: the client has no names.
	Call string `json:"call,omitempty"`
}

// PermissionKind is what sort of thing is asked for.
type PermissionKind string

// The kinds of requests.
const (
	PermitCommand PermissionKind = "command"
	PermitRead    PermissionKind = "read"  // of a path
	PermitWrite   PermissionKind = "write" // of a path: to make, change, move or remove it
	PermitHost    PermissionKind = "host"
	PermitTool    PermissionKind = "tool"
	PermitOther   PermissionKind = "other"
)

// verbs say what a session wants to do.
var verbs = map[PermissionKind]string{
	PermitCommand: "run: ", PermitRead: "read ", PermitWrite: "write ", PermitHost: "reach ",
	PermitTool: "use the tool ", PermitOther: "",
}

// String says what is wanted, as it follows "wants to".
func (w Wanted) String() string {
	if w.Kind == PermitOther {
		return "do what it calls " + w.What
	}
	if w.Dir != "" && w.Kind == PermitCommand {
		return "run in " + w.Dir + ": " + w.What
	}
	return verbs[w.Kind] + w.What
}

// PermissionAnswer is a request with its answer.
type PermissionAnswer struct {
	PermissionRequest
	Answer Permission `json:"answer"`
	Who    string     `json:"who,omitempty"`  // answered, as in the journal
	Note   string     `json:"note,omitempty"` // for the agent
}

// Permission is the human's answer to a request.
type Permission string

// The answers.
const (
	PermitOnce  Permission = "once"
	PermitTask  Permission = "task"  // for equal requests of this task as well
	PermitNever Permission = "never" // not for this task, whose agents do not ask again
)

// PermissionAnswers are what can be answered, in the order of the help.
var PermissionAnswers = []string{string(PermitOnce), string(PermitTask), string(PermitNever)}

// Words say what the answer means.
func (p Permission) Words() string {
	switch p {
	case PermitOnce:
		return "allowed once"
	case PermitTask:
		return "allowed for this task"
	case PermitNever:
		return "refused for this task"
	}
	return "not answered"
}

// Allows reports whether the answer permits what was asked for.
func (p Permission) Allows() bool { return p == PermitOnce || p == PermitTask }

// The bounds of what is kept: requests that wait for an answer, answers, and requests of a
// task altogether. A request beyond one is refused, so an agent cannot fill the inbox or the
// disk.
const (
	maxOpenPermissions     = 16
	maxAnsweredPermissions = 100
	MaxAskedPermissions    = 1000
	maxWanted              = 2000 // bytes of a text
)

// OpenPermissions returns the requests that wait for an answer, the oldest first.
func (w World) OpenPermissions() []PermissionRequest {
	if w.Permissions == nil {
		return nil
	}
	return w.Permissions.Open
}

// AnsweredPermissions returns the requests of the task that were answered, the oldest first.
func (w World) AnsweredPermissions() []PermissionAnswer {
	if w.Permissions == nil {
		return nil
	}
	return w.Permissions.Answered
}

// AsksPermission reports whether a session waits for an answer to a request.
func (w World) AsksPermission(session string) bool {
	return slices.ContainsFunc(w.OpenPermissions(), func(r PermissionRequest) bool { return r.Session == session })
}

// WantedBy returns what a request wants, whether it was answered or not.
func (w World) WantedBy(number uint64) (wanted Wanted, found bool) {
	for _, r := range w.OpenPermissions() {
		if r.Number == number {
			return r.Wanted, true
		}
	}
	answered, _ := w.PermissionOf(number)
	return answered.Wanted, answered.Number == number && number != 0
}

// PermissionOf returns the answer to a request; without one, open says that it still waits.
func (w World) PermissionOf(number uint64) (answer PermissionAnswer, open bool) {
	for _, r := range w.OpenPermissions() {
		open = open || r.Number == number
	}
	for _, a := range w.AnsweredPermissions() {
		if a.Number == number {
			return a, false
		}
	}
	return answer, open
}

// remembered returns the answer that counts for every request with a key.
func (p *Permissions) remembered(key string) (PermissionAnswer, bool) {
	at := slices.IndexFunc(p.Answered, func(a PermissionAnswer) bool { return a.Key == key && a.Answer != PermitOnce })
	if at < 0 {
		return PermissionAnswer{}, false
	}
	return p.Answered[at], true
}

// answer moves a request to the answered ones. Where there are too many, the oldest that is not
// remembered goes, or else the oldest.
func (p *Permissions) answer(at int, answer Permission, note, who string) {
	r := p.Open[at]
	p.Open = slices.Delete(p.Open, at, at+1)
	r.Call, r.Detail = "", ""
	p.Answered = append(p.Answered, PermissionAnswer{r, answer, who, note})
	if len(p.Answered) <= maxAnsweredPermissions {
		return
	}
	oldest := slices.IndexFunc(p.Answered, func(a PermissionAnswer) bool { return a.Answer == PermitOnce })
	if oldest < 0 || oldest == len(p.Answered)-1 {
		oldest = 0
	}
	p.Answered = slices.Delete(p.Answered, oldest, oldest+1)
}

func (p *Permissions) copied() *Permissions {
	if p == nil {
		return nil
	}
	c := *p
	c.Open, c.Answered = slices.Clone(p.Open), slices.Clone(p.Answered)
	return &c
}

// ParsePermission splits an answer from the words for the agent that follow it.
func ParsePermission(text string) (answer Permission, note string, err error) {
	word, note, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !slices.Contains(PermissionAnswers, word) {
		return "", "", fmt.Errorf("%q is not an answer: use %s", word, strings.Join(PermissionAnswers, ", "))
	}
	return Permission(word), strings.TrimSpace(note), nil
}
