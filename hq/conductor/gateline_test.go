package conductor

import "testing"

func TestGatesHaveTheirTurnInOrder(t *testing.T) {
	var line gateLine
	ahead := map[string]int{}
	join := func(name string) *linePlace {
		return line.join(func(n int) { ahead[name] = n })
	}
	hasTurn := func(p *linePlace) bool {
		select {
		case <-p.turn:
			return true
		default:
			return false
		}
	}
	one, two, three := join("one"), join("two"), join("three")
	if !hasTurn(one) || hasTurn(two) || hasTurn(three) || ahead["two"] != 1 || ahead["three"] != 2 {
		t.Fatalf("the places are %v", ahead)
	}
	line.leave(two) // it was cancelled
	if hasTurn(three) || ahead["three"] != 1 {
		t.Errorf("the places are %v", ahead)
	}
	line.leave(one)
	four := join("four")
	if !hasTurn(three) || hasTurn(four) || ahead["four"] != 1 {
		t.Errorf("the places are %v", ahead)
	}
	line.leave(three)
	line.leave(four)
	if len(line.places) > 0 {
		t.Errorf("%d places are left", len(line.places))
	}
}
