package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"ferrus/checks/regular"
	"ferrus/hq/tomledit"
)

// Edited are the hashes of ferrus.toml before and after an edit.
type Edited struct{ Before, After string }

// SetModel writes the model of a role ("supervisor", "executor") into
// ferrus.toml; an empty model means the agent's own default. Only that value
// changes; comments, order and spelling of the rest are kept. The file is replaced
// atomically, or not at all if it cannot be edited.
func SetModel(dir, role, model string) (Edited, error) {
	return edit(dir, func(data []byte) ([]byte, error) { return Edit(data, role, "model", model) })
}

// SetAgent writes the agent of a role, as [SetModel] does, and clears the model, which
// was another agent's.
func SetAgent(dir, role, agent string) (Edited, error) {
	return edit(dir, func(data []byte) ([]byte, error) {
		data, err := Edit(data, role, "agent", agent)
		if err != nil {
			return nil, err
		}
		return Edit(data, role, "model", "")
	})
}

func edit(dir string, change func([]byte) ([]byte, error)) (Edited, error) {
	data, err := read(dir)
	if err != nil {
		return Edited{}, err
	}
	edited, err := change(data)
	if err == nil {
		err = replace(dir, edited)
	}
	return Edited{hash(data), hash(edited)}, err
}

// Hash returns the hash of ferrus.toml as it is now, valid or not; empty: it cannot be read.
func Hash(dir string) string {
	data, err := read(dir)
	if err != nil {
		return ""
	}
	return HashOf(data)
}

// HashOf is Hash for the content of the file.
func HashOf(data []byte) string { return hash(data) }

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Edit returns ferrus.toml with the agent or model of a role changed; key says
// which. It returns an error rather than text in which anything else reads
// differently.
func Edit(data []byte, role, key, value string) ([]byte, error) {
	if _, err := Parse(data, nil); err != nil {
		return nil, err
	}
	table := []string{"hq", role}
	path, text := append(table, key), quote(value)
	if _, flat := tomledit.Lookup(data, table).(string); flat { // the flat form of older versions
		path = table
		if key == "model" {
			text = fmt.Sprintf("{ agent = %s, model = %s }", tomledit.Raw(data, table), text)
		}
	}
	edited, err := tomledit.Set(data, path, text)
	if err == nil {
		_, err = Parse(edited, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("set the %s of the %s in %s: %w", key, role, File, err)
	}
	return edited, nil
}

// replace replaces ferrus.toml, or what it is a link to within the project.
func replace(dir string, data []byte) error {
	info, err := os.Stat(filepath.Join(dir, File))
	if err == nil {
		err = regular.Replace(dir, File, data, info.Mode().Perm())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	return nil
}
