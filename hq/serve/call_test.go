package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestFaultIsAnErrorOfOneCall(t *testing.T) {
	s := &server{conn: &conn{log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
	handler := s.recovering(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("a bug") })
	_, err := handler(t.Context(), "tools/call", nil)
	wire := (*jsonrpc.Error)(nil)
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInternalError || wire.Message != "a fault in ferrus: a bug" {
		t.Errorf("got %v, want an internal error that says it is a bug", err)
	}
}

func TestKeyIgnoresTheOrderOfArguments(t *testing.T) {
	a := callKey("s", "t", map[string]string{"x": "1", "y": "2"})
	if b := callKey("s", "t", map[string]string{"y": "2", "x": "1"}); a != b {
		t.Errorf("the keys are %q and %q, want the same", a, b)
	}
	for _, other := range []string{callKey("r", "t", map[string]string{"x": "1", "y": "2"}),
		callKey("s", "u", map[string]string{"x": "1", "y": "2"}), callKey("s", "t", nil)} {
		if other == a {
			t.Errorf("%q stands for two calls", a)
		}
	}
}
