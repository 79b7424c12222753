package host

import (
	"bytes"
	"encoding/json"
	"testing"

	"ferrus/agent/process"
)

// FuzzFrame reads frames from any bytes: what comes out is what a frame of them
// would be, no more memory is taken than there are bytes, and no body of any
// shape is more than refused.
func FuzzFrame(f *testing.F) {
	f.Add(encode(frameHello, hello{Kind: Conductor, Columns: 80, Rows: 24}))
	f.Add(append(encode(frameSize, size{-1, 1 << 30}), frame(frameInput, []byte("ls\r"))...))
	f.Add(encode(frameWelcome, welcome{Record: Record{Slot: "executor", Agent: &process.Identity{PID: -1}}}))
	f.Add(append([]byte{frameOutput, 0x0f, 0xff, 0xff, 0xff}, "too short"...))
	f.Add([]byte{frameOutput, 0xff, 0xff, 0xff, 0xff, 0})
	f.Add(frame(frameLaunch, []byte(`{"session":null,"columns":"x"}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, buf := bytes.NewReader(data), []byte(nil)
		for {
			before := len(data) - r.Len()
			kind, body, err := readFrame(r, buf)
			if cap(body) > 2*len(data)+bodyStep {
				t.Fatalf("%d bytes of memory for %d", cap(body), len(data))
			}
			if err != nil {
				return
			}
			if again := frame(kind, body); !bytes.Equal(again, data[before:len(data)-r.Len()]) {
				t.Fatalf("%q is read as %q", data[before:], again)
			}
			for _, into := range []any{&hello{}, &welcome{}, &size{}, &Launch{}, &Ending{}, &Record{}} {
				if decode("a frame", body, into) != nil {
					continue
				}
				if _, err := json.Marshal(into); err != nil {
					t.Fatal(err)
				}
			}
			buf = body
		}
	})
}
