package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// TrustStore holds what you have trusted on this machine: check commands, programs of agents,
// permissions. It is a file of your own, outside of every repository. A definition is
// recorded by its hash and its project, so a changed one is not trusted.
type TrustStore struct{ File string }

var errNoConfig = errors.New("you have no configuration directory: set HOME or XDG_CONFIG_HOME")

// UserTrustStore returns this user's trust store.
func UserTrustStore() (*TrustStore, error) {
	dir, err := os.UserConfigDir()
	if named := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(named) {
		dir, err = named, nil
	}
	if err != nil {
		return nil, errNoConfig
	}
	return &TrustStore{File: filepath.Join(dir, "ferrus", "trust.json")}, nil
}

// trustFile is the content of the file: the trusted lists, by project directory.
type trustFile struct {
	Projects map[string][]trustEntry `json:"projects"`
}

// trustEntry is one trusted list of commands. The newest is last.
type trustEntry struct {
	Hash     string    `json:"hash"`
	Commands []string  `json:"commands"` // for readers of the file; only Hash counts
	At       time.Time `json:"at"`
}

const trustedKept = 50 // of one project

// IsTrusted reports whether the commands may run in a project.
func (b *TrustStore) IsTrusted(dir string, d core.Definition) (bool, error) {
	all, err := b.read()
	if err != nil {
		return false, err
	}
	hash := fingerprint(d)
	return slices.ContainsFunc(all.Projects[dir], func(p trustEntry) bool { return p.Hash == hash }), nil
}

// Trust allows the commands in a project from now on.
func (b *TrustStore) Trust(dir string, d core.Definition) error {
	folder := filepath.Dir(b.File)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("trust the check commands: %w", err)
	}
	lock, err := os.OpenFile(b.File+".lock", os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err == nil {
		defer lock.Close()
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		return fmt.Errorf("trust the check commands: %w", err)
	}
	all, err := b.read()
	if err != nil {
		return err
	}
	hash := fingerprint(d)
	list := slices.DeleteFunc(all.Projects[dir], func(p trustEntry) bool { return p.Hash == hash })
	list = append(list, trustEntry{Hash: hash, Commands: d.Lines(), At: time.Now().UTC().Round(0)})
	all.Projects[dir] = list[max(0, len(list)-trustedKept):]
	return b.write(all)
}

func (b *TrustStore) read() (trustFile, error) {
	all := trustFile{}
	info, err := os.Lstat(b.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return trustFile{Projects: map[string][]trustEntry{}}, nil
	case err == nil && (!info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0):
		return all, fmt.Errorf("read trusted commands: other users can write %s; run: chmod 600 %s", b.File, b.File)
	}
	data, err := os.ReadFile(b.File)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return all, fmt.Errorf("read trusted commands: %s: %w", b.File, err)
	}
	if all.Projects == nil {
		all.Projects = map[string][]trustEntry{}
	}
	return all, nil
}

// write replaces the file: a reader sees the old or the new one. The lock is held.
func (b *TrustStore) write(all trustFile) error {
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("trust the check commands: %w", err)
	}
	next := b.File + ".tmp"
	file, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err == nil {
		_, err = file.Write(append(data, '\n'))
		err = errors.Join(err, file.Sync(), file.Close())
	}
	if err == nil {
		err = os.Rename(next, b.File)
	}
	if err != nil {
		return fmt.Errorf("trust the check commands: %w", err)
	}
	return nil
}

// fingerprint returns a hash of all that is trusted: commands with their directories and
// environments, and what else is run or allowed. It is the only one.
func fingerprint(d core.Definition) string {
	type line struct {
		Run, Dir string
		Env      []string
	}
	var lines []line
	for _, c := range d.Commands {
		lines = append(lines, line{c.Run, c.Dir, c.Env})
	}
	for _, c := range d.Setup {
		lines = append(lines, line{"setup: " + c.Run, c.Dir, c.Env})
	}
	for _, c := range d.Quick {
		lines = append(lines, line{"quick: " + c.Run, c.Dir, c.Env})
	}
	if len(d.Env) > 0 {
		lines = append(lines, line{Env: d.Env})
	}
	for _, one := range d.Widening {
		lines = append(lines, line{Run: "widening: " + one})
	}
	data, _ := json.Marshal(lines) // Strings always can be.
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// UntrustedError reports that something may not run here, or not yet. Nothing was started.
type UntrustedError struct{ Lines []string }

func (e *UntrustedError) Error() string {
	return "what ferrus.toml runs and allows is not trusted on this machine; show and trust it with: ferrus trust, " +
		"or /trust in HQ"
}

// RequireTrust returns an [*UntrustedError] if what a definition runs or allows has not been
// trusted on this machine. Whatever starts a session or a command asks it first. A project
// without a trust store trusts all: it belongs to a test, or its caller has checked.
func (p *Project) RequireTrust(d core.Definition) error {
	if p.Trusts == nil || !d.NeedsTrust() {
		return nil
	}
	trusted, err := p.Trusts.IsTrusted(p.Dir, d)
	if err == nil && !trusted {
		err = &UntrustedError{Lines: d.Lines()}
	}
	return err
}

// Trusted reports whether [Project.RequireTrust] has nothing to say.
func (p *Project) Trusted(d core.Definition) (bool, error) {
	err := p.RequireTrust(d)
	if errors.As(err, new(*UntrustedError)) {
		return false, nil
	}
	return err == nil, err
}

// InEffect returns what sessions and the gate run now: what the open task has pinned, or
// what ferrus.toml has.
func InEffect(cfg config.Config, w core.World) core.Definition {
	if w.Pinned() != nil && w.Task.Definition != nil {
		return *w.Task.Definition
	}
	return GateDefinition(cfg)
}

// Untrusted returns the definitions that are not trusted yet: of ferrus.toml, and of the open
// task if it has another one.
func (t *Task) Untrusted(w core.World) ([]core.Definition, error) {
	cfg, err := t.Config()
	if err != nil {
		return nil, err
	}
	asked := []core.Definition{GateDefinition(cfg)}
	if w.Task != nil && w.Task.Definition != nil && fingerprint(*w.Task.Definition) != fingerprint(asked[0]) &&
		w.State != task.Complete {
		asked = append(asked, *w.Task.Definition)
	}
	var all []core.Definition
	for _, d := range asked {
		trusted, err := t.Trusted(d)
		if err != nil {
			return nil, err
		}
		if !trusted {
			all = append(all, d)
		}
	}
	return all, nil
}

// Trust allows definitions on this machine.
func (p *Project) Trust(all ...core.Definition) error {
	for _, d := range all {
		if p.Trusts == nil || !d.NeedsTrust() {
			continue
		}
		if err := p.Trusts.Trust(p.Dir, d); err != nil {
			return err
		}
	}
	return nil
}
