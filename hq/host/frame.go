package host

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// The kinds of frames. A frame is one of these bytes, the length of its body in four bytes,
// big endian, and the body. Hosts outlive an update of ferrus, so kinds and bodies stay.
const (
	frameLaunch  = 'L' // to a new host: Launch
	frameHello   = 'H' // to a host: hello
	frameInput   = 'I' // to a host: what was typed
	frameSize    = 'R' // to a host: size that the client would have
	frameEnd     = 'E' // to a host: the grace in milliseconds
	frameTaken   = 'T' // to a host: the conductor knows the ending
	frameWelcome = 'S' // to a client: welcome
	framePaint   = 'P' // to a client: bytes that redraw the screen, with the lines above it
	frameOutput  = 'O' // to a client: what was written to the screen
	frameResized = 'Z' // to a client: the size that the terminal has
	frameWriter  = 'W' // to a client: whether it may type
	frameRefused = 'N' // to a client: why something was not done
	frameExited  = 'X' // to a client: Ending
	frameOwner   = 'Y' // to an asker: Owner
)

// maxFrame is the longest body in bytes; a screen with all its lines is the longest.
const maxFrame = 256 << 20

// bodyStep is the number of bytes of a body that are read at a time.
const bodyStep = 1 << 20

// The kinds of clients.
const (
	Conductor = "conductor" // there is one at a time
	Writer    = "writer"    // a human in a terminal of their own
	Reader    = "reader"    // is read-only

	asker = "asker" // wants to know whether it is of the session, and is no client
)

// hello is the first frame of a client.
type hello struct {
	Kind    string `json:"kind"`
	Columns int    `json:"columns,omitempty"`
	Rows    int    `json:"rows,omitempty"`
}

// welcome is the first frame of a host.
type welcome struct {
	Record  Record `json:"record"`
	Columns int    `json:"columns"`
	Rows    int    `json:"rows"`
	Writer  bool   `json:"writer"`
	Failed  string `json:"failed,omitempty"` // why nothing was started
}

// size is the size of a terminal.
type size struct {
	Columns int `json:"columns"`
	Rows    int `json:"rows"`
}

func (s size) isSet() bool { return s.Columns > 0 && s.Rows > 0 }

// encode returns a frame with a value as JSON.
func encode(kind byte, body any) []byte {
	data, err := json.Marshal(body)
	if err != nil {
		panic(err) // cannot be: what frames carry is plain data
	}
	return frame(kind, data)
}

func frame(kind byte, body []byte) []byte {
	f := make([]byte, 5, 5+len(body))
	f[0] = kind
	binary.BigEndian.PutUint32(f[1:], uint32(len(body)))
	return append(f, body...)
}

// readFrame reads the next frame into buf, which it grows and returns.
func readFrame(r io.Reader, buf []byte) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, buf, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, buf, fmt.Errorf("read from a host's socket: a frame of %d bytes", n)
	}
	body = buf[:0]
	for len(body) < int(n) { // room is made only for what has arrived: a length costs its sender nothing
		step := min(int(n)-len(body), bodyStep)
		body = slices.Grow(body, step)[:len(body)+step]
		if _, err := io.ReadFull(r, body[len(body)-step:]); err != nil {
			return 0, body, err
		}
	}
	return head[0], body, nil
}

func decode(what string, body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}
