package redact

import (
	"bytes"
	"encoding/binary"
	"sync"

	"ferrus/ui/text"
)

// findings are the kinds of secrets that a text may hold.
type findings uint8

const (
	value findings = 1 << iota // of a variable
	url
	assignment
	authorization
	key
	privateKey
)

// mark is a text without which there is no secret of a kind.
type mark struct {
	text string
	of   findings
}

// scanner reads a text once, whatever is searched for. An agent may write more per second than several searches can
// read.
type scanner struct {
	starts  [1 << startBits]bool // by the hash of three bytes: whether what is searched for may start with them
	secrets [][]byte
}

const (
	startBits = 13
	// 2^32 divided by the golden ratio, as in Fibonacci hashing
	multiplier = 0x9E3779B1
)

// hash returns the hash of the lowest three bytes of some.
func hash(some uint64) uint32 { return uint32(some) << 8 * multiplier >> (32 - startBits) }

func first3[T string | []byte](s T) uint64 { return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 }

// marks returns a scanner for the marks, and the marks by their first three bytes.
var marks = sync.OnceValues(func() (s *scanner, byStart map[uint64][]mark) {
	s, byStart = &scanner{}, map[uint64][]mark{}
	add := func(of findings, texts ...string) {
		for _, one := range texts {
			start := first3(one)
			s.starts[hash(start)] = true
			byStart[start] = append(byStart[start], mark{one, of})
		}
	}
	add(url, "://")
	add(assignment, "TOKEN", "SECRET", "PASS", "KEY")
	add(authorization, "earer ", "EARER ", "asic ", "ASIC ")
	add(privateKey, string(pemBegin))
	for _, prefixes := range keyPrefixes {
		add(key, prefixes...)
	}
	return s, byStart
})

// newScanner returns a scanner for the marks and for secrets of three bytes or more.
func newScanner(secrets [][]byte) *scanner {
	fixed, _ := marks()
	s := *fixed
	s.secrets = secrets
	for _, secret := range secrets {
		s.starts[hash(first3(secret))] = true
	}
	return &s
}

// scan returns what a text may hold. What it does not return is not there.
func (s *scanner) scan(p []byte) (found findings) {
	i := 0
	for ; i+8 <= len(p); i += 6 { // Eight bytes have six times three.
		eight := binary.LittleEndian.Uint64(p[i:])
		if s.starts[hash(eight)] || s.starts[hash(eight>>8)] || s.starts[hash(eight>>16)] ||
			s.starts[hash(eight>>24)] || s.starts[hash(eight>>32)] || s.starts[hash(eight>>40)] {
			for j := range 6 {
				found |= s.findAt(p, i+j)
			}
		}
	}
	for ; i+3 <= len(p); i++ {
		found |= s.findAt(p, i)
	}
	return found
}

// findAt returns what starts at i.
func (s *scanner) findAt(p []byte, i int) (found findings) {
	start := first3(p[i:])
	if !s.starts[hash(start)] {
		return 0
	}
	_, byStart := marks()
	for _, m := range byStart[start] {
		switch {
		case len(p)-i < len(m.text) || string(p[i:i+len(m.text)]) != m.text:
		case m.of == key && i > 0 && text.IsWordByte[p[i-1]]:
		default:
			found |= m.of
		}
	}
	for _, secret := range s.secrets {
		if bytes.HasPrefix(p[i:], secret) {
			found |= value
		}
	}
	return found
}
