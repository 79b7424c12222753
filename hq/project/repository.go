package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ferrus/checks/git"
	"ferrus/store"
)

// repositoryRecord says which git directory the human has used the project with. An agent can
// put another one in its place, or have it name one; what is proven and where it lands would
// then be decided by that.
type repositoryRecord struct {
	Project    string        `json:"project"`
	State      git.Directory `json:"state"` // .ferrus: another one is another project in the same place
	Repository git.Identity  `json:"repository"`
}

// readRepository returns what is recorded of the repository; false if nothing is.
func (p *Project) readRepository() (git.Identity, bool) {
	name, err := p.KeptFile("repositories")
	if err != nil {
		return git.Identity{}, false
	}
	data, err := os.ReadFile(name)
	var r repositoryRecord
	if err != nil || json.Unmarshal(data, &r) != nil || r.Project != p.Dir {
		return git.Identity{}, false
	}
	state, err := git.IdentifyDirectory(p.Files.Path())
	return r.Repository, err == nil && state == r.State
}

// ExpectRepository makes every search for the repository compare it with the recorded
// one.
func (p *Project) ExpectRepository() {
	if id, ok := p.readRepository(); ok {
		git.Expect(p.Dir, id, p.readRepository)
	}
}

// RecordRepository records the git directory of the project, unless one is recorded. Only
// what the human starts may call it.
func (p *Project) RecordRepository() error {
	if _, ok := p.readRepository(); ok {
		return nil
	}
	return p.writeRepository()
}

func (p *Project) writeRepository() error {
	name, err := p.KeptFile("repositories")
	if err != nil {
		return nil //nolint:nilerr // no head is kept either
	}
	id, err := git.Identify(p.Dir)
	if errors.Is(err, git.ErrNoRepository) {
		return nil
	}
	r := repositoryRecord{Project: p.Dir, Repository: id}
	if err == nil {
		r.State, err = git.IdentifyDirectory(p.Files.Path())
	}
	data, encoding := json.Marshal(r)
	if err = errors.Join(err, encoding); err == nil {
		err = WriteKept(name, data)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil // As for the heads, the chain inside has to do.
	}
	if err != nil {
		return fmt.Errorf("record the git directory: %w", err)
	}
	p.ExpectRepository()
	return nil
}

// checkRepository returns a *store.PlaceError if the git directory is not the recorded
// one.
func (p *Project) checkRepository() error {
	_, err := git.Locate(p.Dir)
	if moved := (*git.MovedError)(nil); errors.As(err, &moved) {
		return &store.PlaceError{Dir: moved.Top,
			Why: "has a git directory other than the one ferrus recorded: " + moved.Why}
	}
	return nil // That there is none is said by what needs one.
}
