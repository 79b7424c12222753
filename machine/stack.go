package machine

// Stack is the pause stack: what a machine goes back to when it is answered,
// innermost last. It is an array so that it can be compared. Two is as deep as
// the table of a task nests; a row that pushes a third is a fault of the table.
type Stack [2]State

// Push puts s on top.
func (k *Stack) Push(s State) {
	for i := range k {
		if k[i] == "" {
			k[i] = s
			return
		}
	}
	panic("machine: the pause stack is full") // exploration shows that no row does this
}

// Pop takes the top off. It panics when there is none, which no row can cause.
func (k *Stack) Pop() State {
	for i := len(k) - 1; i >= 0; i-- {
		if top := k[i]; top != "" {
			k[i] = ""
			return top
		}
	}
	panic("machine: nothing is paused")
}

// Top is what a return leads to; empty when nothing is paused.
func (k Stack) Top() State {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i] != "" {
			return k[i]
		}
	}
	return ""
}

// States lists what is paused, innermost last.
func (k Stack) States() []State {
	all := []State{}
	for _, s := range k {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}
