package turn

import (
	"runtime"
	"testing"
)

func TestGatesHaveTheirTurnInOrder(t *testing.T) {
	var line Gates
	ahead := map[string]int{}
	join := func(name string) *Place {
		return line.Join(Check, func(n int) { ahead[name] = n })
	}
	hasTurn := func(p *Place) bool {
		select {
		case <-p.Turn:
			return true
		default:
			return false
		}
	}
	one, two, three := join("one"), join("two"), join("three")
	if !hasTurn(one) || hasTurn(two) || hasTurn(three) || ahead["two"] != 1 || ahead["three"] != 2 {
		t.Fatalf("the places are %v", ahead)
	}
	line.Leave(two) // it was cancelled
	if hasTurn(three) || ahead["three"] != 1 {
		t.Errorf("the places are %v", ahead)
	}
	line.Leave(one)
	four := join("four")
	if !hasTurn(three) || hasTurn(four) || ahead["four"] != 1 {
		t.Errorf("the places are %v", ahead)
	}
	line.Leave(three)
	line.Leave(four)
	if len(line.places) > 0 {
		t.Errorf("%d places are left", len(line.places))
	}
}

// A merge goes before what was submitted, and that before checks; none is interrupted.
func TestGatesHaveTheirTurnByRank(t *testing.T) {
	t.Parallel()
	var line Gates
	line.SetLimit(2)
	order := ""
	places := map[string]*Place{}
	for _, c := range []struct {
		name string
		rank Rank
	}{{"a", Check}, {"b", Check}, {"c", Check}, {"d", Submit}, {"e", Merge}, {"f", Submit}} {
		places[c.name] = line.Join(c.rank, func(int) {})
	}
	for _, p := range line.places {
		for name, other := range places {
			if p == other {
				order += name
			}
		}
	}
	if order != "abedfc" || !places["b"].has || places["e"].has {
		t.Errorf("they have their turn in the order %s", order)
	}
}

// A gate that runs again alone waits until the others have ended, and keeps the next ones waiting; two that want
// it have it one after another.
func TestAGateRunsAlone(t *testing.T) {
	t.Parallel()
	var line Gates
	line.SetLimit(3)
	join := func() *Place { return line.Join(Check, func(int) {}) }
	one, two, three, four := join(), join(), join(), join()
	alone := make(chan *Place)
	for _, p := range []*Place{one, two} {
		go func() {
			if line.WaitAlone(t.Context(), p) == nil {
				alone <- p
			}
		}()
	}
	for waiting := 0; waiting < 2; {
		runtime.Gosched()
		line.mu.Lock()
		waiting = 0
		for _, p := range line.places {
			if p.alone != nil {
				waiting++
			}
		}
		line.mu.Unlock()
	}
	select {
	case <-alone:
		t.Fatal("it is alone beside another one")
	case <-three.Turn:
	}
	line.Leave(three)
	first := <-alone
	if four.has || !line.Crowded(four) {
		t.Error("another one begins beside it")
	}
	line.Leave(first)
	second := <-alone
	if second == first || four.has {
		t.Errorf("the other one is not alone: %+v", four)
	}
	line.Leave(second)
	<-four.Turn
}
