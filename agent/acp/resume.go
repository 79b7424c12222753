package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// unfinished is a conversation whose turn has not ended.
type unfinished struct {
	Dir     string `json:"dir"`
	Session string `json:"session"`
}

// remembered returns the conversation in a file, if it was in the same directory. What is in the
// file may be from a session of the agent.
func remembered(file, dir string) string {
	if file == "" {
		return ""
	}
	data, _ := os.ReadFile(file) // without one there is none
	return Unfinished(data, dir)
}

// Unfinished returns the conversation in the content of such a file, if it was held in that directory.
func Unfinished(data []byte, dir string) string {
	var u unfinished
	if json.Unmarshal(data, &u) != nil || u.Dir != dir || len(u.Session) > maxStep {
		return ""
	}
	return u.Session
}

// remember writes a conversation to a file.
func remember(file, dir, id string) error {
	if file == "" {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, Remembering(dir, id), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember the conversation: %w", err)
	}
	return nil
}

// Remembering returns the content of a file that makes a session continue a conversation that was held
// in a directory.
func Remembering(dir, id string) []byte { return encode(unfinished{dir, id}) }

// remove removes a file that may not be there.
func remove(file string) error {
	if err := os.Remove(file); file != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the conversation: %w", err)
	}
	return nil
}
