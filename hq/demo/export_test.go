package demo

import (
	"os"
	"path/filepath"
)

// WriteStory writes the code at the end of the story.
func WriteStory(dir string) error {
	for name, text := range decided(Answer) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
