package messages

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"ferrus/hq/project"
	"ferrus/hq/session"
)

// inlineText is how many bytes of your texts a prompt or a tool's result carries. The system
// limits the one, and agents cut the other off.
const inlineText = 16 << 10

// LongTexts puts what is too long for a prompt into files that the session can read, also
// inside the sandbox.
type LongTexts struct{ Project *project.Task }

// Messages returns the texts of messages to a session of a task as one text, with files for the ones that make it too
// long.
func (l LongTexts) Messages(task string, all []project.Message) (string, error) {
	var texts []string
	room := inlineText
	for _, m := range all {
		text := m.Text
		if len(text) > room {
			var err error
			if text, err = l.refer(task, m.ID, "This message from the human", text); err != nil {
				return "", err
			}
		}
		room -= len(text)
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n\n"), nil
}

// Request returns what a session of a task was asked for, or where to read it.
func (l LongTexts) Request(task, text string) (string, error) {
	if len(text) <= inlineText {
		return text, nil
	}
	return l.refer(task, requestName(text), "The request", text)
}

// requestName names the file of a request: the same for each session that it is given to.
func requestName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "request-" + hex.EncodeToString(sum[:8])
}

// refer writes a text to a file, and returns what to tell the agent instead.
func (l LongTexts) refer(task, name, what, text string) (string, error) {
	file, err := session.WriteText(l.Project, task, name, text)
	const words = "%s has %d bytes, too many to show here. Read the whole file %s first, in parts if your tool " +
		"returns only a part of it. The human wrote it."
	return fmt.Sprintf(words, what, len(text), file), err
}

// ForgetRequest removes the file of a request that no session needs any more.
func (l LongTexts) ForgetRequest(task, text string) error { return l.forget(task, requestName(text)) }

// forget removes the file of a text that no session needs any more.
func (l LongTexts) forget(task, name string) error { return session.RemoveText(l.Project, task, name) }
