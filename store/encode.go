package store

import (
	"bytes"
	"encoding/json"
	"os"
	"time"
)

// next is the STATE.json to be written: the members that folding the journal gives, and
// the envelope.
type next struct {
	envelope
	world []member
}

// newNext returns a state with the envelope of doc and the members of world.
func newNext(doc document, world any) (next, error) {
	members, err := worldMembers(world)
	n := next{envelope: doc.envelope, world: members}
	n.Schema = Schema
	n.OwnerPID = os.Getpid()
	n.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	if doc.Head == nil {
		n.Head = newHead()
	} else {
		h := *doc.Head
		n.Head = &h
	}
	return n, err
}

// leading returns the members that are written above the members of T.
func (n next) leading() []member {
	return []member{
		{"schema_version", number(uint64(n.Schema))},
		{"seq", number(n.Seq)},
		{"updated_at", quote(n.UpdatedAt.Format(time.RFC3339Nano))},
		{"owner_pid", number(uint64(n.OwnerPID))},
	}
}

func number(u uint64) json.RawMessage {
	data, err := json.Marshal(u)
	if err != nil {
		panic(err) // marshalling a number cannot fail
	}
	return data
}

// folded returns the members that the journal gives, decoded. The fingerprint of these
// is what an entry promises.
func (n next) folded() (map[string]any, error) {
	docs, err := marshal(n.docs())
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{"docs": docs}
	for _, members := range [][]member{n.leading(), n.world} {
		for _, m := range members {
			all[m.name] = m.value
		}
	}
	return fold(all)
}

// docs returns the texts, never as null.
func (n next) docs() map[string]Doc {
	if n.Docs == nil {
		return map[string]Doc{}
	}
	return n.Docs
}

// encode returns STATE.json, indented for readers, and puts its sum into the head. The
// newest entry is on one line, as the journal has it.
func (n next) encode() ([]byte, error) {
	docs, err := marshal(n.docs())
	if err != nil {
		return nil, err
	}
	members := append(n.leading(), n.world...)
	members = append(members, member{"docs", docs})
	var b bytes.Buffer
	for i, m := range members {
		b.WriteString([]string{"{\n  ", ",\n  "}[min(i, 1)])
		b.Write(quote(m.name))
		b.WriteString(": ")
		if err := json.Indent(&b, m.value, "  ", "  "); err != nil {
			return nil, err
		}
	}
	if n.Last != nil {
		b.WriteString(",\n  \"last\": {")
		if err := n.Last.encode(&b); err != nil {
			return nil, err
		}
		b.WriteString("\n  }")
	}
	b.WriteString(n.Head.encode())
	data := b.Bytes()
	n.Head.Sum = addSum(data)
	return data, nil
}

// encode writes the members of last, each on one line.
func (l *last) encode(b *bytes.Buffer) error {
	members := []member{{"line", l.Line}, {"call", quote(l.Call)}}
	if len(l.Result) > 0 {
		members = append(members, member{"result", l.Result})
	}
	if l.Archived != "" {
		members = append(members, member{"archived", quote(l.Archived)})
	}
	for i, m := range members {
		b.WriteString([]string{"\n    ", ",\n    "}[min(i, 1)])
		b.Write(quote(m.name))
		b.WriteString(": ")
		if err := json.Compact(b, m.value); err != nil {
			return err
		}
	}
	return nil
}
