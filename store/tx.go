package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Tx is an update that is being decided. What the function of [Dir.Update] does to it
// takes effect if the function returns nil after [Tx.Record] or [Tx.Renew]; otherwise
// nothing is written. It is valid only until the function returns.
type Tx[T any] struct {
	Seq   uint64 // the number that the event gets if it is recorded
	World T      // the present value; change it in place

	folder  folder
	docs    map[string]Doc    // of the present state, including the removed ones
	texts   map[string]string // new ones; empty: to be removed
	event   *event
	renew   bool
	result  any
	archive string
	fault   error // the errors of methods that return none; see check
}

type event struct {
	name, by, via, session, why string
	before                      *Prefix // of the store's own events, see Entry
}

// ReadText returns a text, as this update has it so far; empty if there is none.
func (tx *Tx[T]) ReadText(name string) (string, error) {
	if text, ok := tx.texts[name]; ok {
		return text, nil
	}
	doc := tx.docs[name]
	if doc.File == "" {
		return "", nil
	}
	text, err := readDoc(tx.folder, doc)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return string(text), nil
}

// SetText sets a text; the empty text removes it. The name is also the name of its copy
// beside STATE.json.
func (tx *Tx[T]) SetText(name, text string) {
	err := checkText(name)
	if err == nil && len(text) > fileLimit {
		err = fmt.Errorf("%s would be larger than %d MiB", name, fileLimit>>20)
	}
	tx.fault = errors.Join(tx.fault, err)
	tx.texts[name] = text
}

// Record commits World and the texts as an event of the journal, once per update.
func (tx *Tx[T]) Record(name, by, session, why string) {
	if tx.event != nil {
		tx.fault = errors.Join(tx.fault, fmt.Errorf("%s was recorded after %s: an update is one event", name,
			tx.event.name))
	}
	tx.event = &event{name: name, by: by, session: session, why: why}
}

// From adds to the recorded event where its command came from.
func (tx *Tx[T]) From(via string) {
	if tx.event != nil {
		tx.event.via = via
	}
}

// Renew commits World without an event: only its members lease_until and last_heartbeat
// may have changed. It is durable only with the next event: a crash can lose a renewal.
func (tx *Tx[T]) Renew() { tx.renew = true }

// SetResult sets the answer to the call. An equal call gets the same answer as long as
// this event is the newest.
func (tx *Tx[T]) SetResult(v any) { tx.result = v }

// Archive copies the present texts, the task's journal entries and the files in checks to
// archive/<task> before the commit; the checks are removed after it.
func (tx *Tx[T]) Archive(task string) {
	tx.fault = errors.Join(tx.fault, checkName(task))
	tx.archive = task
}

// check returns what was wrong with the calls of the function.
func (tx *Tx[T]) check() error {
	switch {
	case tx.fault != nil:
		return tx.fault
	case tx.event == nil && (len(tx.texts) > 0 || tx.archive != ""):
		return errors.New("a text or an archive needs a recorded event")
	}
	return nil
}

// nextDocs returns the texts of the next state, and the names of the changed ones.
func (tx *Tx[T]) nextDocs() (docs map[string]Doc, changed []string) {
	docs = maps.Clone(tx.docs)
	if docs == nil {
		docs = map[string]Doc{}
	}
	for _, name := range slices.Sorted(maps.Keys(tx.texts)) {
		text := tx.texts[name]
		old, had := docs[name]
		switch {
		case text == "" && !had, text != "" && old.SHA256 == sha([]byte(text)):
			continue
		case text == "":
			docs[name] = Doc{}
		default:
			docs[name] = Doc{fmt.Sprintf("%s/%06d-%s", docsDir, tx.Seq, name), sha([]byte(text))}
		}
		changed = append(changed, name)
	}
	return docs, changed
}
