package agent

import "fmt"

// unsupportedAdapter is an adapter whose program cannot be launched for the loop. Its method
// returns why.
type unsupportedAdapter interface{ Unsupported() string }

// CheckSupported returns why an agent cannot be launched for the loop, or nil. Such an agent
// may still run in a pair, or be registered and started by hand.
func CheckSupported(a Adapter) error {
	if u, ok := a.(unsupportedAdapter); ok {
		return fmt.Errorf("cannot launch %s for the loop: %s; run it in ferrus pair, or register it"+
			" (ferrus register) and start it yourself", a.Name(), u.Unsupported())
	}
	return nil
}
