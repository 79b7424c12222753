// Package suggest finds the known word closest to a misspelled one.
package suggest

import (
	"cmp"
	"slices"
	"strings"
)

// Word returns the known word that a slip of the hand made into word, or "". The
// known words are in lower case.
func Word(word string, known []string) string {
	best, least := "", len(word)/2+1
	for _, k := range known {
		if d := Distance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		for _, k := range known {
			if word != "" && strings.HasPrefix(k, strings.ToLower(word)) {
				return k
			}
		}
	}
	return best
}

// Least returns the known word that differs least from a misspelled one, however much that
// is. There must be a known word.
func Least(word string, known []string) string {
	if meant := Word(word, known); meant != "" {
		return meant
	}
	return slices.MinFunc(known, func(a, b string) int { return cmp.Compare(Distance(a, word), Distance(b, word)) })
}

// Distance returns the number of letters to insert, delete or change.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
