package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// WholeRequests are the texts of long requests for permission by number: the World has only their ends. It is
// [PermissionsText], which keeps what was answered as long as there is room.
type WholeRequests map[uint64]string

// maxWhole bounds the texts of requests that were answered, in bytes. Open ones are bounded by their number.
const maxWhole = 1 << 20

// DecodeRequests reads them; an empty text has none.
func DecodeRequests(data string) (w WholeRequests, err error) {
	if data == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(data), &w); err != nil {
		return nil, fmt.Errorf("read %s: %w", PermissionsText, err)
	}
	return w, nil
}

// Encode is the opposite of [DecodeRequests].
func (w WholeRequests) Encode() string {
	data, _ := json.Marshal(w) // numbers and texts
	return string(data)
}

// String has each with its number above it, the oldest first.
func (w WholeRequests) String() string {
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(w)) {
		fmt.Fprintf(&b, "request %d:\n%s\n", n, w[n])
	}
	return b.String()
}

// With returns them with another. The oldest go where there are too many, but not the open ones.
func (w WholeRequests) With(number uint64, whole string, open []PermissionRequest) WholeRequests {
	all, size := WholeRequests{number: whole}, len(whole)
	for _, r := range open {
		if text, ok := w[r.Number]; ok {
			all[r.Number] = text
		}
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(w))) {
		if _, kept := all[n]; kept {
			continue
		}
		if size += len(w[n]); size > maxWhole {
			break
		}
		all[n] = w[n]
	}
	return all
}
