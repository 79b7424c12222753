package git

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// PointerPrefix begins the pointer file of a git LFS object:
// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
const PointerPrefix = "version https://git-lfs.github.com/spec/v1\n"

// ErrDamaged means that an object is missing, or holds something else than its name says.
var ErrDamaged = errors.New("the repository is damaged")

// ErrMissing means that an object is missing. It is an [ErrDamaged].
var ErrMissing = fmt.Errorf("%w: an object is missing", ErrDamaged)

// EmptyTree returns the name of the tree without files, in an object format: sha1 or
// sha256. Git knows it without having it.
func EmptyTree(format string) string {
	return map[string]string{
		"sha1":   "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
		"sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
	}[format]
}

// EmptyTreeLike returns the name of the tree without files, in the format of another name.
func EmptyTreeLike(like string) string { return EmptyTree(formatOf(like)) }

// formatOf returns the object format of a name.
func formatOf(name string) string {
	if len(name) == 2*sha256.Size {
		return "sha256"
	}
	return "sha1"
}

// IsHash reports whether a string can be the name of an object. Others must not reach
// git's arguments.
func IsHash(s string) bool {
	return len(s) >= 2*sha1.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// Hasher returns the hash that names an object of a kind (blob, tree, commit) and a size,
// in the format of another name: SHA-1 or SHA-256.
func Hasher(like, kind string, size int64) hash.Hash {
	sum := sha1.New()
	if formatOf(like) == "sha256" {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "%s %d\x00", kind, size)
	return sum
}

// Hash returns the name of an object, in the format of another name.
func Hash(like, kind string, content []byte) string {
	sum := Hasher(like, kind, int64(len(content)))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// Objects reads objects with one git process, which starts when the first is needed that is not in
// [Git.Stores]. Git reads a loose object without comparing it with its name, and an agent
// can put another one in its place, so each object is hashed here.
type Objects struct {
	git    Git
	ctx    context.Context
	stores stores
	direct map[string]bool // asked for, and not of git

	cmd     *exec.Cmd // nil: it does not run
	in      io.WriteCloser
	out     *bufio.Reader
	words   *bytes.Buffer // what git complained of, complete once it was waited for
	starts  int
	pending []string // git was asked for them, in this order, and they were not read
	close   sync.Once
	stop    func() // watching for pipes; and removes what git was given
}

// Objects reads objects until the caller calls [Objects.Close], which it must.
func (g Git) Objects(ctx context.Context) (*Objects, error) {
	o := &Objects{git: g, stores: stores{dirs: g.Stores}, direct: map[string]bool{}}
	o.ctx, o.stop = g.watch(ctx)
	if len(g.Stores) > 0 {
		return o, nil
	}
	return o, o.start()
}

// start starts the process.
func (o *Objects) start() error {
	g, free, err := o.git.configured()
	if err != nil {
		o.stop()
		return err
	}
	cmd := g.Command(o.ctx, "--no-replace-objects", "cat-file", "--batch")
	o.words = &bytes.Buffer{}
	cmd.Stderr = o.words
	in, err := cmd.StdinPipe()
	var out io.Reader
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		free()
		o.stop()
		return Explain(o.ctx, []string{"cat-file"}, "", err)
	}
	stop := o.stop
	o.stop = func() { stop(); free() }
	o.cmd, o.in, o.out = cmd, in, bufio.NewReaderSize(out, 256<<10)
	o.starts++
	return nil
}

// Ask asks for objects by their names. All that were asked for before must have been
// read.
func (o *Objects) Ask(ids []string) error {
	clear(o.direct)
	var others []string
	for i, id := range ids {
		if i < directCount && o.stores.has(id) {
			o.direct[id] = true
		} else if !o.direct[id] {
			others = append(others, id)
		}
	}
	return o.askGit(others)
}

func (o *Objects) askGit(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if o.cmd == nil {
		if err := o.start(); err != nil {
			return err
		}
	}
	o.pending = ids
	in, all := o.in, strings.Join(ids, "\n")+"\n"
	go func() {
		_, _ = io.WriteString(in, all) // Read fails where git did not get it.
	}()
	return nil
}

// Read copies the next object that was asked for, which must have this name and kind. The
// error is [ErrDamaged] where git has another one. What was copied must not be used
// after an error.
func (o *Objects) Read(to io.Writer, kind, id string) error {
	if !o.direct[id] {
		return o.readGit(to, kind, id)
	}
	content, err := o.stores.read(kind, id)
	if err == nil {
		_, err = to.Write(content)
		return err
	}
	all := o.git
	all.Stores = nil // its own process: the other one may be about to answer something else
	if content, err = all.Object(o.ctx, kind, id); err == nil {
		_, err = to.Write(content)
	}
	return err
}

// readGit reads the next object that git was asked for. Where git is killed on its way, another one is asked for what
// is left.
func (o *Objects) readGit(to io.Writer, kind, id string) error {
	if len(o.pending) == 0 {
		return fmt.Errorf("read object %s: it was not asked for", id)
	}
	copied := resumed{to: to}
	for {
		err := o.readOnce(&copied, kind, id)
		if err == nil || errors.Is(err, ErrDamaged) {
			o.pending = o.pending[1:]
			return err
		}
		if ended := o.end(); !wasKilled(ended) || o.starts >= maxAsks || copied.failed {
			o.pending = nil
			return fmt.Errorf("read object %s: %w: %s", id, err, strings.TrimSpace(o.words.String()))
		}
		if err := o.askGit(o.pending); err != nil {
			return err
		}
	}
}

// readOnce reads one answer of git cat-file --batch.
func (o *Objects) readOnce(to *resumed, kind, id string) error {
	head, err := o.out.ReadString('\n')
	if err != nil {
		return err // it has ended, or was killed
	}
	fields := strings.Fields(head)
	if len(fields) == 2 && fields[1] == "missing" {
		return fmt.Errorf("%w: %s", ErrMissing, id)
	}
	if len(fields) != 3 || fields[0] != id || fields[1] != kind {
		return fmt.Errorf("%w: object %s: git says %q", ErrDamaged, id, strings.TrimSpace(head))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: object %s has the size %s", ErrDamaged, id, fields[2])
	}
	if to.sum == nil {
		to.sum = Hasher(id, kind, size)
	}
	to.at = 0
	if _, err := io.CopyN(to, o.out, size); err != nil {
		return err
	}
	if _, err := o.out.Discard(1); err != nil { // The line feed behind it.
		return err
	}
	if got := hex.EncodeToString(to.sum.Sum(nil)); got != id {
		return fmt.Errorf("%w: object %s contains object %s", ErrDamaged, id, got)
	}
	return nil
}

// resumed copies an object that is read once more from its beginning, each byte once, and hashes what it copied.
type resumed struct {
	to         io.Writer
	sum        hash.Hash
	copied, at int64
	failed     bool // the destination failed
}

func (r *resumed) Write(p []byte) (int, error) {
	have := min(int64(len(p)), r.copied-r.at)
	r.at += int64(len(p))
	n, err := r.to.Write(p[have:])
	r.sum.Write(p[have:][:n]) //nolint:errcheck // it cannot fail
	r.copied += int64(n)
	r.failed = err != nil
	return int(have) + n, err
}

// end waits for the process, and returns how it ended.
func (o *Objects) end() error {
	if o.cmd == nil {
		return nil
	}
	o.in.Close()
	_, _ = io.Copy(io.Discard, o.out) // Git ends when it has written what was asked for.
	err := o.cmd.Wait()
	o.cmd = nil
	if err != nil {
		return Explain(o.ctx, []string{"cat-file"}, o.words.String(), err)
	}
	return nil
}

// Blob returns one blob. All that was asked for before must have been read.
func (o *Objects) Blob(id string) ([]byte, error) {
	var content bytes.Buffer
	err := o.Ask([]string{id})
	if err == nil {
		err = o.Read(&content, "blob", id)
	}
	return content.Bytes(), err
}

// Close ends the process, whether all objects were read or not. It may be called again.
func (o *Objects) Close() {
	o.close.Do(func() {
		_ = o.end() // Whatever it says: each object that was read is the right one.
		o.stores.close()
		o.stop()
	})
}

// Object returns one object.
func (g Git) Object(ctx context.Context, kind, id string) ([]byte, error) {
	if !IsHash(id) {
		return nil, fmt.Errorf("%q is not the name of an object", id)
	}
	o, err := g.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	var content bytes.Buffer
	if err = o.Ask([]string{id}); err == nil {
		err = o.Read(&content, kind, id)
	}
	return content.Bytes(), err
}
