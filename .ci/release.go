// Command release builds the release archives: for each system a tar.gz with the program,
// its man page, completions for three shells, the licence and the documents, and a
// SHA256SUMS file.
//
// Builds are reproducible: the same source and the same Go give the same bytes. Paths and
// the compiler's stamp are left out and the commit is set instead; every file in an archive
// has the time of the commit, no owner and a fixed place. With -twice it verifies that: it
// builds again from a copy of the source in another directory, with an empty build cache,
// and compares.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var targets = []struct{ system, machine string }{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"},
}

func main() {
	out := flag.String("out", "dist/release", "output `directory`, which is replaced")
	twice := flag.Bool("twice", false, "build again from a copy and compare")
	flag.Parse()
	if err := run(*out, *twice); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out string, twice bool) error {
	r, err := begin()
	if err != nil {
		return err
	}
	sums, err := r.build(out)
	if err != nil {
		return err
	}
	fmt.Printf("%sin %s\n", sums, out)
	if twice {
		return r.again(out, sums)
	}
	return nil
}

// release is what all archives share.
type release struct {
	source string
	commit string // with .changed if the working tree differs from it
	time   time.Time
	env    []string
}

func begin() (*release, error) {
	r := &release{source: "."}
	head, err := r.ask("git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return nil, err
	}
	changes, err := r.ask("git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = r.ask("git", "log", "-1", "--format=%ct"); err != nil {
			return nil, err
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the commit time: %w", err)
	}
	r.commit, r.time = head, time.Unix(n, 0).UTC()
	if changes != "" {
		r.commit += ".changed"
	}
	return r, nil
}

// ask returns the output of a program without surrounding white space.
func (r *release) ask(program string, args ...string) (string, error) {
	c := exec.Command(program, args...)
	c.Dir, c.Stderr = r.source, os.Stderr
	c.Env = append(os.Environ(), r.env...)
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}

// build writes the archives and returns the text of SHA256SUMS.
func (r *release) build(out string) (string, error) {
	work, err := os.MkdirTemp("", "ferrus-release-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a temporary directory
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return "", err
	}
	shared, version, err := r.shared(filepath.Join(work, "ferrus"))
	if err != nil {
		return "", err
	}
	var sums strings.Builder
	for _, t := range targets {
		name := fmt.Sprintf("ferrus_%s_%s_%s", version, t.system, t.machine)
		program := filepath.Join(work, name)
		if err := r.compile(program, "GOOS="+t.system, "GOARCH="+t.machine); err != nil {
			return "", err
		}
		binary, err := os.ReadFile(program)
		if err != nil {
			return "", err
		}
		data, err := r.archive(name, append([]file{{"ferrus", 0o755, binary}}, shared...))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(out, name+".tar.gz"), data, 0o644); err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%x  %s.tar.gz\n", sha256.Sum256(data), name)
	}
	return sums.String(), os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// compile builds the program without anything specific to this machine, and without HTTP/2: ferrus
// only forwards plain HTTP and tunnels.
func (r *release) compile(to string, target ...string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "nethttpomithttp2", "-ldflags",
		"-s -w -buildid= -X ferrus/hq/cli.linkedCommit="+r.commit, "-o", to, ".")
	c.Dir, c.Stdout, c.Stderr = r.source, os.Stderr, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0",
		"GOWORK=off", "GOFIPS140=off")
	c.Env = append(append(c.Env, r.env...), target...)
	if err := c.Run(); err != nil {
		return fmt.Errorf("build for %s: %w", strings.Join(target, " "), err)
	}
	return nil
}

// shared returns the files that every archive contains besides its program, and the version
// without the commit. Both come from the program built for this machine.
func (r *release) shared(program string) (all []file, version string, err error) {
	if err := r.compile(program); err != nil {
		return nil, "", err
	}
	said, err := r.ask(program, "version")
	if err != nil {
		return nil, "", err
	}
	_, said, _ = strings.Cut(said, " ")
	said, _, _ = strings.Cut(said, " ")
	version, commit, _ := strings.Cut(said, "+")
	if commit != r.commit {
		return nil, "", fmt.Errorf("the program reports commit %q instead of %q", commit, r.commit)
	}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, "", err
		}
		all = append(all, file{name, 0o644, data})
	}
	for _, page := range []struct{ name, command string }{
		{"completions/_ferrus", "completion zsh"},
		{"completions/ferrus.bash", "completion bash"},
		{"completions/ferrus.fish", "completion fish"},
		{"man/man1/ferrus.1", "man"},
	} {
		text, err := r.ask(program, strings.Fields(page.command)...)
		if err != nil {
			return nil, "", err
		}
		all = append(all, file{page.name, 0o644, []byte(text + "\n")})
	}
	return all, version, nil
}

// file is a file of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

// archive packs files in the order given, below a directory with the archive's name.
func (r *release) archive(name string, files []file) ([]byte, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)),
			ModTime: r.time, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// again builds from a copy of the source, with an empty cache, and compares.
func (r *release) again(out, sums string) error {
	work, err := os.MkdirTemp("", "ferrus-again-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a temporary directory
	copied := *r
	copied.source = filepath.Join(work, "elsewhere")
	copied.env = []string{"GOCACHE=" + filepath.Join(work, "cache")}
	if err := r.copy(copied.source); err != nil {
		return err
	}
	other := filepath.Join(work, "out")
	if _, err := copied.build(other); err != nil {
		return err
	}
	for line := range strings.Lines(sums + "- SHA256SUMS\n") {
		name := strings.Fields(line)[1]
		a, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		if b, err := os.ReadFile(filepath.Join(other, name)); err != nil || !bytes.Equal(a, b) {
			return fmt.Errorf("%s differs in the second build (%v)", name, err)
		}
	}
	fmt.Println("both builds are identical")
	return nil
}

// copy copies every file that git tracks or would add.
func (r *release) copy(to string) error {
	list, err := r.ask("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.Trim(list, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(r.source, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // deleted, but not yet committed
	} else if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it is only read
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
