package register

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// saysTheSame reports whether a file has the same values as before, but for what edits had their
// places in and is empty, and no comment that is new. Clients rewrite their files: they change
// blanks, drop comments, and stamp a version ($version) on the top.
func saysTheSame(name string, now, before []byte, edits []recordedEdit) bool {
	if bytes.Equal(now, before) {
		return true
	}
	one, ok := values(name, now)
	other, also := values(name, before)
	for line := range strings.Lines(string(now)) {
		at := strings.IndexAny(line, "#/")
		if at >= 0 && !strings.Contains(string(before), strings.TrimSpace(line[at:])) {
			return false
		}
	}
	for _, e := range edits {
		prune(one, e.Path)
		prune(other, e.Path)
	}
	return ok && also && reflect.DeepEqual(one, other)
}

// values returns what a file says; false if it is of another kind, or cannot be read.
func values(name string, data []byte) (tree map[string]any, ok bool) {
	if len(data) > maxJSON {
		return nil, false
	}
	var err error
	switch filepath.Ext(name) {
	case ".json", ".jsonc":
		data = bytes.TrimPrefix(data, []byte(byteOrderMark))
		if len(bytes.TrimSpace(data)) == 0 {
			return map[string]any{}, true
		}
		if data, err = hujson.Standardize(bytes.Clone(data)); err == nil {
			err = json.Unmarshal(data, &tree)
		}
	case ".toml":
		err = toml.Unmarshal(data, &tree)
	default:
		return nil, false
	}
	if err != nil {
		return nil, false
	}
	for key := range tree {
		if strings.HasPrefix(key, "$") {
			delete(tree, key)
		}
	}
	return tree, true
}

// prune removes the object or list at a path, and those around it, if nothing is in it.
func prune(tree map[string]any, path []string) {
	for depth := len(path); depth > 0; depth-- {
		in := tree
		for _, key := range path[:depth-1] {
			in, _ = in[key].(map[string]any)
		}
		object, isObject := in[path[depth-1]].(map[string]any)
		list, isList := in[path[depth-1]].([]any)
		if isObject && len(object) == 0 || isList && len(list) == 0 {
			delete(in, path[depth-1])
		}
	}
}
