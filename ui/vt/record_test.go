package vt

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/creack/pty"
)

var record = flag.String("record", "", "run the programs whose names match this expression and record their output "+
	"in testdata")

const (
	maxStream = 60_000           // bytes of one recording; the rest is cut off
	patience  = 25 * time.Second // for a program that is never silent
)

// recordMatching makes recordings anew. It needs Linux, git and the programs.
func recordMatching(expression string) error {
	match, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	var failed error
	for _, r := range recordings {
		if match.MatchString(r.name) {
			stream, err := r.record()
			if err == nil {
				err = os.WriteFile(filepath.Join("testdata", r.name+".stream"), stream, 0o644)
			}
			fmt.Printf("%-10s %6d bytes, %d pieces %v\n", r.name, len(stream), len(pieceEnds(stream)), err)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// stage hides the machine: the program sees a host named example, a home that
// is new, no network and no process but its own.
const stage = `hostname example && mount --bind "$SCENERY" /mnt && mount --bind "$CLIENTS" /srv && cd /mnt && export HOME=/mnt/home && unset SCENERY CLIENTS && exec sh -c "$0"`

// record runs the program in our terminal and returns what it printed.
func (r recording) record() ([]byte, error) {
	dir, err := os.MkdirTemp("", "stage")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := buildScenery(dir); err != nil {
		return nil, err
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	command := exec.Command("unshare", "-mpufin", "--mount-proc", "--kill-child", "sh", "-c", stage, r.run)
	clients := filepath.Join(os.Getenv("HOME"), ".cache/ferrus-e2e") // task e2e puts them there
	if err := os.MkdirAll(clients, 0o755); err != nil {
		return nil, err
	}
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
		"LC_ALL=C.UTF-8", "TZ=UTC", "PS1=$ ",
		"SCENERY=" + dir, "GO=" + goTool, "GOCACHE=" + filepath.Join(os.Getenv("HOME"), ".cache/go-build"),
		"GOFLAGS=-mod=mod", "GOTOOLCHAIN=local",
		"CLIENTS=" + clients, "GIT_CONFIG_GLOBAL=/dev/null"}
	columns, rows := r.size()
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		return nil, err
	}
	defer func() {
		command.Process.Kill()
		command.Wait()
		terminal.Close()
	}()
	stream := newRecordingSession(terminal, New(columns, rows, 0), cmp.Or(r.silence, 400*time.Millisecond)).play(r.keys)
	if len(stream) > maxStream {
		stream = stream[:bytes.LastIndexByte(stream[:maxStream], '\n')+1]
	}
	return stream, nil
}

// recordingSession is one program in a terminal whose keys the test presses.
type recordingSession struct {
	terminal io.ReadWriter
	screen   *Terminal
	silence  time.Duration
	printed  chan []byte // closed at the end
	stream   bytes.Buffer
}

func newRecordingSession(terminal io.ReadWriter, screen *Terminal, silence time.Duration) *recordingSession {
	s := &recordingSession{terminal: terminal, screen: screen, silence: silence, printed: make(chan []byte)}
	go s.read()
	return s
}

func (s *recordingSession) read() {
	defer close(s.printed)
	for {
		b := make([]byte, 32<<10)
		n, err := s.terminal.Read(b)
		if err != nil {
			return
		}
		s.printed <- b[:n]
	}
}

// play types the keys, each when the program is silent, and marks those places.
func (s *recordingSession) play(keys []string) []byte {
	living := s.listen()
	for _, key := range keys {
		if !living {
			break
		}
		if _, err := io.WriteString(s.terminal, key); err != nil {
			break
		}
		living = s.listen()
	}
	return s.stream.Bytes()
}

// listen takes what is printed until there is silence; false is the end.
func (s *recordingSession) listen() (living bool) {
	defer s.stream.WriteString(pieceMark)
	for end := time.After(patience); ; {
		select {
		case b, ok := <-s.printed:
			if !ok {
				return false
			}
			s.stream.Write(b)
			s.screen.Write(b)
			if _, err := s.terminal.Write(s.screen.Replies()); err != nil {
				return false
			}
		case <-time.After(s.silence):
			return true
		case <-end:
			return true
		}
	}
}

// buildScenery fills a directory, and makes a repository with two branches of it.
func buildScenery(dir string) error {
	page, err := os.ReadFile("parse.go")
	if err != nil {
		return err
	}
	files := map[string]string{"page.go": string(page), "home/.keep": ""}
	for name, text := range scenery {
		files[name] = text
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return buildRepository(dir)
}

const repository = `git init -q -b main && git config user.name Example && git config user.email example@example.com &&
git add . && git commit -q -m 'Add everything' && git tag first &&
git checkout -q -b side && sed -i s/Sum/Add/g sources/*.go && git commit -q -am 'Rename Sum to Add' && git tag v0.1 &&
git checkout -q main && echo 'one line more' >> page.1 && git commit -q -am 'Say more in the manual: ümlaut' &&
git merge -q -m 'Merge side' side && sed -i 's/return/return 0 + 0 +/' page.go && git commit -q -am 'Change the page'`

func buildRepository(dir string) error {
	command := exec.Command("sh", "-c", repository)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("make a repository: %w: %s", err, out)
	}
	return nil
}
