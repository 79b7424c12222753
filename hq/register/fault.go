package register

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Fault is a file that cannot be edited, and why.
type Fault struct {
	File         string
	Line, Column int // from 1; 0 when the whole file is meant
	What         string
}

func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.What
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.What)
}

// fault places what is wrong at an offset.
func fault(file string, data []byte, at int, what string) *Fault {
	at = min(at, len(data))
	before := data[:at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &Fault{File: file, Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(line), What: what}
}
