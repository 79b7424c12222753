//go:build e2e

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

// answer answers a request with a fault, and reports whether there is one.
func (f Fault) answer(w http.ResponseWriter, r *http.Request) bool {
	switch f {
	case Well:
		return false
	case Hanging:
		decode(w, r) // or the server would not notice that the client went away
		<-r.Context().Done()
	case Cut:
		cut(w)
	default:
		words := faultWords[f]
		w.Header().Set("Content-Type", "application/json")
		if f == Later {
			w.Header().Set("Retry-After", "3600")
		}
		w.WriteHeader(words.status)
		google := strings.HasPrefix(r.URL.Path, "/v1beta/")
		io.WriteString(w, words.body(google)) //nolint:errcheck // the client may be gone
	}
	return true
}

// cut starts a stream and closes the connection within a line.
func cut(w http.ResponseWriter) {
	newStream(w)
	fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"mess")
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}
