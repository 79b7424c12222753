// Package join shows the HQ of a project that runs on another machine, and lets you work there: it is what
// `ferrus --join` does.
//
// The HQ draws a screen for each terminal that joins, and executes what is typed there. It is reached over a
// link of [ferrus/hq/wire]: the joining side calls [Enter], which compares the builds, says who you are and
// opens the screen; the HQ's side answers with a [Host].
//
// The other machine is not trusted with your terminal. What it sends passes through a [Filter], which lets
// only the sequences through that HQ draws with: no clipboard, no title, no query that the terminal would
// answer. The amount of unacknowledged output is limited, so a slow link shows the newest frames instead of
// stale ones. Each end notices when the other is silent.
package join

import (
	"errors"
	"fmt"
	"io"

	"ferrus/hq/wire"
	"ferrus/ui/text/lazyregexp"
)

// Greeting is the first line that an HQ's side writes to a stream of bytes.
var Greeting = fmt.Sprintf("ferrus join, protocol %d\n", wire.Protocol)

// The calls and the stream.
const (
	// MethodHello is the first call of every link: Hello, wire.Build.
	MethodHello wire.Method = "join.hello"
	// MethodBeat is asked every wire.Beat, so that both ends know of each other: nothing, nothing.
	MethodBeat wire.Method = "join.beat"
	// MethodScreen opens a screen: Terminal. A message of the joining side is one of the kinds below and a body;
	// the first of the HQ is empty, and the others are what the terminal shows.
	MethodScreen wire.Method = "join.screen"
)

// The kinds of messages of the joining side: the first byte.
const (
	Typed = 'i' // what was typed
	Sized = 's' // the size of the terminal: columns and rows, as JSON
	shown = 'a' // how many bytes the terminal has taken since the last time: four bytes, big endian
)

// underWay is how many bytes of a screen are sent before the terminal has taken them: enough for 100 ms at 1 MB/s.
const underWay = 64 << 10

// Hello is how a joining side introduces itself.
type Hello struct {
	wire.Build
	Who string `json:"who"` // user@host, see [CheckName]
}

// Terminal is what a screen is drawn for.
type Terminal struct {
	Columns int      `json:"columns"`
	Rows    int      `json:"rows"`
	Environ []string `json:"environ"` // what says what it can do
}

// who matches the permitted names of joining users. No agent's id has an @.
var who = lazyregexp.New(`^[A-Za-z0-9._-]{1,40}@[A-Za-z0-9._-]{1,60}$`)

// CheckName returns an error if the name is not valid.
func CheckName(name string) error {
	if !who.MatchString(name) {
		return errors.New("a name is user@host, with letters, digits, dots and dashes")
	}
	return nil
}

// Conn is the connection of a joined terminal to the HQ that draws it. Read returns the output; it fails with io.EOF
// once the HQ has closed the screen, and otherwise says what is wrong with the connection.
type Conn interface {
	io.Reader
	// Send sends a message of the joining side.
	Send(kind byte, body []byte) error
	Close() error
}
