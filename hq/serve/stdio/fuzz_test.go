package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
)

// FuzzTransport gives the transport any lines: each is a message, or answered with one
// line of JSON, and the end is the end.
func FuzzTransport(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","id":"a","method":"x"},7]`, `{"id":{}}`,
		"[]\n\n{", `{"jsonrpc":"2.0","id":-1.5e99,"result":null}`, "\x00\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		var out bytes.Buffer
		w := New(bytes.NewReader(lines), &out)
		w.linger = 0 // no request is answered here
		go w.read()
		for {
			if _, err := w.Read(t.Context()); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for answer := range bytes.Lines(out.Bytes()) {
			if !json.Valid(answer) {
				t.Errorf("the answer %q is not valid JSON", answer)
			}
		}
	})
}
