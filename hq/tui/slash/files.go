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
	// Check looks at the files that a text names for the agent of a slot of the selected task. It returns an error
	// if that agent cannot take them, and a note on what it will not find.
	Check(slot core.Slot, text string) (note string, err error)
	// CheckNew is like Check for a session in your checkout. A task that starts from there has only what is
	// committed.
	CheckNew(ctx context.Context, slot core.Slot, text string, starts bool) (note string, err error)
}

// checkFiles is [Files.Check], where there is a project.
func (e *Env) checkFiles(slot core.Slot, text string) (note string, err error) {
	if e.Project == nil {
		return "", nil
	}
	return e.Project.Check(slot, text)
}

// checkNewFiles is [Files.CheckNew], where there is a project.
func (e *Env) checkNewFiles(ctx context.Context, slot core.Slot, text string, starts bool) (note string, err error) {
	if e.Project == nil {
		return "", nil
	}
	return e.Project.CheckNew(ctx, slot, text, starts)
}

// withNote returns a sentence with a note.
func withNote(sentence, note string) string {
	if note == "" {
		return sentence
	}
	return sentence + "; " + note
}
