package budgets

import (
	"fmt"
	"testing"
)

// budget is a limit. It holds if the measured value is at most the limit or, for a rate, at least
// the limit.
type budget struct {
	name    string
	unit    string
	limit   float64
	atLeast bool
}

// report prints a measurement next to its limit. Peer names the program that it is compared with.
func (g budget) report(b *testing.B, measured float64, peer string, other float64) {
	b.Helper()
	sign, holds := "<=", measured <= g.limit
	if g.atLeast {
		sign, holds = ">=", measured >= g.limit
	}
	verdict := map[bool]string{true: "pass", false: "FAIL"}[holds]
	if peer != "" {
		peer = fmt.Sprintf("  %s %.3g", peer, other)
	}
	fmt.Printf("budget  %-44s %10.3g %s %-6.4g %-5s %s%s\n", g.name, measured, sign, g.limit, g.unit, verdict, peer)
}
