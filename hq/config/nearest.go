package config

import (
	"strings"

	"ferrus/agent/suggest"
)

// names are the keys of the schema.
func names() []string {
	all := make([]string, 0, len(schema))
	for _, k := range schema {
		all = append(all, k.Name)
	}
	return all
}

// sections are the tables of the schema.
func sections() []string {
	var all []string
	for _, k := range schema {
		section := k.Name[:strings.LastIndexByte(k.Name, '.')]
		if len(all) == 0 || all[len(all)-1] != section {
			all = append(all, section)
		}
	}
	return all
}

// nearest is the candidate that a misspelt path most likely means: one of its own
// section where that exists.
func nearest(path, candidates []string) string {
	best, least := "", int(^uint(0)>>1)
	for _, c := range candidates {
		d := far(strings.Split(c, "."), path)
		if d < least {
			best, least = strings.Join(fill(strings.Split(c, "."), path), "."), d
		}
	}
	return best
}

// fill puts what the reader wrote in place of a *.
func fill(words, path []string) []string {
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

// far is the distance of a candidate. A free name fits anything, so it says little;
// the right last word in a wrong section is near.
func far(words, path []string) int {
	last := len(words) - 1
	own := strings.Join(path[:min(last, len(path)-1)], ".")
	section := suggest.Distance(strings.Join(fill(words[:last], path), "."), own)
	if words[last] == "*" {
		return 4*section + 4
	}
	word := suggest.Distance(words[last], path[min(last, len(path)-1)])
	if word == 0 {
		return section
	}
	return 4*section + word
}
