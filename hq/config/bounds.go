package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"ferrus/checks/regular"
)

// The bounds of ferrus.toml. What follows compares and repeats names, so a file beyond
// them would keep every command busy for minutes.
const (
	maxFile    = 1 << 20 // bytes
	maxName    = 128     // bytes of a table's or key's name
	maxNesting = 8       // tables inside of tables
)

// readFile reads a file that is not larger than a configuration can be.
func readFile(dir string) ([]byte, error) {
	name := filepath.Join(dir, File)
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading a pipe would wait forever
		return nil, &Error{File: File, What: "is not a regular file"}
	}
	if info.Size() > maxFile {
		return nil, &Error{File: File,
			What: fmt.Sprintf("has %d bytes, but at most %d are allowed", info.Size(), maxFile)}
	}
	return regular.Read(name, maxFile)
}

// checkNames returns an error for a name or a nesting that is beyond what a configuration
// can have. The error shows none of the name.
func checkNames(data []byte, tree map[string]any, depth int) error {
	if depth > maxNesting {
		return &Error{File: File, What: fmt.Sprintf("has tables nested more than %d deep", maxNesting)}
	}
	for name, value := range tree {
		if len(name) > maxName {
			return &Error{
				File: File, Line: lineOfText(data, name),
				What: fmt.Sprintf("a name has %d bytes, but at most %d are allowed", len(name), maxName),
			}
		}
		if table, ok := value.(map[string]any); ok {
			if err := checkNames(data, table, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// lineOfText returns the line on which a name stands; 0 if it is spelled otherwise there.
func lineOfText(data []byte, name string) int {
	before, _, found := bytes.Cut(data, []byte(name))
	if !found {
		return 0
	}
	return 1 + bytes.Count(before, []byte("\n"))
}
