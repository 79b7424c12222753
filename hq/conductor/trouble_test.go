package conductor_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
)

// streamFile has the name of a file that the metered agent of a scene prints instead of
// working.
const streamFile = ".git/stream"

// repeat prints a stream and fails. One that hangs prints it up to the first sign of
// another try, and keeps trying.
func repeat(file, part string) int {
	stream, err := os.ReadFile(file)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	if part == "hang" {
		first, _, _ := bytes.Cut(stream, []byte("2/5"))
		os.Stdout.Write(first[:bytes.LastIndexByte(first, '\n')+1]) //nolint:errcheck // a terminal
		return play(part, "")
	}
	os.Stdout.Write(stream) //nolint:errcheck // a terminal
	return 1
}

// The human learns what to fix, and how: when the session has ended of it, while its
// program tries again and again, which is soon ended, and while it asks on an unattended screen of its own.
func TestTrouble(t *testing.T) {
	for part, file := range map[string]string{
		"fail": "-401.jsonl", "hang": "-401.jsonl", "hang interactive": "-screen.txt",
	} {
		t.Run(part, func(t *testing.T) {
			part, interactive, _ := strings.Cut(part, " ")
			stream, err := filepath.Abs(
				filepath.Join("..", "..", "agent", "testdata", "trouble", metered().Name()+file),
			)
			if err != nil {
				t.Fatal(err)
			}
			s := newSpenders(t, part, "")
			s.write(streamFile, stream)
			if interactive != "" {
				s.edit("[hq.executor]", "[hq.executor]\ninteractive = true")
			}
			s.task()
			c, err := conductor.Start(t.Context(), s.p, conductor.Options{}.WithSilence(30*time.Millisecond), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.close(c, false)
			v := s.wait(c, "a word about its key", func(v conductor.View) bool {
				return hasNotice(v, "is not logged in, or its key is not accepted: run `")
			})
			if interactive != "" { // it waits there for you
				v = s.wait(c, "an item in the inbox", func(v conductor.View) bool {
					return slices.ContainsFunc(v.Inbox(), func(i advice.InboxItem) bool {
						return i.Kind == advice.ItemTrouble && strings.Contains(i.Text, "is not logged in")
					})
				})
				if r, err := s.p.Registry(); err != nil || !strings.Contains(r.Agents[0].Trouble, "is not logged in") {
					t.Errorf("%v: the record is %+v", err, r.Agents[0])
				}
			}
			if interactive == "" { // also one that tries again and again: no try can succeed
				v = s.wait(c, "the end of trying", func(v conductor.View) bool {
					return hasNotice(v, "the executor failed: its program is not logged in") &&
						v.State.World.Hold != nil
				})
				if n := v.Panes[0].Session; n != 2 {
					t.Errorf("it gave up after %d sessions", n)
				}
			}
			for _, n := range v.Notices {
				if interactive == "" && strings.Contains(n.Text, "not logged in") &&
					!strings.Contains(n.Text, "the scripted key is not valid") &&
					!strings.Contains(n.Text, "executor failed") {
					t.Errorf("it does not say why: %s", n.Text)
				}
			}
		})
	}
}
