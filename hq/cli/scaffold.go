package cli

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ferrus/checks/regular"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

//go:embed templates/CONSULT_TEMPLATE.md
var consultTemplate []byte

//go:embed templates/SPEC_TEMPLATE.md
var specTemplate []byte

// The plain files of .ferrus that init writes.
const (
	consultTemplateFile = "CONSULT_TEMPLATE.md"
	specTemplateFile    = "SPEC_TEMPLATE.md"
	lastSpecFile        = "LAST_SPEC_PATH"
)

// initialization is one run of init.
type initialization struct {
	*streams
	skills   string
	yes      bool
	accepted bool // you accepted the proposed commands
	dir      string
	created  []string
}

// makeState creates .ferrus.
func (i *initialization) makeState(ctx context.Context) error {
	_, opened := store.Open[core.World](i.dir, store.UserHeads())
	made, err := initStore(ctx, i.dir)
	if err != nil {
		return err
	}
	if errors.Is(opened, store.ErrNone) {
		i.created = append(i.created, ".ferrus/")
	} else {
		i.created = append(i.created, made...)
	}
	return nil
}

// initStore creates .ferrus and its missing plain files.
func initStore(ctx context.Context, dir string) (made []string, err error) {
	p, err := openStore(ctx, dir)
	if older := (*store.OlderError)(nil); errors.As(err, &older) {
		p, err = project.Import(ctx, dir, store.UserHeads(), agentNames()...)
		made = append(made,
			".ferrus/STATE.json, importing the task of an earlier ferrus; its files are in .ferrus/archive")
	}
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{consultTemplateFile, consultTemplate}, {specTemplateFile, specTemplate}, {lastSpecFile, nil}} {
		if _, err := p.Store.ReadFile(f.name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := p.Store.WriteFile(f.name, f.data); err != nil {
			return made, err
		}
		made = append(made, ".ferrus/"+f.name)
	}
	if _, err := p.Store.ReadFile("agents.json"); errors.Is(err, fs.ErrNotExist) {
		made = append(made, ".ferrus/agents.json")
		return made, p.SaveRegistry(project.Registry{})
	}
	return made, nil
}

// openStore opens .ferrus, after creating it if there is none.
func openStore(ctx context.Context, dir string) (*project.Task, error) {
	if _, err := store.Create(ctx, dir, core.New(time.Now()), store.UserHeads()); err != nil {
		return nil, err
	}
	return project.OpenKept(dir, store.UserHeads(), agentNames()...)
}

// refuseLinks refuses, before anything is written, a repository whose links lead out of it.
func (i *initialization) refuseLinks(names []string) error {
	root, err := os.OpenRoot(i.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range names {
		if _, err := regular.Resolve(root, name); err != nil {
			return fmt.Errorf("set up ferrus: %w", err)
		}
	}
	return nil
}

// writeMissing creates a file of the project, unless it exists.
func (i *initialization) writeMissing(name, text string) error {
	made, err := regular.Create(i.dir, name, text)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if made {
		i.created = append(i.created, name)
	}
	return nil
}

func (i *initialization) makeDir(name string) error {
	_, missing := os.Stat(filepath.Join(i.dir, name))
	if err := regular.MakeDir(i.dir, name); err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	if missing != nil {
		i.created = append(i.created, name+"/")
	}
	return nil
}

// ignoreLine is the line that keeps the state out of the repository.
const ignoreLine = ".ferrus/"

// addToGitignore ensures the exact line in .gitignore.
func (i *initialization) addToGitignore() error {
	text, mode, err := i.ignored()
	if err == nil && text != nil {
		err = regular.Replace(i.dir, ".gitignore", text, mode)
	}
	if err != nil {
		return fmt.Errorf("add %s to .gitignore: %w", ignoreLine, err)
	}
	if text != nil {
		i.created = append(i.created, ".gitignore: "+ignoreLine)
	}
	return nil
}

// ignored returns what .gitignore is to be, and its mode; nil: it has the line.
func (i *initialization) ignored() (text []byte, mode fs.FileMode, err error) {
	root, err := os.OpenRoot(i.dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	name, err := regular.Resolve(root, ".gitignore")
	if err != nil {
		return nil, 0, err
	}
	data, err := regular.ReadIn(root, name, maxSetupFile)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte(ignoreLine + "\n"), 0o644, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for line := range bytes.Lines(data) {
		if string(bytes.TrimRight(line, "\r\n")) == ignoreLine {
			return nil, 0, nil
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	info, err := root.Stat(name)
	if err != nil {
		return nil, 0, err
	}
	return append(data, ignoreLine+"\n"...), info.Mode().Perm(), nil
}
