package project

import (
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
)

// MessagesDir holds what the person told slots and what no session has taken to
// heart yet: one file for each.
const MessagesDir = "messages"

// longestMessage is what a prompt can carry beside its own words.
const longestMessage = 16 << 10

// Message is something that the person told a slot.
type Message struct {
	ID   string    `json:"id"`
	Slot core.Slot `json:"slot"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	// Given is the session that has it. One that ends well has taken it to heart;
	// after another end it is told again, to the next.
	Given string `json:"given,omitempty"`
}

var messageFile = regexp.MustCompile(`^[0-9]{8}T[0-9.]+-[a-z0-9]+\.json$`)

// PostMessage leaves a message for a slot, for the conductor to hand over.
func (p *Project) PostMessage(slot core.Slot, text string) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return errors.New("the message is empty")
	case len(text) > longestMessage:
		return fmt.Errorf("the message has %d bytes, %d are possible", len(text), longestMessage)
	case !slices.Contains(core.Slots, slot):
		return fmt.Errorf("there is no slot %q", slot)
	}
	now := time.Now().UTC().Round(0)
	id := now.Format("20060102T150405.000000000") + "-" + strings.ToLower(rand.Text()[:6])
	return p.SaveMessage(Message{ID: id, Slot: slot, Text: text, At: now})
}

// SaveMessage writes a message anew.
func (p *Project) SaveMessage(m Message) error {
	return p.writeJSON(MessagesDir+"/"+m.ID+".json", m)
}

// RemoveMessage takes a message away: it was taken to heart.
func (p *Project) RemoveMessage(m Message) error {
	return p.Store.Remove(MessagesDir + "/" + m.ID + ".json")
}

// Messages are those that are left, oldest first.
func (p *Project) Messages() ([]Message, error) {
	names, err := p.Store.List(MessagesDir)
	var all []Message
	for _, name := range names {
		if !messageFile.MatchString(name) {
			continue
		}
		var m Message
		ok, reading := p.readJSON(MessagesDir+"/"+name, &m)
		err = errors.Join(err, reading)
		if ok && reading == nil {
			m.ID = strings.TrimSuffix(name, ".json")
			all = append(all, m)
		}
	}
	return all, err
}

// HasDirective reports whether a handover was left for a session that it did not take.
func (p *Project) HasDirective(session string) bool {
	var h Directive
	ok, err := p.readJSON(directiveFile(session), &h)
	return ok || err != nil
}
