package register

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"ferrus/checks/regular"
)

// Write executes the plan. Save stores the record; nil means that there is none any
// more. Each file is replaced atomically, and if one fails, those before it are restored.
func (p *Plan) Write(save func(record []byte) error) error {
	for _, c := range p.Changes {
		if err := p.checkUnchanged(c); err != nil {
			return err
		}
	}
	// The record exists as long as there is something to undo.
	if !p.removes && !bytes.Equal(p.before, p.after) {
		if err := save(p.after); err != nil {
			return err
		}
	}
	for i, c := range p.Changes {
		if err := p.apply(c); err != nil {
			return errors.Join(err, p.restore(p.Changes[:i]), save(p.before))
		}
	}
	for _, d := range p.empty {
		_ = regular.Remove(p.dir, d) // a directory that is not empty is in use
	}
	if p.removes {
		return save(p.after)
	}
	return nil
}

// checkUnchanged refuses a file that has changed since the plan was made.
func (p *Plan) checkUnchanged(c Change) error {
	data, err := regular.Read(filepath.Join(p.dir, c.File), maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Before == nil:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read %s: %w", c.File, err)
	case err != nil || c.Before == nil || !bytes.Equal(data, c.Before):
		return fmt.Errorf("write %s: it has just been changed, so nothing was written; run: ferrus register again",
			c.File)
	}
	return nil
}

func (p *Plan) apply(c Change) error {
	if c.After == nil {
		return regular.Remove(p.dir, c.File)
	}
	if err := regular.Replace(p.dir, c.File, c.After, c.mode); err != nil {
		return fmt.Errorf("write %s: %w", c.File, err)
	}
	return nil
}

// restore undoes changes that were made.
func (p *Plan) restore(done []Change) (err error) {
	for _, c := range slices.Backward(done) {
		err = errors.Join(err, p.apply(Change{c.File, c.After, c.Before, c.mode}))
	}
	return err
}
