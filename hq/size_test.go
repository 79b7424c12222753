package hq_test

import (
	"bytes"
	"testing"
)

// TestSize holds files to a size that can be read at once.
func TestSize(t *testing.T) {
	for _, s := range sources(t) {
		if generated(s.text) {
			continue
		}
		if n := bytes.Count(s.text, []byte("\n")); n > 400 {
			t.Errorf("%s has %d lines: split it by subject", s.name, n)
		}
	}
}

// generated reports whether the comments above the package clause say that a program wrote the file.
func generated(text []byte) bool {
	head, _, _ := bytes.Cut(append([]byte("\n"), text...), []byte("\npackage "))
	return bytes.Contains(head, []byte("DO NOT EDIT."))
}
