package slash

import (
	"context"

	"ferrus/hq/core"
	"ferrus/ui/view"
)

// Files are what a text can name or attach.
type Files interface {
	// List returns the files of the directory that agents work in now.
	List(ctx context.Context) (*view.Files, error)
	// Attach returns how a text names a file anywhere, for agents inside the sandbox, too.
	Attach(path string) (view.File, error)
	// Check returns an error if the agent of a slot cannot take the files that a text names,
	// and the names of the ones that are not there.
	Check(slot core.Slot, text string) (missing string, err error)
}

// checkFiles is [Files.Check], where there is a project.
func (e *Env) checkFiles(slot core.Slot, text string) (missing string, err error) {
	if e.Project == nil {
		return "", nil
	}
	return e.Project.Check(slot, text)
}

// withMissing returns a sentence with the files that are not there.
func withMissing(sentence, missing string) string {
	if missing == "" {
		return sentence
	}
	return sentence + "; not found, and sent as text: " + missing
}
