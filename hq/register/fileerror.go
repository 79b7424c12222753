package register

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// FileError reports a file that cannot be edited.
type FileError struct {
	File         string
	Line, Column int // from 1; 0 for the whole file
	What         string
}

func (f *FileError) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.What
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.What)
}

// errorAt returns the error for an offset.
func errorAt(file string, data []byte, at int, what string) *FileError {
	at = min(at, len(data))
	before := data[:at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &FileError{File: file, Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(line),
		What: what}
}
