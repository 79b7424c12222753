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

// PointerPrefix begins a file that stands for an object of git LFS:
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

// Objects reads objects with one git process. Git reads a loose object without comparing
// it with its name, and an agent can put another one in its place, so each object is
// hashed here.
type Objects struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	words bytes.Buffer // what git complained of, complete once it was waited for
	close sync.Once
	stop  func() // watching for pipes
}

// Objects starts the process. The caller must call [Objects.Close].
func (g Git) Objects(ctx context.Context) (*Objects, error) {
	ctx, stop := g.watch(ctx)
	o := &Objects{cmd: g.Command(ctx, "--no-replace-objects", "cat-file", "--batch"), stop: stop}
	o.cmd.Stderr = &o.words
	in, err := o.cmd.StdinPipe()
	if err != nil {
		stop()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		stop()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	o.in, o.out = in, bufio.NewReaderSize(out, 256<<10)
	if err := o.cmd.Start(); err != nil {
		stop()
		return nil, Explain(ctx, []string{"cat-file"}, "", err)
	}
	return o, nil
}

// Ask asks for objects by their names. All that were asked for before must have been
// read.
func (o *Objects) Ask(ids []string) {
	go func() {
		_, _ = io.WriteString(o.in, strings.Join(ids, "\n")+"\n") // Read fails where git did not get it.
	}()
}

// Read copies the next object that was asked for, which must have this name and kind. The
// error is [ErrDamaged] where git has another one. What was copied must not be used
// after an error.
func (o *Objects) Read(to io.Writer, kind, id string) error {
	head, err := o.out.ReadString('\n')
	if err != nil {
		o.Close() // It has ended, or was killed with the context.
		return fmt.Errorf("read object %s: %w: %s", id, err, strings.TrimSpace(o.words.String()))
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
	sum := Hasher(id, kind, size)
	if _, err := io.CopyN(io.MultiWriter(to, sum), o.out, size); err != nil {
		return fmt.Errorf("read object %s: %w", id, err)
	}
	if _, err := o.out.Discard(1); err != nil { // The line feed behind it.
		return fmt.Errorf("read object %s: %w", id, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != id {
		return fmt.Errorf("%w: object %s contains object %s", ErrDamaged, id, got)
	}
	return nil
}

// Blob returns one blob. All that was asked for before must have been read.
func (o *Objects) Blob(id string) ([]byte, error) {
	o.Ask([]string{id})
	var content bytes.Buffer
	err := o.Read(&content, "blob", id)
	return content.Bytes(), err
}

// Close ends the process, whether all objects were read or not. It may be called again.
func (o *Objects) Close() {
	o.close.Do(func() {
		o.in.Close()
		_, _ = io.Copy(io.Discard, o.out) // Git ends when it has written what was asked for.
		_ = o.cmd.Wait()                  // Whatever it says: each object that was read is the right one.
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
	o.Ask([]string{id})
	var content bytes.Buffer
	err = o.Read(&content, kind, id)
	return content.Bytes(), err
}
