//go:build e2e

package model

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	s := start(t, LoopScript)
	for fault, want := range map[Fault]int{Unauthorized: 401, Limited: 429, Broken: 500} {
		s.SetFault(fault)
		for _, f := range formats {
			if status, _ := post(t, s, f.path, f.body(workPrompt, ferrusTools, nil)); status != want {
				t.Errorf("%s answers %d, not %d", f.name, status, want)
			}
		}
	}
	s.SetFault(Well)
	for _, f := range formats {
		if got := f.ask(t, s, f.body(workPrompt, ferrusTools, nil)); got.Tool.Name != prefix+"wait_for_task" {
			t.Errorf("%s, well again, acts %+v", f.name, got)
		}
	}
	if len(s.Requests()) != 12 {
		t.Errorf("requests %q", s.Requests())
	}
}

func TestACutStreamEndsInTheMiddle(t *testing.T) {
	s := start(t, LoopScript)
	s.SetFault(Cut)
	response, err := http.Post(s.URL+"/v1/messages", "application/json", bytes.NewReader([]byte("{}")))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if data, err := io.ReadAll(response.Body); err == nil || len(data) == 0 {
		t.Errorf("read %q, %v", data, err)
	}
}

func TestAHangingServerLetsGo(t *testing.T) {
	s := start(t, LoopScript)
	s.SetFault(Hanging)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/responses", bytes.NewReader([]byte("{}")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(request); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("answered %v", err)
	}
}
