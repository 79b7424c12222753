package conductor

import (
	"encoding/json"
	"fmt"

	"ferrus/hq/core"
	"ferrus/store"
)

// repeats is how often the same failure of the gate on the same tree is seen in a
// row before the person is asked: who checks again without a change gets nowhere.
const repeats = 3

// repetition counts them, from the journal alone, so that a new conductor knows
// as much.
type repetition struct {
	tree, why string
	times     int
}

// witness takes in a line of the journal.
func (r *repetition) witness(line store.Line) {
	switch line.Event {
	case "check", "claim", "release", "deliver", "hold":
		return
	case "checked":
	default:
		*r = repetition{} // something else happened
		return
	}
	var change struct {
		Gate struct {
			Verdict core.Verdict `json:"verdict"`
			Tree    string       `json:"tree"`
		} `json:"gate"`
	}
	if json.Unmarshal(line.Data, &change) != nil || change.Gate.Verdict != core.Fail || change.Gate.Tree == "" {
		*r = repetition{}
		return
	}
	if change.Gate.Tree != r.tree || line.Why != r.why {
		*r = repetition{tree: change.Gate.Tree, why: line.Why}
	}
	r.times++
}

// settleRepeats holds a task whose executor does the same again and again, and
// shows what it said last.
func (c *Conductor) settleRepeats() {
	if c.repeated.times < repeats || c.state.World.Hold != nil || c.state.World.State != "Addressing" {
		return
	}
	because := fmt.Sprintf("the check failed %d times in the same way on the same tree: %s", c.repeated.times, c.repeated.why)
	if s := c.slots[core.SlotExecutor]; s != nil && s.terminal != nil {
		because += "; the executor said last: " + s.said()
	}
	c.notice(true, "%s; look at its pane, then /resume", because)
	c.hold("no-progress", because)
}
