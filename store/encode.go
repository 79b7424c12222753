package store

import (
	"bytes"
	"encoding/json"
	"os"
	"time"
)

// next is a STATE.json in the making: the members that folding the journal
// gives, and what stands beside them.
type next struct {
	envelope
	world []member
}

// newNext begins the state after doc; it says the same until it is changed.
func newNext(doc document, world any) (next, error) {
	members, err := worldMembers(world)
	n := next{envelope: doc.envelope, world: members}
	n.Schema = Schema
	n.OwnerPID = os.Getpid()
	n.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	return n, err
}

// head are the members that stand above those of T.
func (n next) head() []member {
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

// folded are the members that the journal gives, decoded.
func (n next) folded() (map[string]any, error) {
	docs, err := marshal(n.docs())
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{"docs": docs}
	for _, members := range [][]member{n.head(), n.world} {
		for _, m := range members {
			all[m.name] = m.value
		}
	}
	return fold(all)
}

func (n next) docs() map[string]Doc {
	if n.Docs == nil {
		return map[string]Doc{}
	}
	return n.Docs
}

// encode lays STATE.json out for people. The newest line stands as the journal
// has it, on one line.
func (n next) encode() ([]byte, error) {
	docs, err := marshal(n.docs())
	if err != nil {
		return nil, err
	}
	members := append(n.head(), n.world...)
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
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

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
