package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
)

// unfolded are the members of STATE.json that no journal line gives: they
// change without one.
var unfolded = map[string]bool{
	"last": true, "updated_at": true, "owner_pid": true, "lease_until": true, "last_heartbeat": true,
}

// fold keeps of STATE.json what folding the journal gives.
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

// decode keeps numbers as they are written.
func decode(data []byte) (any, error) {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(&v)
	return v, err
}

// fingerprint is the SHA-256 of the folded members as compact JSON with sorted
// keys.
func fingerprint(folded map[string]any) (string, error) {
	data, err := marshal(folded) // a map is marshalled in the order of its keys
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// difference is the merge patch (RFC 7386) that makes after of before.
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

// merge applies a merge patch, as RFC 7386 has it.
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

// Fold applies the data of the lines, oldest first, and returns the members of
// STATE.json that they give, as compact JSON with sorted keys. It is how tests and
// audits prove that a journal leads to a state. The first line must be one that holds
// the whole state: that of seq 1, or the first one of a journal that was begun anew.
// It fails where a seq is missing or doubled, and where a state is not the one that
// the line was written with.
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
			return nil, fmt.Errorf("fold journal: seq %d: data is no object", line.Seq)
		}
		folded = merged
		folded["seq"] = json.Number(number(line.Seq))
		if sum, err := fingerprint(folded); err != nil || sum != line.StateSHA {
			return nil, fmt.Errorf("fold journal: seq %d does not lead to the state that was written with it", line.Seq)
		}
	}
	return marshal(folded)
}
