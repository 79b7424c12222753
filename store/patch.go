package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// unfolded lists the members of STATE.json that are not in the journal, because they
// change without an event.
var unfolded = map[string]bool{
	"last": true, "head": true, "updated_at": true, "owner_pid": true, "lease_until": true, "last_heartbeat": true,
}

// fold decodes the members of STATE.json that the journal gives.
func fold(members map[string]json.RawMessage) (map[string]any, error) {
	folded := make(map[string]any, len(members))
	for name, value := range members {
		if unfolded[name] {
			continue
		}
		v, err := decode(value)
		if err != nil {
			return nil, err
		}
		folded[name] = v
	}
	return folded, nil
}

// decode decodes JSON and keeps numbers as they are written: a fingerprint must not
// depend on float64.
func decode(data []byte) (any, error) {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(&v)
	return v, err
}

// fingerprint returns the SHA-256 of the folded members, as compact JSON with sorted
// keys, in hex.
func fingerprint(folded map[string]any) (string, error) {
	data, err := marshal(folded) // a map is marshalled in the order of its keys
	if err != nil {
		return "", err
	}
	return sha(data), nil
}

// difference returns the merge patch (RFC 7386) that turns before into after.
func difference(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for name := range before {
		if _, ok := after[name]; !ok {
			patch[name] = nil
		}
	}
	for name, value := range after {
		old, had := before[name]
		if had && reflect.DeepEqual(old, value) {
			continue
		}
		from, fromObject := old.(map[string]any)
		to, toObject := value.(map[string]any)
		if fromObject && toObject {
			value = difference(from, to)
		}
		patch[name] = value
	}
	return patch
}

// merge applies a merge patch (RFC 7386). It may change target.
func merge(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = merge(object[name], value)
		}
	}
	return object
}

// Fold applies the data of the entries, oldest first, and returns the members of
// STATE.json that they give, as compact JSON with sorted keys. It is how tests and
// audits prove that a journal leads to a state. The first entry must contain the whole
// state: seq 1, or the first entry of a journal that was started anew. Fold fails where
// a seq is missing or doubled, and where an entry leads to another state than it says.
func Fold(lines []Entry) (json.RawMessage, error) {
	folded := map[string]any{}
	for i, line := range lines {
		if i > 0 && line.Seq != lines[i-1].Seq+1 {
			return nil, fmt.Errorf("fold journal: seq %d follows %d", line.Seq, lines[i-1].Seq)
		}
		patch, err := decode(line.Data)
		if err != nil {
			return nil, fmt.Errorf("fold journal: seq %d: %w", line.Seq, err)
		}
		merged, ok := merge(folded, patch).(map[string]any)
		if !ok {
			return nil, fmt.Errorf("fold journal: seq %d: data is not an object", line.Seq)
		}
		folded = merged
		folded["seq"] = json.Number(number(line.Seq))
		if sum, err := fingerprint(folded); err != nil || sum != line.StateSHA {
			return nil, fmt.Errorf("fold journal: seq %d does not lead to the state that was written with it", line.Seq)
		}
	}
	return marshal(folded)
}
