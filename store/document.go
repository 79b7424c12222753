package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"
)

// Schema is the version of STATE.json that this ferrus writes, and the newest that it
// reads. It goes up when an earlier ferrus would misread the file. Version 1 had no journal.
const Schema = 2

// firstSchema is the version that an earlier ferrus wrote, which kept no journal; see
// [Import].
const firstSchema = 1

// envelope is what the store adds to the members of T in STATE.json.
type envelope struct {
	Schema    int            `json:"schema_version"`
	Seq       uint64         `json:"seq"`
	UpdatedAt time.Time      `json:"updated_at"`
	OwnerPID  int            `json:"owner_pid"`
	Docs      map[string]Doc `json:"docs"`
	Last      *last          `json:"last"`
	Head      *head          `json:"head"` // nil: an earlier ferrus wrote it, without a chain
}

// last is what completes the newest transition after its writer died, and the answer
// to an equal call. It is in STATE.json, so that both are durable with the commit.
type last struct {
	Line     json.RawMessage `json:"line"` // the entry, as the journal has it or will have it
	Call     string          `json:"call"` // Call.Key; empty: no call is answered from here
	Result   json.RawMessage `json:"result,omitempty"`
	Archived string          `json:"archived,omitempty"` // the task whose checks are in the archive
}

// document is STATE.json, decoded as far as the store needs it.
type document struct {
	envelope
	data    []byte
	members map[string]json.RawMessage // all of them
}

// envelopeNames are the members of the store, which T cannot have.
var envelopeNames = map[string]bool{
	"schema_version": true, "seq": true, "updated_at": true, "owner_pid": true, "docs": true, "last": true,
	"head": true,
}

// parse decodes STATE.json. Errors are *DamagedError, *NewerError or *OlderError.
func parse(data []byte) (document, error) {
	doc := document{data: data}
	if err := json.Unmarshal(data, &doc.members); err != nil {
		return doc, damagedState(data, err)
	}
	// The schema first: what else there must be depends on it.
	switch schema, err := doc.schema(); {
	case err != nil:
		return doc, damagedState(data, err)
	case schema > Schema:
		return doc, &NewerError{File: stateName, Schema: schema, Known: Schema}
	case schema < Schema:
		return doc, &OlderError{File: stateName, Schema: schema}
	}
	if err := doc.checkNulls(); err != nil {
		return doc, damagedState(data, err)
	}
	if err := json.Unmarshal(data, &doc.envelope); err != nil {
		return doc, damagedState(data, err)
	}
	if err := doc.check(); err != nil {
		return doc, damagedState(data, err)
	}
	return doc, nil
}

// schema returns the version that a STATE.json claims. The first version wrote no seq,
// and did not always name itself.
func (d document) schema() (int, error) {
	value, named := d.members["schema_version"]
	_, ordered := d.members["seq"]
	switch {
	case d.members == nil:
		return 0, errors.New("it is null")
	case !named && !ordered && d.members["state"] != nil:
		return firstSchema, nil
	case !named:
		return 0, errors.New("schema_version is missing")
	}
	var schema *int
	if err := json.Unmarshal(value, &schema); err != nil || schema == nil || *schema < firstSchema {
		return 0, fmt.Errorf("schema_version cannot be %.20s", value)
	}
	return *schema, nil
}

// checkNulls refuses a null: ferrus never writes one, and it would be decoded as a zero.
// The answer to the last call is not ours and may contain nulls.
func (d document) checkNulls() error {
	for _, name := range []string{"seq", "updated_at", "owner_pid", "docs"} {
		if d.members[name] == nil {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for name, value := range d.members {
		if name == "last" || !bytes.Contains(value, []byte("null")) {
			continue
		}
		v, err := decode(value)
		if err != nil {
			return err
		}
		if where := findNull(name, v); where != "" {
			return fmt.Errorf("%s is null", where)
		}
	}
	return nil
}

// findNull returns the dotted path of a null in a member; empty: none.
func findNull(name string, v any) string {
	object, ok := v.(map[string]any)
	if v == nil {
		return name
	} else if !ok {
		return ""
	}
	for member, value := range object {
		if where := findNull(name+"."+member, value); where != "" {
			return where
		}
	}
	return ""
}

// check validates what the store itself acts on: no text or archive can lead outside.
func (d document) check() error {
	for name, doc := range d.Docs {
		if err := checkText(name); err != nil {
			return err
		}
		if doc.File == "" {
			continue
		}
		if err := checkName(doc.File); err != nil || path.Dir(doc.File) != docsDir {
			return fmt.Errorf("docs.%s.file is not a file in %s", name, docsDir)
		}
		if sum, err := hex.DecodeString(doc.SHA256); err != nil || len(sum) != 32 {
			return fmt.Errorf("docs.%s.sha256 is not a SHA-256", name)
		}
	}
	if d.Head != nil {
		if err := d.Head.check(); err != nil {
			return err
		}
	}
	if d.Last != nil && d.Last.Archived != "" {
		return checkName(d.Last.Archived)
	}
	return nil
}

// lastEntry returns the newest entry; zero if the state has none, or an older one.
func (d document) lastEntry() Entry {
	var line Entry
	if d.Last == nil || json.Unmarshal(d.Last.Line, &line) != nil || line.Seq != d.Seq {
		return Entry{}
	}
	return line
}

// answers reports whether the newest entry answered an equal call.
func (d document) answers(call Call) bool {
	return call.Key != "" && d.Seq > 0 && d.lastEntry().Seq == d.Seq && d.Last.Call == call.Key
}

// member is one member of a JSON object, in its place.
type member struct {
	name  string
	value json.RawMessage
}

// worldMembers returns the members that T marshals to, in their order. A member that is
// null is left out: in a merge patch, null means absent.
func worldMembers(world any) ([]member, error) {
	data, err := marshal(world)
	if err != nil {
		return nil, err
	}
	if data[0] != '{' {
		return nil, fmt.Errorf("a state must be a JSON object, not %.20s", data)
	}
	members, err := splitObject(data)
	for _, m := range members {
		if envelopeNames[m.name] {
			return nil, fmt.Errorf("a state cannot have the member %s", m.name)
		}
	}
	return members, err
}

// splitObject returns an object's members except nulls, also in
// nested objects, but not in arrays: a merge patch replaces these whole.
func splitObject(data []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		if string(value) == "null" {
			continue
		}
		if value[0] == '{' && bytes.Contains(value, []byte("null")) {
			inner, err := splitObject(value)
			if err != nil {
				return nil, err
			}
			value = joinObject(inner)
		}
		members = append(members, member{name.(string), value})
	}
	return members, nil
}

// joinObject returns the compact object with some members.
func joinObject(members []member) json.RawMessage {
	var b bytes.Buffer
	for i, m := range members {
		b.WriteByte("{,"[min(i, 1)])
		b.Write(quote(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	if len(members) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes()
}

// marshal is json.Marshal without the escapes that only browsers need.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// quote returns a string as JSON.
func quote(s string) []byte {
	data, err := marshal(s)
	if err != nil {
		panic(err) // marshalling a string cannot fail
	}
	return data
}
