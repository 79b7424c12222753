package view

import (
	"crypto/sha256"
	"encoding/hex"
)

// Diff is what a task changed since it began.
type Diff struct {
	Base  string // main 3f2c1a9
	At    string // when it was read: 14:16:30
	Files []FilePatch
	// The comments that were sent, oldest first, then the drafts.
	Comments []Comment
	Rounds   int // of comments that were sent
	Since    int // the round that it shows the changes since; 0: all
}

// FilePatch is what changed in one file.
type FilePatch struct {
	Path           string
	Was            string // what it was called, if it was renamed
	Added, Removed int
	Patch          string // git's, from the first @@ on
	Cut            bool   // it is not all of it
	Binary         bool   // its lines are not for reading
	Mode           string // now executable; empty: there is nothing to say
}

// Name returns what the file is called, and was.
func (f *FilePatch) Name() string {
	if f.Was == "" {
		return f.Path
	}
	return f.Was + " -> " + f.Path
}

// Mark identifies the patch: it is the same for as long as the patch is.
func (f *FilePatch) Mark() string {
	sum := sha256.Sum256([]byte(f.Path + "\x00" + f.Patch))
	return hex.EncodeToString(sum[:8])
}
