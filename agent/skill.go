package agent

import (
	"embed"
	"io/fs"
	"path/filepath"
)

//go:embed skills
var skills embed.FS

// Skills returns the skill files that ferrus init writes, by path. Root is the directory
// where agents look for them.
func Skills(root string) map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(skills, "skills", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := skills.ReadFile(path)
		files[filepath.Join(root, filepath.FromSlash(path))] = string(text)
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return files
}
