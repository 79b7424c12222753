package session

import "ferrus/machine"

// Table is the machine under a policy.
func Table(p Policy) *machine.Table[Data] {
	return &machine.Table[Data]{Name: "session"}
}
