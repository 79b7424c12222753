package store

import (
	"bytes"
	"maps"
	"sync"
)

// decodedState remembers the STATE.json that was decoded last: a command reads the same one several times, and HQ
// reads it whenever anything happens.
type decodedState struct {
	mu  sync.Mutex // guards doc
	doc document
}

// decode is [parse]. Only the head of the document may be changed by the caller.
func (m *decodedState) decode(data []byte) (document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(data) == 0 || !bytes.Equal(data, m.doc.data) {
		doc, err := parse(data)
		if err != nil {
			return doc, err
		}
		m.doc = doc
	}
	doc := m.doc
	if doc.Head != nil {
		head := *doc.Head
		doc.Head = &head
	}
	return doc, nil
}

// decodedSums remembers the sums that were decoded last, and the bytes that they are: each read of a file whose hash is
// kept reads them anew, and they grow with the records of a task.
type decodedSums struct {
	mu   sync.Mutex // guards the rest
	data []byte
	sums sums
}

// decode returns sums that the caller may change.
func (m *decodedSums) decode(data []byte) (sums, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(data) == 0 || !bytes.Equal(data, m.data) {
		var s sums
		if err := decodeSummed(data, &s); err != nil {
			return s, err
		}
		s.hash = sha(data)
		m.data, m.sums = data, s
	}
	s := m.sums
	s.Files = maps.Clone(s.Files)
	return s, nil
}
