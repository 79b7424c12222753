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
	"slices"
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
	root, err := open(h.Dir)
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
	document, err := parse(yours)
	if err != nil {
		return err
	}
	text, err := read(l.root, l.private, maxLogin)
	if err != nil {
		return h.pull(l, yours, document)
	}
	other, err := parse(text)
	if err != nil && l.reset {
		return h.pull(l, yours, document)
	}
	if err != nil {
		return nil // it may be written just now
	}
	return h.mergeAccounts(l, yours, document, l.tokens(other))
}

// mergeAccounts brings the accounts of a login together, each by itself: document is your file, and theirs are the
// tokens of the private one.
func (h Home) mergeAccounts(l login, yours []byte, document any, theirs map[string]tokens) (err error) {
	base, equal := h.equal(), map[string]string{}
	pulls, pushes := false, false
	for name, mine := range l.tokens(document) {
		other, was := theirs[name], base[l.key(name)]
		own, renewed := digest(mine.values), digest(other.values)
		switch {
		case own == renewed:
			equal[name] = own
		case len(other.values) == 0, renewed == was, own != was && !mine.newer(other):
			pulls = true
		default:
			if refused := mine.accept(other); refused != nil {
				pulls = pulls || l.reset
				if !l.reset {
					err = errors.Join(err, refused)
				}
				continue
			}
			equal[name], pushes = renewed, true
		}
	}
	if pushes {
		merged, failed := encode(document)
		if failed == nil {
			failed = writeLogin(l.real, merged)
		}
		if failed != nil {
			return errors.Join(err, failed)
		}
		yours = merged
	}
	if pulls {
		return errors.Join(err, h.pull(l, yours, document))
	}
	return errors.Join(err, h.note(l, equal))
}

// key names an account of a login in the state of the home.
func (l login) key(account string) string { return l.private + account }

// pull replaces the login of the private home by yours.
func (h Home) pull(l login, yours []byte, document any) error {
	if err := replace(l.root, l.private, yours, 0o600); err != nil {
		return err
	}
	equal := map[string]string{}
	for name, mine := range l.tokens(document) {
		equal[name] = digest(mine.values)
	}
	return h.note(l, equal)
}

// tokens are the values of an account that change with a refresh or tell whose they are, by their fields.
type tokens struct {
	Account
	values map[string]any
	set    map[string]func(value any) // changes one in the document
}

// tokens returns the accounts in a document, by their names.
func (l login) tokens(document any) map[string]tokens {
	all := map[string]tokens{}
	for i, a := range l.Accounts {
		for _, field := range slices.Concat([]string{a.Renewed}, a.Fields, a.Owner) {
			visit(document, strings.Split(field, "."), "", func(name string, value any, set func(any)) {
				if i > 0 {
					name = fmt.Sprint("#", i, name)
				}
				if all[name].values == nil {
					all[name] = tokens{a, map[string]any{}, map[string]func(any){}}
				}
				all[name].values[field], all[name].set[field] = value, set
			})
		}
	}
	return all
}

// newer reports whether others were renewed after these.
func (t tokens) newer(other tokens) bool {
	first, second := t.renewed(), other.renewed()
	if len(first) != len(second) && strings.Trim(first+second, "0123456789") == "" {
		return len(second) > len(first) // numbers
	}
	return second > first
}

// renewed returns when the tokens were renewed, as they say.
func (t tokens) renewed() string {
	if at := t.values[t.Renewed]; at != nil {
		return fmt.Sprint(at)
	}
	return ""
}

// accept replaces the values in the document by renewed ones, or says why it does not.
func (t tokens) accept(renewed tokens) error {
	for _, field := range t.Owner {
		if own := t.values[field]; own != nil && !reflect.DeepEqual(own, renewed.values[field]) {
			return errors.New("the session's login belongs to another account; log in outside the sandbox")
		}
	}
	for field, value := range renewed.values {
		own := t.values[field]
		if own != nil && (reflect.TypeOf(own) != reflect.TypeOf(value) || len(fmt.Sprint(value)) > maxValue) {
			return fmt.Errorf("the session's value of %s has another type or is too long", field)
		}
	}
	for field, set := range t.set {
		if value, ok := renewed.values[field]; ok {
			set(value)
		}
	}
	return nil
}

// encode returns the JSON of a document.
func encode(document any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(document)
	return b.Bytes(), err
}

// parse returns a JSON object or list.
func parse(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if len(text) > maxLogin {
		return nil, fmt.Errorf("it is larger than %d bytes", maxLogin)
	}
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	switch document.(type) {
	case map[string]any, []any:
		return document, nil
	}
	return nil, errors.New("it is neither an object nor a list")
}

// visit calls f with every string or number that a path leads to, the name of its account, and what changes it.
func visit(in any, path []string, account string, f func(account string, value any, set func(any))) {
	switch v := in.(type) {
	case map[string]any:
		for name, value := range v {
			of := account
			if path[0] == "*" {
				of += "/" + name
			} else if path[0] != name {
				continue
			}
			visitValue(value, path[1:], of, f, func(x any) { v[name] = x })
		}
	case []any:
		by, ok := strings.CutPrefix(path[0], "[")
		for _, value := range v {
			object, _ := value.(map[string]any)
			if name, _ := object[strings.TrimSuffix(by, "]")].(string); ok && name != "" && len(path) > 1 {
				visit(object, path[1:], account+"/"+name, f)
			}
		}
	}
}

// visitValue is visit below a name.
func visitValue(value any, rest []string, account string, f func(string, any, func(any)), set func(any)) {
	if len(rest) > 0 {
		visit(value, rest, account, f)
		return
	}
	switch value.(type) {
	case string, json.Number:
		f(account, value, set)
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

// note remembers which accounts of a login are equal in both homes.
func (h Home) note(l login, equal map[string]string) error {
	all := h.equal()
	changed := false
	for name, digest := range equal {
		changed = changed || all[l.key(name)] != digest
		all[l.key(name)] = digest
	}
	if !changed {
		return nil
	}
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
