package home

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"golang.org/x/sys/unix"
)

// Bounds of a login file, and of one value that returns, in bytes.
const (
	maxLogin = 1 << 20
	maxValue = 64 << 10
)

// Sync brings the logins of the private home and of yours together. It may be called at any
// time, and by any number of sessions at once. An error of one login does not keep the
// others from being carried.
func (h Home) Sync() error { return h.sync(false) }

// sync is [Home.Sync]. With reset, a login of the private home that cannot be carried is
// replaced by yours.
func (h Home) sync(reset bool) (err error) {
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return fmt.Errorf("copy logins: %w", err)
	}
	defer root.Close()
	for _, d := range h.List.Dirs {
		for _, l := range d.Logins {
			one := login{l, filepath.Join(h.real(d), l.File), root, filepath.Join(h.private(d), l.File), reset}
			if failed := h.merge(one); failed != nil {
				err = errors.Join(err, fmt.Errorf("copy the login in %s: %w", one.real, failed))
			}
		}
	}
	return err
}

// login is one login file in both homes.
type login struct {
	Login
	real    string
	root    *os.Root
	private string
	reset   bool
}

// merge brings one login together, under its lock.
func (h Home) merge(l login) error {
	if file, err := filepath.EvalSymlinks(l.real); err == nil {
		l.real = file // yours may be a link, which stays one
	}
	unlock, err := h.lock(l.real)
	if err != nil {
		return err
	}
	defer unlock()
	yours, err := os.ReadFile(l.real)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // you are not logged in, so there is nothing to renew
	}
	if err != nil {
		return err
	}
	own, err := l.tokens(yours)
	if err != nil {
		return err
	}
	base := h.equal()
	text, err := read(l.root, l.private, maxLogin)
	if err != nil {
		return h.pull(l, yours, own)
	}
	theirs, err := l.tokens(text)
	if err != nil && l.reset {
		return h.pull(l, yours, own)
	}
	if err != nil {
		return nil // it may be written just now
	}
	mine, other := digest(own), digest(theirs)
	was := base[l.key()]
	switch {
	case mine == other:
		return h.note(l, mine)
	case other == was, mine != was && !l.newer(theirs, own):
		return h.pull(l, yours, own)
	}
	merged, err := l.merge(yours, theirs)
	if err != nil && l.reset {
		return h.pull(l, yours, own)
	}
	if err != nil {
		return err
	}
	if err := writeLogin(l.real, merged); err != nil {
		return err
	}
	return h.note(l, other)
}

// key names a login in the state of the home.
func (l login) key() string { return l.private }

// pull replaces the login of the private home by yours.
func (h Home) pull(l login, yours []byte, own map[string]any) error {
	if err := replace(l.root, l.private, yours, 0o600); err != nil {
		return err
	}
	return h.note(l, digest(own))
}

// tokens returns the values of the fields that change with a refresh or tell the account, by
// their paths.
func (l login) tokens(text []byte) (map[string]any, error) {
	document, err := parse(text)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, field := range append(append([]string{l.Renewed}, l.Fields...), l.Account...) {
		visit(document, strings.Split(field, "."), "", func(path string, _ map[string]any, _ string, value any) {
			all[path] = value
		})
	}
	return all, nil
}

// newer reports whether a login was renewed after another one.
func (l login) newer(a, b map[string]any) bool {
	first, second := l.renewed(a), l.renewed(b)
	if len(first) != len(second) && strings.Trim(first+second, "0123456789") == "" {
		return len(first) > len(second) // numbers
	}
	return first > second
}

// renewed returns when a login was renewed, as it says.
func (l login) renewed(tokens map[string]any) (latest string) {
	visited := strings.Split(l.Renewed, ".")
	for path, value := range tokens {
		parts := strings.Split(path, ".")
		same := len(parts) == len(visited)
		for i := range parts {
			same = same && (visited[i] == "*" || visited[i] == parts[i])
		}
		if at := fmt.Sprint(value); same && at > latest {
			latest = at
		}
	}
	return latest
}

// merge returns your login with the renewed values.
func (l login) merge(yours []byte, theirs map[string]any) ([]byte, error) {
	document, err := parse(yours)
	if err != nil {
		return nil, err
	}
	for _, field := range l.Account {
		visit(document, strings.Split(field, "."), "", func(path string, _ map[string]any, _ string, value any) {
			if !reflect.DeepEqual(theirs[path], value) {
				err = errors.New("the session's login belongs to another account; log in outside the sandbox")
			}
		})
	}
	for _, field := range append([]string{l.Renewed}, l.Fields...) {
		visit(document, strings.Split(field, "."), "", func(path string, in map[string]any, name string, value any) {
			renewed, ok := theirs[path]
			if !ok {
				return
			}
			if reflect.TypeOf(renewed) != reflect.TypeOf(value) || len(fmt.Sprint(renewed)) > maxValue {
				err = errors.Join(err, fmt.Errorf("the session's value of %s has another type or is too long", path))
				return
			}
			in[name] = renewed
		})
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(document)
	return b.Bytes(), err
}

// parse returns a JSON object.
func parse(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var document map[string]any
	if len(text) > maxLogin {
		return nil, fmt.Errorf("it is larger than %d bytes", maxLogin)
	}
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	return document, nil
}

// visit calls f with every string or number that a path leads to, the object that has it, and
// its name there.
func visit(in map[string]any, path []string, at string, f func(string, map[string]any, string, any)) {
	for name, value := range in {
		if path[0] != "*" && path[0] != name {
			continue
		}
		switch v := value.(type) {
		case map[string]any:
			if len(path) > 1 {
				visit(v, path[1:], at+name+".", f)
			}
		case string, json.Number:
			if len(path) == 1 {
				f(at+name, in, name, value)
			}
		}
	}
}

func digest(tokens map[string]any) string {
	data, _ := json.Marshal(tokens) // strings and numbers, sorted by name
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// lock holds the lock of a login file until the returned function is called.
func (h Home) lock(file string) (unlock func(), err error) {
	if err := os.MkdirAll(h.Locks, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(file))
	lock, err := os.OpenFile(filepath.Join(h.Locks, hex.EncodeToString(sum[:8])+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = lock.Close() }, nil // closing gives the lock back
}

// equal returns the logins that were equal in both homes, by their digests.
func (h Home) equal() map[string]string {
	all := map[string]string{}
	if data, err := os.ReadFile(h.State); err == nil {
		_ = json.Unmarshal(data, &all) // a damaged file knows none
	}
	return all
}

// note remembers that a login is equal in both homes.
func (h Home) note(l login, digest string) error {
	all := h.equal()
	if all[l.key()] == digest {
		return nil
	}
	all[l.key()] = digest
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return writeLogin(h.State, data)
}

// writeLogin replaces a file at once.
func writeLogin(file string, data []byte) error {
	fresh, err := os.CreateTemp(filepath.Dir(file), ".ferrus-")
	if err != nil {
		return err
	}
	_, err = fresh.Write(data)
	err = errors.Join(err, fresh.Sync(), fresh.Close())
	if err == nil {
		err = os.Rename(fresh.Name(), file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(fresh.Name()))
	}
	return err
}
