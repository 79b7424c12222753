package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Usage is what one session used, as its agent reported it. It is a claim of the
// agent's, read from its output or files, and used for display and limits only.
type Usage struct {
	Input  int      `json:"input_tokens"`        // including Cached
	Cached int      `json:"cached_input_tokens"` // the part of Input that was read from a cache
	Output int      `json:"output_tokens"`
	Silent bool     `json:"tokens_unknown,omitempty"` // only the cost was reported
	Cost   *float64 `json:"cost_usd,omitempty"`       // US dollars; nil: not reported
}

// UsageTotal adds up what sessions used. It does not include what some of them did not
// report, and counts these. The zero value is a total of no sessions. So its numbers
// are lower bounds as soon as Silent or Unpriced is above 0.
type UsageTotal struct {
	Sessions              int
	Input, Cached, Output int // in tokens; Cached is a part of Input
	Cost                  float64
	Silent, Unpriced      int // sessions that did not report tokens, or a cost
}

// Add adds a session; nil: it reported nothing.
func (s *UsageTotal) Add(u *Usage) {
	s.Sessions++
	if u == nil || u.Silent {
		s.Silent++
	} else {
		s.Input, s.Cached, s.Output = s.Input+u.Input, s.Cached+u.Cached, s.Output+u.Output
	}
	if u == nil || u.Cost == nil {
		s.Unpriced++
	} else {
		s.Cost += *u.Cost
	}
}

// Plus returns the sum of two totals.
func (s UsageTotal) Plus(o UsageTotal) UsageTotal {
	return UsageTotal{
		Sessions: s.Sessions + o.Sessions, Input: s.Input + o.Input, Cached: s.Cached + o.Cached,
		Output: s.Output + o.Output, Cost: s.Cost + o.Cost,
		Silent: s.Silent + o.Silent, Unpriced: s.Unpriced + o.Unpriced,
	}
}

// Tokens returns the tokens read and written.
func (s UsageTotal) Tokens() int { return s.Input + s.Output }

// metered and priced report whether at least one session reported tokens, or a cost.
func (s UsageTotal) metered() bool { return s.Silent < s.Sessions }
func (s UsageTotal) priced() bool  { return s.Unpriced < s.Sessions }

// Short returns the total for a narrow place: 12.3k tok $0.42. A plus marks what only
// some of the sessions reported; what none reported is left out. Empty if nothing was
// reported.
func (s UsageTotal) Short() string {
	words := ""
	if s.metered() {
		words = FormatCount(s.Tokens()) + partialMark(s.Silent) + " tok"
	}
	if s.priced() {
		if words != "" {
			words += " "
		}
		words += fmt.Sprintf("$%.2f%s", s.Cost, partialMark(s.Unpriced))
	}
	return words
}

// partialMark returns a plus if n sessions are missing from a number.
func partialMark(n int) string {
	if n > 0 {
		return "+"
	}
	return ""
}

// String returns the total in full, without what no session reported.
func (s UsageTotal) String() string {
	if s.Sessions == 0 {
		return "no session has ended"
	}
	words := ""
	if s.metered() {
		words = fmt.Sprintf("%s tokens (%s in", FormatCount(s.Tokens()), FormatCount(s.Input))
		if s.Cached > 0 {
			words += fmt.Sprintf(", %s of it cached", FormatCount(s.Cached))
		}
		words += fmt.Sprintf(", %s out)", FormatCount(s.Output)) + s.missing(s.Silent)
	}
	if s.priced() {
		words += fmt.Sprintf(", $%.4f", s.Cost) + s.missing(s.Unpriced)
	}
	return cmp.Or(strings.TrimPrefix(words, ", "), "not reported")
}

// missing says for how many sessions a number is unknown; empty: for none.
func (s UsageTotal) missing(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and unknown for %d of %d sessions", n, s.Sessions)
}

// MarshalJSON writes null for what no session reported.
func (s UsageTotal) MarshalJSON() ([]byte, error) {
	var out struct {
		Sessions int      `json:"sessions"`
		Tokens   *int     `json:"tokens"`
		Input    *int     `json:"input_tokens"`
		Cached   *int     `json:"cached_input_tokens"`
		Output   *int     `json:"output_tokens"`
		Cost     *float64 `json:"cost_usd"`
		Silent   int      `json:"sessions_without_tokens"`
		Unpriced int      `json:"sessions_without_cost"`
	}
	out.Sessions, out.Silent, out.Unpriced = s.Sessions, s.Silent, s.Unpriced
	if s.metered() {
		tokens := s.Tokens()
		out.Tokens, out.Input, out.Cached, out.Output = &tokens, &s.Input, &s.Cached, &s.Output
	}
	if s.priced() {
		out.Cost = &s.Cost
	}
	return json.Marshal(out)
}

// TaskUsage adds up what the sessions of one task used, in total and by role.
type TaskUsage struct {
	Total UsageTotal                  `json:"total"`
	Roles map[machine.Role]UsageTotal `json:"roles"`
}

// Add adds a session of a role.
func (t *TaskUsage) Add(role machine.Role, u *Usage) {
	t.Total.Add(u)
	if t.Roles == nil {
		t.Roles = map[machine.Role]UsageTotal{}
	}
	s := t.Roles[role]
	s.Add(u)
	t.Roles[role] = s
}

// FormatCount returns a number with three significant digits: 950, 12.3k, 4.56M.
// Rounding goes up to the next unit: 999.5 thousand is 1.00M.
func FormatCount(n int) string {
	f, unit := float64(n), ""
	for _, next := range []string{"k", "M", "G", "T"} {
		if f < 999.5 {
			break
		}
		f, unit = f/1000, next
	}
	switch {
	case unit == "":
		return fmt.Sprint(n)
	case f < 9.995:
		return fmt.Sprintf("%.2f%s", f, unit)
	case f < 99.95:
		return fmt.Sprintf("%.1f%s", f, unit)
	}
	return fmt.Sprintf("%.0f%s", f, unit)
}

// Amount is an amount of usage, used or allowed. In a limit, 0 is none.
type Amount struct {
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost_usd"`
}

// IsLimit reports a hold for what the task used. Running sessions may finish.
func (h Hold) IsLimit() bool { return h.Reason == HoldTokens || h.Reason == HoldCost }

// OverLimit returns the reason to put the task on hold for what its sessions used;
// empty: none. A limit counts from the amount at which the human was last asked about
// it; a limit of 0 is no limit. A task that is not being worked on, or is on hold, is
// left alone. Sessions that run are not interrupted: what they have begun is paid for.
func (w World) OverLimit(s UsageTotal, lim Amount) string {
	switch w.Normalize().State {
	case task.Idle, task.Complete, task.Failed:
		return ""
	}
	if w.Task == nil || w.Hold != nil {
		return ""
	}
	var asked Amount
	if w.Task.Asked != nil {
		asked = *w.Task.Asked
	}
	switch {
	case lim.Tokens > 0 && s.Tokens()-asked.Tokens > lim.Tokens:
		return HoldTokens
	case lim.Cost > 0 && s.Cost-asked.Cost > lim.Cost:
		return HoldCost
	}
	return ""
}
