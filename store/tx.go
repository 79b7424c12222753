package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Tx is an update in the making. What its function does to it takes effect when
// the function returns nil after [Tx.Record] or [Tx.Renew]; otherwise nothing
// is written.
type Tx[T any] struct {
	Seq   uint64 // of the state that Record makes
	World T      // as it is; change it

	folder  folder
	docs    map[string]Doc    // of before, with those that were removed
	texts   map[string]string // that change
	event   *event
	renew   bool
	result  any
	archive string
	fault   error // of a method that returns none
}

type event struct{ name, by, session, why string }

// ReadText returns a text as this update has it so far, and nothing when there is
// none.
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

// SetText gives a text; the empty one removes it. The name is that of the copy
// that people find beside STATE.json.
func (tx *Tx[T]) SetText(name, text string) {
	err := checkText(name)
	if err == nil && len(text) > fileLimit {
		err = fmt.Errorf("%s would be larger than %d MiB", name, fileLimit>>20)
	}
	tx.fault = errors.Join(tx.fault, err)
	tx.texts[name] = text
}

// Record commits World and the texts as an event of the journal.
func (tx *Tx[T]) Record(name, by, session, why string) {
	if tx.event != nil {
		tx.fault = errors.Join(tx.fault, fmt.Errorf("%s was recorded after %s: an update is one event", name, tx.event.name))
	}
	tx.event = &event{name, by, session, why}
}

// Renew commits World without an event: nothing but lease_until and
// last_heartbeat may have changed.
func (tx *Tx[T]) Renew() { tx.renew = true }

// SetResult gives what the caller is answered; an equal call is answered the
// same for as long as this event is the newest.
func (tx *Tx[T]) SetResult(v any) { tx.result = v }

// Archive copies the texts of before this update, and what is in checks, to
// archive/<task> before the commit; the checks are taken away after it.
func (tx *Tx[T]) Archive(task string) {
	tx.fault = errors.Join(tx.fault, checkName(task))
	tx.archive = task
}

// check refuses what makes no sense after the function has returned.
func (tx *Tx[T]) check() error {
	switch {
	case tx.fault != nil:
		return tx.fault
	case tx.event == nil && (len(tx.texts) > 0 || tx.archive != ""):
		return errors.New("a text or an archive needs an event that is recorded")
	}
	return nil
}

// nextDocs are the texts of the state after this one, and the names of those
// that are new.
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
