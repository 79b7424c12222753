package store

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// knownHashes remembers the hashes of bound files: HQ compares all of them before each gate, and an archive has about
// ten files for each task.
type knownHashes struct {
	mu    sync.Mutex // guards files
	files map[string]knownHash
}

// knownHash is the hash of the files that had a version.
type knownHash struct{ version, hash string }

// versioned is a folder that tells changes without reading files.
type versioned interface {
	// versions returns what changes whenever something is written to a file, or to any file in a directory, for those
	// of which it can be told. With sync, it can also be told of what is written through a mapping that a process has
	// now.
	versions(names []string, sync bool) map[string]string
}

// present returns the hashes of the bound files that are there.
func (m *knownHashes) present(f folder) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all, known := map[string]string{}, map[string]knownHash{}
	for _, pattern := range boundFiles {
		names, err := matches(f, pattern)
		if err != nil {
			return nil, err
		}
		unknown := m.addUnchanged(known, f, names)
		versions := versionsOf(f, unknown, true)
		for _, name := range unknown {
			if all[name], err = hashBound(f, name); err != nil {
				return nil, err
			}
			if version := versions[name]; version != "" {
				known[name] = knownHash{version, all[name]}
			}
		}
	}
	for name, k := range known {
		all[name] = k.hash
	}
	m.files = known
	return all, nil
}

// addUnchanged adds what is known of files that have not changed, and returns the others.
func (m *knownHashes) addUnchanged(to map[string]knownHash, f folder, names []string) (others []string) {
	isNew := func(name string) bool { _, known := m.files[name]; return !known }
	versions := versionsOf(f, slices.DeleteFunc(slices.Clone(names), isNew), false)
	for _, name := range names {
		if k, known := m.files[name]; known && k.version == versions[name] {
			to[name] = k
		} else {
			others = append(others, name)
		}
	}
	return others
}

func versionsOf(f folder, names []string, sync bool) map[string]string {
	if v, ok := f.(versioned); ok && len(names) > 0 {
		return v.versions(names, sync)
	}
	return nil
}

// hashBound hashes a file, or the files in the archive of a task.
func hashBound(f folder, name string) (string, error) {
	if path.Dir(name) != archiveDir {
		data, err := readWhole(f, name)
		if isMissing(err) {
			return noFile, nil
		}
		return sha(data), err
	}
	var all strings.Builder
	for _, dir := range []string{name, path.Join(name, checksDir)} {
		names, err := listAny(f, dir)
		if err != nil {
			return "", err
		}
		for _, below := range names {
			if below == checksDir || strings.HasPrefix(below, "landed.") {
				continue
			}
			sum, err := hashFile(f, path.Join(dir, below))
			if err != nil {
				return "", err
			}
			all.WriteString(path.Join(dir, below) + " " + sum + "\n")
		}
	}
	return sha([]byte(all.String())), nil
}
