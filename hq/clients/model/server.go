package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Server answers model requests on loopback.
type Server struct {
	URL    string // http://127.0.0.1:PORT, without a path
	script func(Conversation) Action
	http   *http.Server

	control               // of tests
	mu         sync.Mutex // guards what follows
	tap        func(body string)
	requests   []string
	complaints []string
}

// Start serves script until Close.
func Start(script func(Conversation) Action) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("model server: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String(), script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"input_tokens":1}`)
	})
	mux.HandleFunc("POST /v1/responses", s.responses)
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1beta/models/{call}", s.gemini)
	mux.HandleFunc("HEAD /{$}", func(http.ResponseWriter, *http.Request) {})
	s.http = &http.Server{Handler: s.logged(s.control.wrap(mux))}
	go s.http.Serve(listener)
	return s, nil
}

// Close stops the server and what it still answers.
func (s *Server) Close() error { return s.http.Close() }

// Requests lists method and path of everything that was asked.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Complaints lists what the script missed in what it was given.
func (s *Server) Complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.complaints...)
}

// Tap makes the server call f with the body of every request from now on, concurrently
// if requests are.
func (s *Server) Tap(f func(body string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tap = f
}

func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		tap := s.tap
		s.mu.Unlock()
		if tap != nil {
			body, _ := io.ReadAll(r.Body) // what a client has not sent is no request
			tap(string(body))
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}

// decide asks the script and keeps its complaint.
func (s *Server) decide(c Conversation) Action {
	if len(c.Tools) == 0 {
		return Action{Text: "ok"} // titles, suggestions and other side requests
	}
	action := s.script(c)
	if complaint, ok := strings.CutPrefix(action.Text, "complaint: "); ok {
		s.mu.Lock()
		s.complaints = append(s.complaints, complaint)
		s.mu.Unlock()
	}
	return action
}

// stream writes server-sent events.
type stream struct {
	w http.ResponseWriter
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return &stream{w: w}
}

func (s *stream) send(event string, data map[string]any) {
	if event != "" {
		data["type"] = event
		fmt.Fprintf(s.w, "event: %s\n", event)
	}
	line, _ := json.Marshal(data)
	fmt.Fprintf(s.w, "data: %s\n\n", line)
	s.w.(http.Flusher).Flush()
}

func decode(w http.ResponseWriter, r *http.Request) (map[string]any, bool) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
		return nil, false
	}
	return body, true
}

func list(v any) []map[string]any {
	items, _ := v.([]any)
	var maps []map[string]any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			maps = append(maps, m)
		}
	}
	return maps
}

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func object(raw string) map[string]any {
	var m map[string]any
	_ = json.Unmarshal([]byte(raw), &m) // a model's own arguments; empty when they were none
	return m
}

func encode(args map[string]any) string {
	if args == nil {
		args = map[string]any{}
	}
	b, _ := json.Marshal(args)
	return string(b)
}
