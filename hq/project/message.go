package project

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// MessagesDir holds the messages of the human that no session has acted on yet, one file
// each.
const MessagesDir = "messages"

// MaxMessage is the maximal size of a message in bytes.
const MaxMessage = 1 << 20

// Message is a message of the human to a slot.
type Message struct {
	ID   string    `json:"id"`
	Slot core.Slot `json:"slot"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	// Given is the session that has received it. If that session fails, the next one
	// receives it again; if it succeeds, the message is removed.
	Given string `json:"given,omitempty"`
}

var messageFile = lazyregexp.New(`^[0-9]{8}T[0-9.]+-[a-z0-9]+\.json$`)

// PostMessage leaves a message for a slot, for the conductor to deliver.
func (f RuntimeFiles) PostMessage(slot core.Slot, message string) error {
	if err := text.CheckEncoding(message); err != nil {
		return fmt.Errorf("the message cannot be sent: %w", err)
	}
	message = strings.TrimSpace(message)
	switch {
	case message == "":
		return errors.New("the message is empty")
	case len(message) > MaxMessage:
		return fmt.Errorf("the message is longer than %d bytes: put it in a file and name the file", MaxMessage)
	case !slices.Contains(core.Slots, slot):
		return fmt.Errorf("unknown slot %q", slot)
	}
	now := time.Now().UTC().Round(0)
	id := now.Format("20060102T150405.000000000") + "-" + strings.ToLower(rand.Text()[:6])
	return f.SaveMessage(Message{ID: id, Slot: slot, Text: message, At: now})
}

// SaveMessage writes a message, or replaces it.
func (f RuntimeFiles) SaveMessage(m Message) error {
	return f.writeJSON(MessagesDir+"/"+m.ID+".json", m)
}

// RemoveMessage removes a message that a session has acted on.
func (f RuntimeFiles) RemoveMessage(m Message) error {
	return f.record.Remove(MessagesDir + "/" + m.ID + ".json")
}

// Messages returns the remaining messages, oldest first. A file that cannot be read is
// left out, and its error returned with the others.
func (f RuntimeFiles) Messages() ([]Message, error) {
	names, err := f.record.List(MessagesDir)
	var all []Message
	for _, name := range names {
		if !messageFile.MatchString(name) {
			continue
		}
		var m Message
		ok, reading := f.readJSON(MessagesDir+"/"+name, &m)
		err = errors.Join(err, reading)
		if ok && reading == nil {
			m.ID = strings.TrimSuffix(name, ".json")
			all = append(all, m)
		}
	}
	return all, err
}

// HasDirective reports whether a directive waits for a session.
func (f RuntimeFiles) HasDirective(session string) bool {
	var h Directive
	ok, err := f.readJSON(directiveFile(session), &h)
	return ok || err != nil
}
