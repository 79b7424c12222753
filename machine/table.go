package machine

import "slices"

// Event is something that happened, with the facts its guards look at. Events are small
// comparable structs: what a guard must know of the world (does the tree match? is the
// lease held?) is gathered by the caller and passed in as a field. The dynamic type is
// part of the event: guards and changes assert it, so every row for a kind gets the
// type that has that kind.
type Event interface{ Kind() Kind }

// Effect is something the caller must do after a step. Effects are data: carrying
// one out twice must be harmless, because a crash can come between the two.
type Effect interface{ Kind() Kind }

// Snap is all that a machine remembers between two steps.
//
// D holds counters, tickets and flags. It is comparable, so that two snapshots are
// the same if they are equal and every reachable one can be visited; texts, hashes
// and times belong to the caller, for they would make the number of snapshots
// unlimited.
type Snap[D comparable] struct {
	// One of Table.States.
	At State `json:"at"`
	// Changed by Row.Set only.
	Data D `json:"data"`
}

// Guard is a named condition of a row.
//
// Exactly one of Holds and Met is set. A guard that Holds looks at the snapshot
// alone, so that it also decides whether a move is open before anything is asked; a
// guard that is Met needs the facts of the event, and counts as open until then.
// Guards have no effects and may be asked in any order, any number of times.
type Guard[D comparable] struct {
	Name     string // in kebab case where callers act on it; unique within a table
	Reason   string // what is not so when it fails: "no gate is running"
	Expected string // the shape that would satisfy it
	Fix      string // what would satisfy it, naming the tool to call
	// A role that cannot do it reads who must act instead; see [HonestFix].
	Fixer []Role // the roles that can do Fix; empty: the role that caused the event

	Holds func(Snap[D]) bool
	Met   func(Snap[D], Event) bool
	// Called only after the guard failed.
	Why func(Snap[D], Event) string // a Reason that depends on the event; nil: Reason
	// It lets one guard mean two things: a lease that is missing, and one that was
	// taken.
	As func(Snap[D], Event) Code // the code of the refusal; nil: GuardFailed

	Shape   func(Snap[D], Event) any         // Expected as data; nil: none
	Suggest func(Snap[D], Event) *Suggestion // the call that does Fix, shown to a Fixer only; nil: none
}

// ok reports whether the guard holds for an event.
func (g *Guard[D]) ok(s Snap[D], e Event) bool {
	if g.Holds != nil {
		return g.Holds(s)
	}
	return g.Met(s, e)
}

// Row is one rule of a table: in these states this event, by these roles and under
// these conditions, leads there and changes that.
//
// When selects among several rows for one event: at most one of them may apply, and
// a snapshot in which two do is a fault of the table (see [Ambiguous]). If lists
// what the selected row then requires. The difference is in the refusal: a row whose
// When fails was not meant, a row whose If fails was meant and is not allowed yet. A
// limit is therefore two rows with opposite When, one before the limit and one at it.
//
// It has more than 12 fields because a rule that is split over two values could not be
// read in one place.
type Row[D comparable] struct {
	// Never empty.
	From []State // all of Table.States: shown as "any"
	// Step finds rows by it, before it looks at anything else of the event.
	On   Kind
	By   []Role     // a role that is in no row for On is refused with NotYourRole everywhere
	When []Guard[D] // selects the row
	If   []Guard[D] // is required by it

	// At most one of these five is set; none: the machine stays where it is.
	To State // where it leads
	// The stack has two places, so no third pause may nest.
	Push bool // with To: the state that is left is pushed on the pause stack
	// Only for states that a Push leads to, or there is nothing to pop.
	Return bool          // leads to the top of the pause stack, and pops it
	Back   func(D) State // leads to a state that D keeps; given D from before Set
	May    []State       // with Return or Back: all states it can lead to, which a test holds to the truth

	// It sees neither the new state nor the pause that Push adds. It may clear the
	// stack, but not push.
	Set func(Snap[D], Event) D // returns the new Data, given the snapshot before; nil: unchanged
	// Their order is the order in which they are carried out.
	Emit func(Snap[D], Event) []Effect // returns the effects, given the snapshot after; nil: none
	Note string                        // what Set and Emit do, for the rendered table
}

// Table is a machine as data. The engine, the rendered documents, the options of a
// refusal and the exhaustive tests all read the same rows, so none can drift from
// the others. A table is built once and then only read; it is safe for concurrent use.
type Table[D comparable] struct {
	Name   string  // in refusals and errors
	States []State // all of them, in the order in which they are shown; the first is initial
	Final  []State // final states: an event without a row is refused with FINAL there
	// The rendered table and refusals have this order. It never decides which
	// row applies.
	Rows []Row[D]

	Stack func(*D) *Stack // returns the pause stack in D; nil if no row pushes
	// Asked after the role and before the state, so that a late answer is not mistaken
	// for a wrong one.
	Late    func(Snap[D], Event) bool   // reports that the event answers what is no longer open; nil: never
	LateWhy func(Snap[D], Event) string // returns the reason, called only if Late reports so; nil: a general one
}

// Ambiguous is returned by [Table.Step] when two rows apply. It is a fault of the
// table, never of a caller: exploration finds it before a release does. Callers treat
// it as a failure: nothing has changed, and repeating does not help.
type Ambiguous struct {
	Machine string
	State   State
	Event   Kind
}

func (a *Ambiguous) Error() string {
	return a.Machine + ": two rows for " + string(a.Event) + " while " + string(a.State)
}

