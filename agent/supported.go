package agent

import "fmt"

// unsupported is an adapter whose program cannot be launched for the loop, and why.
type unsupported interface{ unfit() string }

// CheckSupported says why an agent cannot be launched for the loop; nil when it can. One that
// cannot may still play in a pair, or be registered and started by hand.
func CheckSupported(a Adapter) error {
	if u, ok := a.(unsupported); ok {
		return fmt.Errorf("%s cannot be launched for the loop: %s; it plays in ferrus pair, and in the loop when it is registered (ferrus register) and started by hand", a.Name(), u.unfit())
	}
	return nil
}

// Modes are what an agent can do, as far as its adapter can word it: for the table of
// the README.
type Modes struct {
	Loop, Screen, Pair, Register bool // headless in the loop, on its own screen there, in a pair, registered
	Tokens, Cost                 bool // reported by headless sessions
	Note                         string
}

// ModesOf tries what the adapter of an agent can word.
func ModesOf(a Adapter) Modes {
	l := Launch{Role: "executor", Mode: "work", Prompt: "x", Workspace: "/", Project: "/", Ferrus: "/ferrus"}
	var m Modes
	can := func(interactive, alone bool) bool {
		l.Interactive, l.NoServer = interactive, alone
		_, err := a.Invoke(l)
		return err == nil
	}
	m.Loop, m.Screen, m.Pair = can(false, false), can(true, false), can(false, true)
	_, m.Register = a.(Registrar)
	m.Tokens, m.Cost = ReportsUsage(a.Name())
	if u, ok := a.(unsupported); ok {
		m.Note = u.unfit()
	}
	if n, ok := a.(interface{ note() string }); ok {
		m.Note = n.note()
	}
	return m
}
