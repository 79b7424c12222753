package prompt

import (
	"slices"
	"unicode"
)

// viText is a text with a cursor, and the motions and changes of vi's normal mode. It
// knows neither keys nor a screen.
type viText struct {
	all []rune
	at  int
}

// bounds returns where the line of a place begins and ends.
func (v *viText) bounds(at int) (begin, end int) {
	begin, end = at, at
	for begin > 0 && v.all[begin-1] != '\n' {
		begin--
	}
	for end < len(v.all) && v.all[end] != '\n' {
		end++
	}
	return begin, end
}

// clamp keeps the cursor on a letter: in normal mode it cannot be behind the last one.
func (v *viText) clamp() {
	v.at = max(min(v.at, len(v.all)), 0)
	if begin, end := v.bounds(v.at); v.at == end && end > begin {
		v.at--
	}
}

// class tells the letters of words, other signs and blanks apart.
func class(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return 0
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
		return 1
	}
	return 2
}

// nextWord returns where the word after a place begins.
func (v *viText) nextWord(at int) int {
	n := len(v.all)
	if at < n && class(v.all[at]) != 0 {
		for c := class(v.all[at]); at < n && class(v.all[at]) == c; {
			at++
		}
	}
	for at < n && class(v.all[at]) == 0 {
		at++
	}
	return at
}

// previousWord returns where the word before a place begins.
func (v *viText) previousWord(at int) int {
	for at > 0 && class(v.all[at-1]) == 0 {
		at--
	}
	if at > 0 {
		for c := class(v.all[at-1]); at > 0 && class(v.all[at-1]) == c; {
			at--
		}
	}
	return at
}

// endOfWord returns the last letter of the word at a place, or of the next one.
func (v *viText) endOfWord(at int) int {
	n := len(v.all)
	at++
	for at < n && class(v.all[at]) == 0 {
		at++
	}
	for at+1 < n && class(v.all[at+1]) == class(v.all[at]) {
		at++
	}
	return max(min(at, n-1), 0)
}

// find returns the next place in the line that has a letter; false if there is none.
func (v *viText) find(at int, letter rune) (int, bool) {
	_, end := v.bounds(at)
	for i := at + 1; i < end; i++ {
		if v.all[i] == letter {
			return i, true
		}
	}
	return at, false
}

// motion is where a motion leads to, and what an operator would take on the way.
type motion struct {
	to        int
	inclusive bool // with the letter that it leads to
}

// move returns where a motion of a key leads to from the cursor; false if it leads nowhere.
// A letter is what f and t look for.
func (v *viText) move(key string, letter rune, count int) (m motion, ok bool) {
	begin, end := v.bounds(v.at)
	m.to = v.at
	switch key {
	case "0", "home":
		m.to = begin
	case "^":
		for m.to = begin; m.to < end && class(v.all[m.to]) == 0; {
			m.to++
		}
	case "$", "end":
		m.to, m.inclusive = max(end-1, begin), end > begin
	case "h", "left", "backspace":
		m.to = max(v.at-count, begin)
	case "l", "right", "space":
		m.to = min(v.at+count, end)
	default:
		return v.moveFar(key, letter, count)
	}
	return m, true
}

// moveFar is move for motions that are made count times.
func (v *viText) moveFar(key string, letter rune, count int) (m motion, ok bool) {
	m.to = v.at
	for range min(count, len(v.all)+1) {
		switch ok = true; key {
		case "w":
			m.to = v.nextWord(m.to)
		case "b":
			m.to = v.previousWord(m.to)
		case "e":
			m.to, m.inclusive = v.endOfWord(m.to), true
		case "f", "t":
			m.inclusive = true
			if m.to, ok = v.find(m.to, letter); !ok {
				return m, false
			}
		default:
			return m, false
		}
	}
	if key == "t" {
		m.to--
	}
	return m, ok
}

// span returns what an operator takes for a motion.
func (v *viText) span(key string, m motion) (from, to int) {
	from, to = min(v.at, m.to), max(v.at, m.to)
	if m.inclusive {
		to = min(to+1, len(v.all))
	}
	if _, end := v.bounds(from); key == "w" && to > end { // a word at the end of a line ends there
		to = max(end, from)
	}
	return from, to
}

// lines returns what an operator takes for whole lines, from the cursor's on.
func (v *viText) lines(count int) (from, to int) {
	from, to = v.bounds(v.at)
	for range count - 1 {
		if to == len(v.all) {
			break
		}
		_, to = v.bounds(to + 1)
	}
	return from, to
}

// cut takes text away and returns it.
func (v *viText) cut(from, to int) string {
	taken := string(v.all[from:to])
	v.all = slices.Delete(slices.Clone(v.all), from, to)
	v.at = from
	return taken
}

// put inserts text at a place, with the cursor on its last letter.
func (v *viText) put(at int, text string) {
	added := []rune(text)
	v.all = slices.Insert(slices.Clone(v.all), at, added...)
	v.at = at + max(len(added)-1, 0)
}
