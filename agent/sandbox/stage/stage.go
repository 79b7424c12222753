// Package stage is the two programs between ferrus and a program in a namespace: the one that becomes
// bubblewrap, and the first one inside.
//
// Both are this executable, started again for a moment, so they cost what a start costs: mostly the
// initialization of packages that they do not need. Go initializes packages in the order of their imports,
// then of their paths. This one imports next to nothing, so it is initialized before net, encoding/json and
// the rest of ferrus; its init function does the work and never returns. It therefore imports neither fmt nor
// strings nor golang.org/x/sys/unix; a test checks that.
//
// It decides nothing: a [Spec] from package sandbox says what to do.
package stage

import (
	"errors"
	"strconv"
)

// The commands with which this program starts itself again.
const (
	Outer = "sandbox-namespace" // becomes bubblewrap
	Inner = "sandbox-inner"     // the first program inside
)

// Spec is what both programs do. It has more than 12 fields because it is one flat message to them.
type Spec struct {
	Bwrap string   // path of bubblewrap
	Flags []string // its flags
	Reach []string // trees in which the working directory is kept; none: Flags sets one
	Env   string   // path of an env to start in the place of the inner program; empty: none
	Set   []string // NAME=value, over the environment of the process

	Filter Filter // of system calls, for all that is started
	Scopes bool   // Landlock keeps signals and abstract sockets inside

	Proxy     string // socket of the proxy; empty: none
	ProxyPort int    // where it is on the loopback inside
	Ports     []int  // of services, to open there too

	Held []Held
	Root *Root // what the inner program does with the rights of root; nil: it has none

	offer int // the connection to the proxy
}

// Held is a mount inside a tree that other programs change while the walls are built: one of them could exchange
// a directory for a link to anything, before bubblewrap follows it. So what a policy names is identified before, and
// the first program inside compares it with what is there.
type Held struct {
	Path     string
	Source   string // what it shows; empty: a new file system
	ReadOnly bool

	dev, ino uint64 // 0: it is a new file system
}

// Root is what the first program inside does while it still has the rights of root.
type Root struct {
	Hide    []string // files and directories to put nothing over
	Fix     []string // directories that nothing inside changes
	Devices []string // whose mode and times nothing inside changes
	Filter  Filter   // of system calls, in addition
}

// Filter is a program of the kernel for system calls, as Linux has it in memory.
type Filter []Instruction

// Instruction is a struct sock_filter.
type Instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

// String returns the specification as lines, each a key and quoted values.
func (s Spec) String() string {
	var b []byte
	line := func(key string, values ...string) {
		b = append(b, key...)
		for _, value := range values {
			b = strconv.AppendQuote(append(b, ' '), value)
		}
		b = append(b, '\n')
	}
	line("bwrap", s.Bwrap, s.Env, s.Proxy)
	line("flags", s.Flags...)
	line("reach", s.Reach...)
	line("set", s.Set...)
	line("filter", s.Filter.words()...)
	line("scopes", strconv.FormatBool(s.Scopes))
	line("offer", strconv.Itoa(s.offer), strconv.Itoa(s.ProxyPort))
	for _, port := range s.Ports {
		line("port", strconv.Itoa(port))
	}
	for _, h := range s.Held {
		line("held", h.Path, h.Source, strconv.FormatBool(h.ReadOnly), strconv.FormatUint(h.dev, 10),
			strconv.FormatUint(h.ino, 10))
	}
	if r := s.Root; r != nil {
		line("root", r.Filter.words()...)
		line("hide", r.Hide...)
		line("fix", r.Fix...)
		line("devices", r.Devices...)
	}
	return string(b)
}

// parse returns what String wrote.
func parse(text string) (s Spec, err error) {
	for _, line := range split(text, '\n') {
		key, rest, _ := cut(line, ' ')
		var values []string
		for rest != "" {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return s, errSpec
			}
			value, err := strconv.Unquote(quoted)
			if err != nil {
				return s, errSpec
			}
			values = append(values, value)
			_, rest, _ = cut(rest[len(quoted):], ' ')
		}
		if err := s.read(key, values); err != nil {
			return s, err
		}
	}
	return s, nil
}

// read takes one line.
func (s *Spec) read(key string, values []string) (err error) {
	need := map[string]int{"bwrap": 3, "scopes": 1, "offer": 2, "port": 1, "held": 5}[key]
	if len(values) < need || s.Root == nil && (key == "hide" || key == "fix" || key == "devices") {
		return errSpec
	}
	switch key {
	case "bwrap":
		s.Bwrap, s.Env, s.Proxy = values[0], values[1], values[2]
	case "flags":
		s.Flags = values
	case "reach":
		s.Reach = values
	case "set":
		s.Set = values
	case "filter":
		s.Filter, err = readFilter(values)
	case "scopes":
		s.Scopes = values[0] == "true"
	case "offer":
		var other error
		s.offer, err = strconv.Atoi(values[0])
		s.ProxyPort, other = strconv.Atoi(values[1])
		err = errors.Join(err, other)
	case "port":
		var port int
		port, err = strconv.Atoi(values[0])
		s.Ports = append(s.Ports, port)
	case "held":
		h := Held{Path: values[0], Source: values[1], ReadOnly: values[2] == "true"}
		var other error
		h.dev, err = strconv.ParseUint(values[3], 10, 64)
		h.ino, other = strconv.ParseUint(values[4], 10, 64)
		s.Held, err = append(s.Held, h), errors.Join(err, other)
	case "root":
		s.Root = &Root{}
		s.Root.Filter, err = readFilter(values)
	case "hide":
		s.Root.Hide = values
	case "fix":
		s.Root.Fix = values
	case "devices":
		s.Root.Devices = values
	default:
		return errSpec
	}
	if err != nil {
		return errSpec
	}
	return nil
}

// words returns a filter as numbers.
func (f Filter) words() (all []string) {
	for _, i := range f {
		packed := uint64(i.Code)<<48 | uint64(i.Jt)<<40 | uint64(i.Jf)<<32 | uint64(i.K)
		all = append(all, strconv.FormatUint(packed, 16))
	}
	return all
}

func readFilter(words []string) (f Filter, err error) {
	for _, word := range words {
		packed, err := strconv.ParseUint(word, 16, 64)
		if err != nil {
			return nil, err
		}
		//nolint:gosec // each takes its part
		f = append(f, Instruction{uint16(packed >> 48), uint8(packed >> 40), uint8(packed >> 32), uint32(packed)})
	}
	return f, nil
}