// Step returns the snapshot after an event that a role caused, and the effects to
// carry out in their order. The error is a [*Refusal], or an [*Ambiguous] from a
// faulty table; the snapshot is then returned unchanged and there are no effects.
//
// The refusals are tested in a fixed order, from what no call could change to what a
// better call would: a role that may never cause the event, an event that comes too
// late, a state without a row for it (or for the role), and last the guards.
func (t *Table[D]) Step(s Snap[D], by Role, e Event) (Snap[D], []Effect, error) {
	i, code, err := t.find(s, by, e)
	if code != "" {
		err = t.refuse(s, by, e, code)
	}
	if err != nil {
		return s, nil, err
	}
	next, effects := t.apply(i, s, e)
	return next, effects, nil
}

// Match returns the index of the row that [Table.Step] would take, and -1 where it
// would refuse the event. Unlike a refusal it describes nothing, which makes it cheap.
func (t *Table[D]) Match(s Snap[D], by Role, e Event) (int, error) {
	i, _, err := t.find(s, by, e)
	return i, err
}

// Denies returns why [Table.Step] would refuse the event: the reason of the first guard that fails, and
// else the refusal; empty: it would take it. It names no other moves, which makes it cheap.
func (t *Table[D]) Denies(s Snap[D], by Role, e Event) string {
	_, code, err := t.find(s, by, e)
	switch code {
	case "":
		if err != nil {
			return err.Error()
		}
		return ""
	case GuardFailed:
		return t.unmet(s, by, e)[0].fail(s, by, e).Reason
	}
	return t.refuse(s, by, e, code).Error()
}

// find returns the number of the one row that answers e, or the code of its refusal. It
// returns exactly one of the three. Exploration calls it for every call in every snapshot,
// and most are refused, so it collects nothing: [Table.unmet] does.
func (t *Table[D]) find(s Snap[D], by Role, e Event) (int, Code, error) {
	on := e.Kind()
	if !t.mayEver(by, on) {
		return -1, NotYourRole, nil
	}
	if t.Late != nil && t.Late(s, e) {
		return -1, Stale, nil
	}
	found, here, mine := -1, false, false
	for i := range t.Rows {
		row := &t.Rows[i]
		if !row.isFor(on, s.At) {
			continue
		}
		here = true
		if !slices.Contains(row.By, by) {
			continue
		}
		mine = true
		if !met(row.When, s, e) {
			continue
		}
		if found >= 0 {
			return -1, "", &Ambiguous{t.Name, s.At, on}
		}
		found = i
	}
	switch {
	case !mine:
		return -1, t.missing(s.At, here), nil
	case found < 0 || !met(t.Rows[found].If, s, e):
		return -1, GuardFailed, nil
	}
	return found, "", nil
}

// isFor reports whether the row is for an event in a state.
func (r *Row[D]) isFor(on Kind, at State) bool { return r.On == on && slices.Contains(r.From, at) }

// unmet returns the guards for which find refuses e with GuardFailed, in the order of the
// rows; one that two rows share is there twice. If no When holds, it returns the guards
// of all rows, since any row could have been meant.
func (t *Table[D]) unmet(s Snap[D], by Role, e Event) (all []*Guard[D]) {
	for i := range t.Rows {
		row := &t.Rows[i]
		if !row.isFor(e.Kind(), s.At) || !slices.Contains(row.By, by) {
			continue
		}
		no := failing(row.When, s, e)
		if len(no) == 0 {
			return failing(row.If, s, e)
		}
		all = append(all, no...)
	}
	return all
}

// apply takes a row: Set sees the snapshot before, then the state and the pause
// stack change, and Emit sees the result.
func (t *Table[D]) apply(i int, s Snap[D], e Event) (Snap[D], []Effect) {
	row, next := &t.Rows[i], s
	if row.Set != nil {
		next.Data = row.Set(s, e)
	}
	switch {
	case row.Push:
		t.Stack(&next.Data).Push(s.At)
		next.At = row.To
	case row.Return:
		next.At = t.Stack(&next.Data).Pop()
	case row.Back != nil:
		next.At = row.Back(s.Data)
	case row.To != "":
		next.At = row.To
	}
	if row.Emit == nil {
		return next, nil
	}
	return next, row.Emit(next, e)
}

// mayEver reports whether a role can cause an event in any state. An event that is in
// no row at all counts as possible, so that it is refused as a missing transition. It
// is asked before the state, so such a role is refused alike everywhere.
func (t *Table[D]) mayEver(by Role, on Kind) bool {
	known := false
	for i := range t.Rows {
		if t.Rows[i].On == on {
			known = true
			if slices.Contains(t.Rows[i].By, by) {
				return true
			}
		}
	}
	return !known
}

// missing returns the code for a state without a row of the caller's; here says that
// there are rows of other roles.
func (t *Table[D]) missing(at State, here bool) Code {
	switch {
	case here:
		return NotYourRole
	case slices.Contains(t.Final, at):
		return Final
	}
	return NoSuchTransition
}

// met reports whether all guards hold.
func met[D comparable](guards []Guard[D], s Snap[D], e Event) bool {
	for i := range guards {
		if !guards[i].ok(s, e) {
			return false
		}
	}
	return true
}

// failing returns the guards that do not hold, in their order.
func failing[D comparable](guards []Guard[D], s Snap[D], e Event) (no []*Guard[D]) {
	for i := range guards {
		if !guards[i].ok(s, e) {
			no = append(no, &guards[i])
		}
	}
	return no
}
