package process

import "testing"

// A parent that ends during the walk leaves its children to another process.
func TestAncestryOfAnAdoptedProcess(t *testing.T) {
	parent := 20
	lookup := func(pid int) (Process, error) {
		switch pid {
		case 30:
			return Process{PID: 30, Parent: parent}, nil
		case 20: // ends when it is looked for
			parent = 10
			return Process{}, ErrGone
		case 10:
			return Process{PID: 10, Parent: 1}, nil
		}
		return Process{PID: 1}, nil
	}
	chain, err := ancestry(30, lookup)
	if err != nil || len(chain) != 3 || chain[1].PID != 10 {
		t.Errorf("the chain is %+v, %v", chain, err)
	}
}
