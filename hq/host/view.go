package host

import (
	"errors"
	"net"
	"sync"

	"ferrus/agent"
)

// View is a session as another terminal follows it.
type View struct {
	Record        Record
	Screen        []byte // redraws it, with the lines above it, in a fresh terminal of its size
	Columns, Rows int
	Writer        bool // what is typed reaches the agent

	conn *net.UnixConn
	buf  []byte
	mu   sync.Mutex // frames are sent whole
}

// Event is what a View learns: one of its fields is set.
type Event struct {
	Output        []byte // until the next event
	Columns, Rows int    // the size changed
	Writer        *bool  // whether it is this terminal that types now
	Refused       string // why something was not done
	Exit          *agent.Exit
}

// Dial follows a session as one of the kinds [Reader] and [Writer]; columns and rows are
// the terminal size of a writer.
func Dial(r Record, kind string, columns, rows int) (*View, error) {
	conn, err := reach(r)
	if err != nil {
		return nil, err
	}
	w, screen, err := greet(conn, hello{kind, columns, rows})
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &View{
		Record: w.Record, Screen: screen, Columns: w.Columns, Rows: w.Rows, Writer: w.Writer, conn: conn,
	}, nil
}

// Next waits for the next event; an error is the end.
func (v *View) Next() (Event, error) {
	for {
		kind, body, err := readFrame(v.conn, v.buf)
		if err != nil {
			return Event{}, err
		}
		v.buf = body[:0]
		switch kind {
		case frameOutput:
			return Event{Output: body}, nil
		case frameResized:
			var to size
			err := decode("a size", body, &to)
			return Event{Columns: to.Columns, Rows: to.Rows}, err
		case frameWriter:
			v.Writer = len(body) == 1 && body[0] == 1
			return Event{Writer: &v.Writer}, nil
		case frameRefused:
			return Event{Refused: string(body)}, nil
		case frameExited:
			var end Ending
			err := decode("an ending", body, &end)
			exit := end.Exit()
			return Event{Exit: &exit}, err
		}
	}
}

// Input sends what was typed. It may be called while Next waits.
func (v *View) Input(p []byte) error { return v.send(frame(frameInput, p)) }

// Resize asks for a size, which a writer gets.
func (v *View) Resize(columns, rows int) error { return v.send(encode(frameSize, size{columns, rows})) }

func (v *View) send(f []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, err := v.conn.Write(f)
	return err
}

// Close detaches from the session, which runs on.
func (v *View) Close() { v.conn.Close() } //nolint:errcheck // there is nothing left to say
