package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os/exec"
)

// Stream is the answer of git to a question while it comes: read it to its end, and call [Stream.Close].
//
// Where git is killed on its way, the question is asked again, and the answer continues where it was. If its
// beginning is another one by now, the reader gets the error that git was killed.
type Stream struct {
	ctx  context.Context
	git  Git
	args []string
	free func()

	cmd   *exec.Cmd
	out   io.Reader
	words *bytes.Buffer
	asks  int
	read  int64        // so many bytes of the answer
	sum   maphash.Hash // of them
	err   error        // of the end, io.EOF for a good one; nil: git answers
}

// Stream asks git. The error of reading is a [*Failed] where git has failed.
func (g Git) Stream(ctx context.Context, args ...string) (*Stream, error) {
	g, remove, err := g.configured()
	if err != nil {
		return nil, err
	}
	ctx, stop := g.watch(ctx)
	s := &Stream{ctx: ctx, git: g, args: args, free: func() { stop(); remove() }}
	if err := s.start(); err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

// AtClose has [Stream.Close] call a function once git has ended.
func (s *Stream) AtClose(f func()) {
	free := s.free
	s.free = func() { free(); f() }
}

func (s *Stream) start() error {
	s.asks++
	s.cmd, s.words = s.git.Command(s.ctx, s.args...), &bytes.Buffer{}
	s.cmd.Stderr = s.words
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git %s: %w", s.args[0], err)
	}
	s.out = out
	if err := s.cmd.Start(); err != nil {
		return Explain(s.ctx, s.args, "", err)
	}
	return nil
}

// Read returns the next part of the answer.
func (s *Stream) Read(p []byte) (n int, err error) {
	for s.err == nil {
		if n, err = s.out.Read(p); n > 0 {
			s.read += int64(n)
			s.sum.Write(p[:n]) //nolint:errcheck // it cannot fail
			return n, nil
		}
		if err != nil {
			s.err = s.end()
		}
	}
	return 0, s.err
}

// end returns how git ended after its output did; nil: it was asked again, and answers.
func (s *Stream) end() error {
	err := s.wait()
	for wasKilled(err) && isQuestion(s.args) && s.asks < maxAsks {
		killed := err
		if err := s.start(); err != nil {
			return err
		}
		whole, same := s.skip()
		if same {
			return nil
		}
		if whole {
			_ = s.cmd.Process.Kill() // what it says is not used
		}
		if err = s.wait(); err == nil || whole {
			return killed
		}
	}
	if err == nil {
		return io.EOF
	}
	return err
}

// skip reads what the reader was given before: whole reports that there is as much, and same that it
// is equal.
func (s *Stream) skip() (whole, same bool) {
	var again maphash.Hash
	again.SetSeed(s.sum.Seed())
	n, _ := io.CopyN(&again, s.out, s.read) // where it ends before, wait says why
	whole = n == s.read
	return whole, whole && again.Sum64() == s.sum.Sum64()
}

// wait returns how the process ended.
func (s *Stream) wait() error {
	if err := s.cmd.Wait(); err != nil {
		return Explain(s.ctx, s.args, s.words.String(), err)
	}
	return nil
}

// stop ends git, if its answer was not read to the end.
func (s *Stream) stop() {
	if s.err == nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.wait()
		s.err = io.EOF
	}
}

// Close ends git. It returns the error of reading; nil where the rest of the answer was not wanted.
func (s *Stream) Close() error {
	s.stop()
	s.free()
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}
