package pair

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ferrus/hq/project"
	"ferrus/machine/pair"
	"ferrus/machine/pair/run"
	"ferrus/ui/text"
)

const messagesName = "messages.jsonl"

// messageLine is one line of messages.jsonl.
type messageLine struct {
	At   time.Time `json:"at"`
	To   string    `json:"to"` // primary, secondary, or empty for both
	Text string    `json:"text"`
}

// mailLimit is the number of bytes at the end of a message that the next prompt carries; the
// transcript has all of it.
const mailLimit = 32 << 10

// SendMessage leaves a message of the human for the next turn of an agent, or of both when to
// is empty.
func SendMessage(p *project.Task, id, to, message string) error {
	if err := text.CheckEncoding(message); err != nil {
		return fmt.Errorf("tell: %w", err)
	}
	m, err := readManifest(p.Store, id)
	if err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(message) == "":
		return errors.New("tell: the message is empty")
	case to != "" && to != Primary && to != Secondary:
		return fmt.Errorf("tell: unknown agent %q of a pair: primary or secondary", to)
	case m.State == run.StateCompleted:
		return fmt.Errorf("tell: %w, and its agents get no more turns", ErrComplete)
	}
	data, err := json.Marshal(messageLine{At: time.Now().UTC(), To: to, Text: message})
	if err == nil {
		err = appendLine(p.Store, m.file(messagesName), data)
	}
	if err != nil {
		return fmt.Errorf("tell: %w", err)
	}
	return nil
}

// mail returns the messages for a turn, and the offset in messages.jsonl that it read up to.
// No message is dropped before the turn has ended.
func (r *Run) mail(who string) ([]Message, int64, error) {
	all := append([]Message(nil), r.Manifest.Inbox[who]...)
	end, err := readLines(r.disk, r.Manifest.file(messagesName), r.Manifest.Read[who], func(t messageLine) {
		if t.To == "" || t.To == who {
			all = append(all, Message{From: "person", Kind: kindMessage, Text: t.Text})
		}
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the messages: %w", err)
	}
	return all, end, nil
}

// markRead drops the messages that an ended turn was given.
func (m *Manifest) markRead(who string, end int64) {
	delete(m.Inbox, who)
	if m.Read == nil {
		m.Read = map[string]int64{}
	}
	m.Read[who] = end
}

// send leaves a message for an agent's next turn.
func (m *Manifest) send(to string, msg Message) {
	if strings.TrimSpace(msg.Text) == "" || to == Secondary && m.Secondary == "" {
		return
	}
	if len(msg.Text) > mailLimit {
		msg.Text = strings.ToValidUTF8(msg.Text[len(msg.Text)-mailLimit:], "")
	}
	msg.Text = redacted(msg.Text) // the agents may be of two vendors
	if m.Inbox == nil {
		m.Inbox = map[string][]Message{}
	}
	m.Inbox[to] = append(m.Inbox[to], msg)
}

// dropResult drops what the worker said at the end of an older turn.
func (m *Manifest) dropResult() {
	kept := slices.DeleteFunc(m.Inbox[Secondary], func(msg Message) bool { return msg.Kind == kindResult })
	if delete(m.Inbox, Secondary); len(kept) > 0 {
		m.Inbox[Secondary] = kept
	}
}

// oldSignal returns the line that ended another turn: a word of the run and six digits.
func oldSignal(w pair.Words) *regexp.Regexp {
	words := strings.Join([]string{w.Done, w.Pass, w.Rework, w.Fail}, "|") // of letters, digits, - and _
	return regexp.MustCompile(`(?m)\b(` + words + `) [0-9a-f]{6}\b`)
}

// joinTexts joins the texts of one kind.
func joinTexts(all []Message, kind string) string {
	var some []string
	for _, m := range all {
		if m.Kind == kind {
			some = append(some, strings.TrimSpace(m.Text))
		}
	}
	return strings.Join(some, "\n\n")
}
