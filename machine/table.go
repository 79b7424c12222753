package machine

import (
	"slices"
)

// Event is something that happened, with the facts its guards look at. Events
// are small comparable structs.
type Event interface{ Kind() Kind }

// Effect is something the caller must now do. Effects are data.
type Effect interface{ Kind() Kind }

// Snap is all that a machine remembers. D is comparable so that every reachable
// snapshot can be visited; hashes, texts and times are never in it.
type Snap[D comparable] struct {
	At   State `json:"at"`
	Data D     `json:"data"`
}

// Guard is a named condition. Exactly one of Holds and Met is set: a guard that
// Holds decides by the snapshot alone, and so also says whether a move is open
// before anybody asks for it.
type Guard[D comparable] struct {
	Name     string
	Reason   string // what is not so when it fails
	Expected string // the shape that would satisfy it
	Fix      string // what would satisfy it, in words that name the tool
	Fixer    []Role // who can do Fix; empty means whoever asks

	Holds func(Snap[D]) bool
	Met   func(Snap[D], Event) bool
	Why   func(Snap[D], Event) string // a Reason that depends; nil means Reason
	As    func(Snap[D], Event) Code   // the refusal's code; nil means GuardFailed

	Shape   func(Snap[D], Event) any         // Expected as data; nil means none
	Suggest func(Snap[D], Event) *Suggestion // the call that does Fix, for the Fixer alone; nil means none
}

func (g *Guard[D]) ok(s Snap[D], e Event) bool {
	if g.Holds != nil {
		return g.Holds(s)
	}
	return g.Met(s, e)
}

// Row is one line of a table. When says which of several rows for one event is
// meant; If says what that row then requires. A limit is a row with its own When.
type Row[D comparable] struct {
	From []State
	On   Kind
	By   []Role
	When []Guard[D]
	If   []Guard[D]

	To     State         // where it leads; empty means it stays, unless Return or Back
	Push   bool          // what is left is put on the pause stack
	Return bool          // leads to the top of the pause stack, and takes it off
	Back   func(D) State // leads to a state kept in D
	May    []State       // where Return and Back can lead, for the reader; a test holds it to the truth

	Set  func(Snap[D], Event) D        // what it changes; nil means only the state
	Emit func(Snap[D], Event) []Effect // what the new snapshot calls for
	Note string                        // what it changes, for the reader
}

// Table is a machine as data: the engine, its rendering, the options of a
// refusal and the exhaustive test all read it.
type Table[D comparable] struct {
	Name   string
	States []State // all of them, in the order they are shown
	Final  []State // where the work is over: refusals there say FINAL
	Rows   []Row[D]

	Stack   func(*D) *Stack             // where D keeps the pause stack; nil if no row pauses
	Late    func(Snap[D], Event) bool   // the event answers what is no longer open
	LateWhy func(Snap[D], Event) string // in words
}

// Ambiguous is returned by [Table.Step] when two rows apply: a fault of the
// table, which [Explore] finds.
type Ambiguous struct {
	Machine string
	State   State
	Event   Kind
}

func (a *Ambiguous) Error() string {
	return a.Machine + ": two rows for " + string(a.Event) + " while " + string(a.State)
}

// Step answers an event that by caused. On an error, a [*Refusal], the snapshot
// comes back as it was and nothing is to be done.
func (t *Table[D]) Step(s Snap[D], by Role, e Event) (Snap[D], []Effect, error) {
	i, no, err := t.find(s, by, e)
	if no != nil {
		err = t.refuse(s, by, e, no)
	}
	if err != nil {
		return s, nil, err
	}
	next, effects := t.apply(i, s, e)
	return next, effects, nil
}

// denial is why no row answers, before anybody asks for words.
type denial[D comparable] struct {
	code  Code
	unmet []*Guard[D]
}

// find returns the number of the one row that answers e, or why there is none.
func (t *Table[D]) find(s Snap[D], by Role, e Event) (int, *denial[D], error) {
	if !t.mayEver(by, e.Kind()) {
		return -1, &denial[D]{code: NotYourRole}, nil
	}
	if t.Late != nil && t.Late(s, e) {
		return -1, &denial[D]{code: Stale}, nil
	}
	here, mine := t.rows(s.At, by, e.Kind())
	if len(mine) == 0 {
		return -1, &denial[D]{code: t.missing(s.At, here)}, nil
	}
	return t.choose(mine, s, e)
}

// choose takes the one row whose When holds, and asks its If.
func (t *Table[D]) choose(mine []int, s Snap[D], e Event) (int, *denial[D], error) {
	found := -1
	var unmet []*Guard[D]
	for _, i := range mine {
		no := failing(t.Rows[i].When, s, e)
		if len(no) > 0 {
			unmet = append(unmet, no...)
			continue
		}
		if found >= 0 {
			return -1, nil, &Ambiguous{t.Name, s.At, e.Kind()}
		}
		found = i
	}
	if found >= 0 {
		unmet = failing(t.Rows[found].If, s, e)
	}
	if found < 0 || len(unmet) > 0 {
		return -1, &denial[D]{GuardFailed, unmet}, nil
	}
	return found, nil, nil
}

// apply carries out a row: the change first, on the snapshot as it was, then the
// pause stack.
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

// rows are the numbers of the rows for an event here, and of those by can cause.
func (t *Table[D]) rows(at State, by Role, on Kind) (here, mine []int) {
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.On != on || !slices.Contains(row.From, at) {
			continue
		}
		here = append(here, i)
		if slices.Contains(row.By, by) {
			mine = append(mine, i)
		}
	}
	return here, mine
}

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

func (t *Table[D]) missing(at State, here []int) Code {
	switch {
	case len(here) > 0:
		return NotYourRole
	case slices.Contains(t.Final, at):
		return Final
	}
	return NoSuchTransition
}

func failing[D comparable](guards []Guard[D], s Snap[D], e Event) (no []*Guard[D]) {
	for i := range guards {
		if !guards[i].ok(s, e) {
			no = append(no, &guards[i])
		}
	}
	return no
}
