package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"ferrus/checks/git"
	"ferrus/checks/regular"
)

// git examines the repository, without which nothing can be proven.
func (p *inspection) git(ctx context.Context) {
	out, err := p.ask(ctx, "--version")
	if moved := (*git.MovedError)(nil); errors.As(err, &moved) {
		p.find("git", Error, "the git directory is not the one that ferrus recorded", moved.Why,
			"if you did that, run: ferrus trust")
		return
	}
	if err != nil {
		p.find("git", Error, "git cannot be run", err.Error(), "install git; ferrus identifies work by its trees")
		return
	}
	p.versions["git"] = firstLine(out)
	if err := p.owned(ctx); err != nil {
		p.find("git", Error, err.Error(), "", git.OwnerCure(p.Dir))
		return
	}
	if out, err := p.ask(ctx, "rev-parse", "--is-inside-work-tree"); err != nil || out != "true" {
		p.find("git", Error, "the project is in no git repository that git can read", "", "run: git init")
		return
	}
	switch commit := p.Repo().Head(ctx); commit {
	case "":
		p.find("git", OK, "the repository can be read, but has no commit yet", "", "")
	default:
		p.find("git", OK, "the repository can be read", "at "+commit[:min(len(commit), 12)], "")
	}
	p.ignored(ctx)
}

// ask runs git for as long as there is patience.
func (p *inspection) ask(ctx context.Context, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, p.options.Patience)
	defer stop()
	return git.Around(p.Dir).Output(ctx, args...)
}

// owned returns [git.ErrOwner] where git refuses the repository to you and to the agents.
func (p *inspection) owned(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, p.options.Patience)
	defer stop()
	return git.Owned(ctx, p.Dir)
}

// ignored looks for the .gitignore line that keeps the state out of the repository.
func (p *inspection) ignored(ctx context.Context) {
	if _, err := p.ask(ctx, "check-ignore", "--quiet", ".ferrus/STATE.json"); err == nil {
		p.find("git", OK, ".ferrus/ is ignored", "", "")
		return
	}
	data, err := regular.Read(filepath.Join(p.Dir, ".gitignore"), 1<<20)
	for line := range bytes.Lines(data) {
		if err == nil && string(bytes.TrimSpace(line)) == ".ferrus/" {
			p.find("git", Warning, ".ferrus/ is in .gitignore, but files in it are committed", "",
				"run: git rm -r --cached .ferrus")
			return
		}
	}
	p.find("git", Warning, ".ferrus/ is not in .gitignore: the state of the task would be committed", "",
		"run: ferrus init")
}

// Less than little is trouble, less than least is trouble now.
const (
	little = 1 << 30
	least  = 64 << 20
)

// disk looks how much there is left to write on.
func (p *inspection) disk() {
	var s syscall.Statfs_t
	if err := syscall.Statfs(p.Dir, &s); err != nil {
		p.find("disk", Warning, "the free space cannot be read", err.Error(), "")
		return
	}
	free := s.Bavail * uint64(s.Bsize) //nolint:unconvert // the types differ by system
	words := fmt.Sprintf("%d MiB are free", free>>20)
	switch {
	case free < least:
		p.find("disk", Error, words, "", "free some space: ferrus changes no state that it cannot write")
	case free < little:
		p.find("disk", Warning, words, "", "make room")
	default:
		p.find("disk", OK, words, "", "")
	}
}
