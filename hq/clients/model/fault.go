package model

import (
	"fmt"
	"io"
	"net/http"
	"strings"
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
	Later        Fault = "later" // 429 that says when to come again
	Unpaid       Fault = "402"
	Broken       Fault = "500"
	Hanging      Fault = "hang" // no answer until the client goes away
	Cut          Fault = "cut"  // a stream that starts and breaks off
)

// SetFault gives the server a fault, or makes it [Well].
func (s *Server) SetFault(f Fault) { s.SetFaultAt("", f) }

// SetFaultAt is SetFault for requests to one path only, such as /v1/messages, so for one vendor's
// clients.
func (s *Server) SetFaultAt(path string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.faultAt = f, path
}

// refusal is what a vendor's server says of a fault.
type refusal struct {
	status     int
	kind, text string
}

// body returns what the servers of most vendors answer, or Google's.
func (f refusal) body(google bool) string {
	if google {
		return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q}}`, f.status, f.text, googles[f.status])
	}
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"code":%q,"message":%q}}`, f.kind, f.kind, f.text)
}

// googles are its names of errors.
var googles = map[int]string{
	http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "PERMISSION_DENIED",
	http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
	http.StatusPaymentRequired: "FAILED_PRECONDITION", http.StatusInternalServerError: "INTERNAL",
}

var faultWords = map[Fault]refusal{
	Unauthorized: {http.StatusUnauthorized, "authentication_error", "the scripted key is not valid"},
	Forbidden:    {http.StatusForbidden, "permission_error", "the scripted account may not use this model"},
	Spent: {http.StatusTooManyRequests, "insufficient_quota",
		"You exceeded your current quota, please check your plan and billing details."},
	Later:   {http.StatusTooManyRequests, "rate_limit_error", "Rate limit reached. Please try again in 1 hour."},
	Unpaid:  {http.StatusPaymentRequired, "billing_error", "the scripted account has no credit left"},
	Limited: {http.StatusTooManyRequests, "rate_limit_error", "the scripted quota is used up"},
	Broken:  {http.StatusInternalServerError, "api_error", "the scripted server is broken"},
}

// faulty puts the fault, if there is one, before the answer.
func (s *Server) faulty(well http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fault := s.fault
		if s.faultAt != "" && s.faultAt != r.URL.Path {
			fault = Well
		}
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
			if fault == Later {
				w.Header().Set("Retry-After", "3600")
			}
			w.WriteHeader(f.status)
			google := strings.HasPrefix(r.URL.Path, "/v1beta/")
			io.WriteString(w, f.body(google)) //nolint:errcheck // the client may be gone
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
