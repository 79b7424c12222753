package host

import (
	"errors"
	"net"
	"sync"

	"ferrus/agent"
)

// View is a session that another terminal follows. It is for one goroutine, apart from Input,
// Resize and Close.
type View struct {
	Record        Record
	Screen        []byte // redraws it in a fresh terminal of its size, with the lines above
	Columns, Rows int
	Writer        bool // what this terminal types reaches the agent

	conn *net.UnixConn
	buf  []byte
	mu   sync.Mutex // frames are sent whole
}

// Event is what happens to a session. One of its fields is set.
type Event struct {
	Output        []byte // valid until the next event
	Columns, Rows int    // the size changed
	Writer        *bool  // whether this terminal types now
	Refused       string // why something was not done
	Exit          *agent.Exit
}

// Dial connects to a session as a [Reader] or a [Writer]; columns and rows are the terminal
// size of a writer.
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

// Next waits for the next event. An error means that the session or its host has ended.
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

// Input types bytes.
func (v *View) Input(p []byte) error { return v.send(frame(frameInput, p)) }

// Resize asks for a size. Only a writer gets it.
func (v *View) Resize(columns, rows int) error { return v.send(encode(frameSize, size{columns, rows})) }

func (v *View) send(f []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, err := v.conn.Write(f)
	return err
}

// Close detaches from the session, which runs on.
func (v *View) Close() { v.conn.Close() } //nolint:errcheck // nothing is left to send
