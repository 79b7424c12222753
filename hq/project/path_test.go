package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A directory whose path no record could name is refused.
func TestAPathThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "caf\xe9")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Skipf("the file system takes no such name: %v", err)
	}
	const want = "is not UTF-8, so ferrus cannot record it; rename the directory"
	if _, err := Open(dir); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("it opens with %v", err)
	}
}
