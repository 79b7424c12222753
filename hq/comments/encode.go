package comments

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Encode returns the set as a text; empty if there is nothing in it.
func (s Set) Encode() string {
	if len(s.Comments) == 0 {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(s); err != nil {
		panic("comments: " + err.Error()) // strings, numbers and times always can be
	}
	return b.String()
}

// Decode reads a text of [Set.Encode]. An empty text is the zero Set.
func Decode(text string) (Set, error) {
	var s Set
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return Set{}, fmt.Errorf("read the comments: %w", err)
	}
	return s, nil
}
