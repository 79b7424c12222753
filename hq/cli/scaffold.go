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

// writeMissing creates a file of the project, unless it exists.
func (i *initialization) writeMissing(name, text string) error {
	path := filepath.Join(i.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	i.created = append(i.created, name)
	return nil
}

func (i *initialization) makeDir(name string) error {
	path := filepath.Join(i.dir, name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	i.created = append(i.created, name+"/")
	return nil
}

// ignoreLine is the line that keeps the state out of the repository.
const ignoreLine = ".ferrus/"

// addToGitignore ensures the exact line in .gitignore.
func (i *initialization) addToGitignore() error {
	path := filepath.Join(i.dir, ".gitignore")
	data, err := regular.Read(path, maxSetupFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("add %s to .gitignore: %w", ignoreLine, err)
	}
	for line := range bytes.Lines(data) {
		if string(bytes.TrimRight(line, "\r\n")) == ignoreLine {
			return nil
		}
	}
	add := ignoreLine + "\n"
	if len(data) > 0 && data[len(data)-1] != '\n' {
		add = "\n" + add
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		_, err = f.WriteString(add)
		if closed := f.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return fmt.Errorf("add %s to .gitignore: %w", ignoreLine, err)
	}
	i.created = append(i.created, ".gitignore: "+ignoreLine)
	return nil
}
