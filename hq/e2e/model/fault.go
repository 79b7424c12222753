package model

import (
	"fmt"
	"net/http"
)

// Fault is a way in which the server can be ill.
type Fault string

// The faults. Each is what every request gets until the server is well again.
const (
	Well         Fault = ""
	Unauthorized Fault = "401"
	Forbidden    Fault = "403"
	Limited      Fault = "429"
	Spent        Fault = "quota" // 429 that says so
	Broken       Fault = "500"
	Hanging      Fault = "hang" // no answer until the client goes away
	Cut          Fault = "cut"  // a stream that starts and breaks off
)

// Ail gives the server a fault, or makes it [Well].
func (s *Server) Ail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Words of the faults, as a vendor's server would say them.
var faultWords = map[Fault]struct {
	status     int
	kind, text string
}{
	Unauthorized: {http.StatusUnauthorized, "authentication_error", "the scripted key is not valid"},
	Forbidden:    {http.StatusForbidden, "permission_error", "the scripted account may not use this model"},
	Spent:        {http.StatusTooManyRequests, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."},
	Limited:      {http.StatusTooManyRequests, "rate_limit_error", "the scripted quota is used up"},
	Broken:       {http.StatusInternalServerError, "api_error", "the scripted server is broken"},
}

// faulty puts the fault, if there is one, before the answer.
func (s *Server) faulty(well http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fault := s.fault
		s.mu.Unlock()
		switch fault {
		case Well:
			well(w, r)
		case Hanging:
			decode(w, r) // or the server would not notice that the client went away
			<-r.Context().Done()
		case Cut:
			cut(w)
		default:
			f := faultWords[fault]
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(f.status)
			fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"code":%q,"message":%q}}`, f.kind, f.kind, f.text)
		}
	}
}

// cut starts a stream and closes the connection within a line.
func cut(w http.ResponseWriter) {
	newStream(w)
	fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"mess")
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}
