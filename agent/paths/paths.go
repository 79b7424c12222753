// Package paths compares paths by name, without reading the file system.
package paths

import "strings"

// Within reports whether path is top or below it. Both are clean: a path with ".." in it, or one through a link, may be
// elsewhere than its name says.
func Within(top, path string) bool {
	return path == top || strings.HasPrefix(path, strings.TrimSuffix(top, "/")+"/")
}
