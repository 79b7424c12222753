package machine

// Stack is the pause stack: the states that a machine returns to once it is
// answered, innermost last, with empty places at the end.
//
// It is an array, because slices cannot be compared. Its length is the depth to which
// pauses nest: a question to the human (1) during a consultation (2). A row that pushes
// a third state is a fault of the table, which exploration finds. The zero Stack has no
// pause.
type Stack [2]State

// Push puts s on top. It panics if the stack is full.
func (k *Stack) Push(s State) {
	for i := range k {
		if k[i] == "" {
			k[i] = s
			return
		}
	}
	panic("machine: the pause stack is full") // exploration shows that no row does this
}

// Pop removes the top and returns it. It panics if the stack is empty.
func (k *Stack) Pop() State {
	for i := len(k) - 1; i >= 0; i-- {
		if top := k[i]; top != "" {
			k[i] = ""
			return top
		}
	}
	panic("machine: nothing is paused") // exploration shows that no row does this
}

// Top returns the state that a return leads to; empty if nothing is paused. It does not
// change the stack.
func (k Stack) Top() State {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i] != "" {
			return k[i]
		}
	}
	return ""
}

// States returns the paused states, innermost last. It is never nil, so that it is
// stored as [] and not as null.
func (k Stack) States() []State {
	all := []State{}
	for _, s := range k {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}
