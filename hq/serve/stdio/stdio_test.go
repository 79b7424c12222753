package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestTransport(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":%,"method":"ping"}`
	req := func(id string) string { return strings.ReplaceAll(ping, "%", id) }
	cases := []struct {
		name, in string
		methods  int    // messages that get through
		answers  string // codes of what is answered, with the id
	}{
		{"one", req("1") + "\n", 1, ""},
		{"without a last newline", req("1"), 1, ""},
		{"windows", req("1") + "\r\n" + req("2") + "\r\n", 2, ""},
		{"blank lines", "\n\n  \n" + req("1") + "\n\n", 1, ""},
		{"garbage between", req("1") + "\nhello\n" + req("2") + "\n", 2, "null:-32700"},
		{"half a value", `{"jsonrpc":` + "\n" + req("2") + "\n", 1, "null:-32700"},
		{"two values on a line", req("1") + req("2") + "\n" + req("3") + "\n", 1, "null:-32700"},
		{"not utf-8", "\xff\xfe\n" + req("1") + "\n", 1, "null:-32700"},
		{"a text that is not utf-8", `{"jsonrpc":"2.0","id":1,"method":"` + "caf\xe9" + `"}` + "\n", 0, "1:-32700"},
		{"no message", `{"id":7}` + "\n" + req("1") + "\n", 1, "7:-32600"},
		{"another version", `{"jsonrpc":"1.0","id":"x","method":"ping"}` + "\n", 0, `"x":-32600`},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n", 0, "null:-32600"},
		{"scalars", "1\n\"a\"\nnull\ntrue\n" + req("1") + "\n", 1, "null:-32600 null:-32600 null:-32600 null:-32600"},
		{"batch", "[" + req("1") + "," + req("2") + "]\n", 2, ""},
		{"long batch", "[" + strings.Repeat("5,", openLimit) + "5]\n" + req("1") + "\n", 1, "null:-32600"},
		{"batch with a fault", "[" + req("1") + ",5]\n", 1, "null:-32600"},
		{"empty batch", "[]\n" + req("1") + "\n", 1, "null:-32600"},
		{"too long", strings.Repeat("x", lineLimit+1) + "\n" + req("1") + "\n", 1, "null:-32700"},
		{"too long at the end", req("1") + "\n" + strings.Repeat("x", lineLimit+1), 1, ""},
		{"deep", strings.Repeat("[", 20000) + "\n" + req("1") + "\n", 1, "null:-32700"},
		{"an id again", req("1") + "\n" + req("2") + "\n" + req("1") + "\n" + req(`"1"`) + "\n", 3, "null:-32600"},
		{"nothing", "", 0, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w := New(strings.NewReader(c.in), &out)
			w.linger = 0 // nothing answers here
			if _, err := w.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := 0
			for {
				message, err := w.Read(t.Context())
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if r, ok := message.(*jsonrpc.Request); !ok || r.Method != "ping" || requestOf(r) == "" {
					t.Errorf("read %#v, want ping", message)
				}
				got++
			}
			if got != c.methods {
				t.Errorf("read %d messages, want %d", got, c.methods)
			}
			if answers := codes(t, out.String()); answers != c.answers {
				t.Errorf("answered %q, want %q", answers, c.answers)
			}
		})
	}
}

func TestReadEndsWhenClosed(t *testing.T) {
	in, _ := io.Pipe()
	w := New(in, io.Discard)
	_, _ = w.Connect(t.Context())
	_ = w.Close()
	_ = w.Close()
	if _, err := w.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want EOF", err)
	}
	_ = in.Close()
}

func requestOf(r *jsonrpc.Request) string {
	extra, _ := r.Extra.(*mcp.RequestExtra)
	return RequestID(extra)
}

// codes returns the ids and error codes of answers, one per line.
func codes(t *testing.T, out string) string {
	t.Helper()
	var all []string
	for line := range strings.Lines(out) {
		var a struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   struct {
				Code    json.Number `json:"code"`
				Message string      `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.JSONRPC != "2.0" || a.Error.Message == "" {
			t.Errorf("%q: %v, want a JSON-RPC error", line, err)
		}
		all = append(all, string(a.ID)+":"+a.Error.Code.String())
	}
	return strings.Join(all, " ")
}
