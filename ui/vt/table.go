package vt

// table gives equal values one small number. It never holds more than limit
// values; number 0 is always the zero value.
type table[K comparable] struct {
	values []K
	index  map[K]uint32
	free   []uint32
	limit  int
	added  int // or refused, since the last sweep
}

func newTable[K comparable](limit int) table[K] {
	var zero K
	return table[K]{values: []K{zero}, index: map[K]uint32{zero: 0}, limit: limit}
}

// number finds or adds a value; ok is false when the table is full.
func (t *table[K]) number(value K) (n uint32, ok bool) {
	if n, ok = t.index[value]; ok {
		return n, true
	}
	switch {
	case len(t.free) > 0:
		n = t.free[len(t.free)-1]
		t.free = t.free[:len(t.free)-1]
		t.values[n] = value
	case len(t.values) < t.limit:
		n = uint32(len(t.values))
		t.values = append(t.values, value)
	default:
		t.added++ // or a table full of what is live would never be swept again
		return 0, false
	}
	t.index[value] = n
	t.added++
	return n, true
}

// due reports whether so many values came since the last sweep that another
// sweep costs little in comparison.
func (t *table[K]) due() bool { return t.added >= t.limit/4 }

// sweep frees the numbers that are not live. The map is made anew because a
// map never gives memory back.
func (t *table[K]) sweep(live []bool) {
	var zero K
	t.free, t.added = t.free[:0], 0
	t.index = make(map[K]uint32, len(t.index)/2)
	t.index[zero] = 0
	for n := len(t.values) - 1; n > 0; n-- {
		if live[n] {
			t.index[t.values[n]] = uint32(n)
			continue
		}
		t.values[n] = zero
		t.free = append(t.free, uint32(n))
	}
}
