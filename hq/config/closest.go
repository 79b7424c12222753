package config

import (
	"strings"

	"ferrus/agent/suggest"
)

// keyNames returns the keys of the schema.
func keyNames() []string {
	all := make([]string, 0, len(schema))
	for _, k := range schema {
		all = append(all, k.Name)
	}
	return all
}

// sectionNames returns the tables of the schema.
func sectionNames() []string {
	var all []string
	for _, k := range schema {
		section := k.Name[:strings.LastIndexByte(k.Name, '.')]
		if len(all) == 0 || all[len(all)-1] != section {
			all = append(all, section)
		}
	}
	return all
}

// closestKey returns the candidate that a misspelled path most likely means, preferably
// one of its own section.
func closestKey(path, candidates []string) string {
	best, least := "", int(^uint(0)>>1)
	for _, c := range candidates {
		d := keyDistance(strings.Split(c, "."), path)
		if d < least {
			best, least = strings.Join(fillStar(strings.Split(c, "."), path), "."), d
		}
	}
	return best
}

// fillStar replaces * by the word that was written there.
func fillStar(words, path []string) []string {
	for i, w := range words {
		switch {
		case w == "*" && i < len(path):
			words[i] = path[i]
		case w == "*":
			words[i] = "<name>"
		}
	}
	return words
}

// keyDistance returns the distance of a candidate. A * matches any name, so it counts for
// little; the right last word in a wrong section is close.
func keyDistance(words, path []string) int {
	last := len(words) - 1
	own := strings.Join(path[:min(last, len(path)-1)], ".")
	section := suggest.Distance(strings.Join(fillStar(words[:last], path), "."), own)
	if words[last] == "*" {
		return 4*section + 4
	}
	word := suggest.Distance(words[last], path[min(last, len(path)-1)])
	if word == 0 {
		return section
	}
	return 4*section + word
}
