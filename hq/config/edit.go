package config

import (
	"fmt"
	"os"
	"path/filepath"

	"ferrus/hq/tomledit"
)

// SetModel writes the model of a role ("supervisor", "executor") into
// ferrus.toml; an empty model means the agent's own default. Only that value
// changes; comments, order and spelling of the rest are kept. The file is replaced
// atomically, or not at all if it cannot be edited.
func SetModel(dir, role, model string) error {
	data, err := read(dir)
	if err != nil {
		return err
	}
	edited, err := Edit(data, role, "model", model)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, File), edited)
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

// replace replaces a file atomically; a link is followed.
func replace(file string, data []byte) error {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+File+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone after the rename
	if err := fillFile(f, data, info.Mode().Perm()); err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	return nil
}

func fillFile(f *os.File, data []byte, mode os.FileMode) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
