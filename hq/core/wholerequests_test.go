package core

import (
	"strings"
	"testing"
)

func TestWholeRequestsAreBounded(t *testing.T) {
	open := []PermissionRequest{{Number: 1}, {Number: 2}}
	w := WholeRequests{}
	for n := range uint64(100) {
		w = w.With(n+1, strings.Repeat("x", 64<<10), open)
	}
	back, err := DecodeRequests(w.Encode())
	if err != nil || back[1] == "" || back[2] == "" || back[100] == "" || back[99] == "" || back[50] != "" {
		t.Errorf("%v: the wrong ones of %d are kept", err, len(back))
	}
	if size := len(w.Encode()); size > maxWhole+3*(64<<10) {
		t.Errorf("%d bytes are kept", size)
	}
	if words := (WholeRequests{12: "b", 3: "a"}).String(); words != "request 3:\na\nrequest 12:\nb\n" {
		t.Errorf("the requests in words are %q, want both by number", words)
	}
	if _, err := DecodeRequests("{"); err == nil || !strings.Contains(err.Error(), PermissionsText) {
		t.Errorf("the error is %v, want one that names %s", err, PermissionsText)
	}
}
