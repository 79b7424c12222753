package store

import (
	"bytes"
	"maps"
	"sync"
)

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
