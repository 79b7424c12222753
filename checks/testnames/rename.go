package testnames

import (
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// Versions are the texts of a file of tests: of the base and now.
type Versions struct{ Before, Now string }

// Renaming maps old identifiers to new ones.
type Renaming map[string]string

var (
	token = lazyregexp.New("(?s)\"\"\".*?\"\"\"|`[^`]*`|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'" +
		`|//[^\n]*|/\*.*?\*/|[A-Za-z_]\w*|\d[\w.]*|\s+|.`)
	identifier = lazyregexp.New(`^[A-Za-z_]`)
	literal    = lazyregexp.New("^[\"'`\\d]")
	assertion  = lazyregexp.New(
		`^(?:assert\w*|raises|expect\w*|to[A-Z]\w*|Fatal\w*|Error\w*|Fail\w*|Equal\w*|NoError` +
			`|require|should\w*|refute\w*|True|False|Nil|Contains)$`)
)

// mostLines bounds the part of two texts that is compared line by line.
const mostLines = 2000

// Renames returns the identifiers that were renamed, one to one: the old one is in no
// text of now, and the new one in none of before. Words that assert are never among them.
// It is for the caller to see that nothing else has the old one.
func Renames(files []Versions) Renaming {
	votes := map[string]map[string]bool{}
	before, now := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		addWords(before, f.Before)
		addWords(now, f.Now)
		for _, h := range hunks(strings.Split(f.Before, "\n"), strings.Split(f.Now, "\n")) {
			h.vote(votes)
		}
	}
	targets := map[string]int{}
	for _, to := range votes {
		for word := range to {
			targets[word]++
		}
	}
	all := Renaming{}
	for from, to := range votes {
		for word := range to {
			if len(to) == 1 && targets[word] == 1 && !now[from] && !before[word] && !assertion.MatchString(from) {
				all[from] = word
			}
		}
	}
	return all
}

func addWords(to map[string]bool, text string) {
	for _, word := range token.FindAllString(text, -1) {
		if identifier.MatchString(word) {
			to[word] = true
		}
	}
}

// hunk is a part in which two texts differ.
type hunk struct{ before, now []string }

// vote counts the identifiers of lines that have the same form.
func (h hunk) vote(votes map[string]map[string]bool) {
	if len(h.before) != len(h.now) {
		return
	}
	for i := range h.before {
		a, b := words(h.before[i]), words(h.now[i])
		if len(a) != len(b) {
			continue
		}
		for k := range a {
			if a[k] != b[k] && identifier.MatchString(a[k]) && identifier.MatchString(b[k]) {
				if votes[a[k]] == nil {
					votes[a[k]] = map[string]bool{}
				}
				votes[a[k]][b[k]] = true
			}
		}
	}
}

// words returns the tokens of a text, without blanks and comments.
func words(text string) []string {
	return slices.DeleteFunc(token.FindAllString(text, -1), func(w string) bool {
		return strings.TrimSpace(w) == "" || strings.HasPrefix(w, "//") || strings.HasPrefix(w, "/*")
	})
}

// hunks compares two texts line by line.
func hunks(a, b []string) (all []hunk) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > mostLines || len(b) > mostLines {
		return nil
	}
	common := make([][]int, len(a)+1) // the most lines in common, from here to the end
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				common[i][k] = common[i+1][k+1] + 1
			} else {
				common[i][k] = max(common[i+1][k], common[i][k+1])
			}
		}
	}
	var h hunk
	i, k := 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case i < len(a) && k < len(b) && a[i] == b[k]:
			all, h = append(all, h), hunk{}
			i, k = i+1, k+1
		case k == len(b) || i < len(a) && common[i+1][k] >= common[i][k+1]:
			h.before, i = append(h.before, a[i]), i+1
		default:
			h.now, k = append(h.now, b[k]), k+1
		}
	}
	return append(all, h)
}

// Apply renames identifiers in a text, but not in what it quotes.
func (r Renaming) Apply(text string) string {
	if len(r) == 0 {
		return text
	}
	return token.ReplaceAllStringFunc(text, func(word string) string {
		if to, ok := r[word]; ok {
			return to
		}
		return word
	})
}

// ApplyName returns the name that a test has under other identifiers.
func (r Renaming) ApplyName(name string) string {
	short := Short(name)
	return strings.TrimSuffix(name, short) + r.Apply(short)
}

// Lost returns the literals and assertions that a text had more often before, in order.
func Lost(f Versions) (lost []string) {
	has := map[string]int{}
	for _, word := range words(f.Now) {
		has[word]++
	}
	for _, word := range words(f.Before) {
		if !literal.MatchString(word) && !assertion.MatchString(word) {
			continue
		}
		if has[word]--; has[word] < 0 && !slices.Contains(lost, word) {
			lost = append(lost, word)
		}
	}
	return lost
}
