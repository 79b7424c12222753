package remote

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"ferrus/checks/regular"
	"ferrus/hq/wire"
)

// texts are your long texts and files that the prompt of a session or a result of its tools names by their paths
// at home. The worker gets a copy of each before the session reads of it.
type texts struct {
	task wire.Task
	path *regexp.Regexp // matches a path; nil: there is none

	mu   sync.Mutex
	sent map[string]string // guarded by mu: paths on the worker, by those at home
}

// newTexts returns the texts in directories.
func newTexts(task wire.Task, dirs []string) *texts {
	t := &texts{task: task, sent: map[string]string{}}
	var all []string
	for _, dir := range dirs {
		all = append(all, regexp.QuoteMeta(dir))
	}
	if len(all) > 0 {
		t.path = regexp.MustCompile("(?:" + strings.Join(all, "|") + ")/[A-Za-z0-9_][A-Za-z0-9._-]*")
	}
	return t
}

// send sends what a text names and was not sent yet, and returns the text with the paths on the worker. What cannot be
// read stays as it is.
func (t *texts) send(ctx context.Context, l wire.Link, named string) (there string, err error) {
	if t == nil || t.path == nil {
		return named, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	there = t.path.ReplaceAllStringFunc(named, func(path string) string {
		end := strings.TrimRight(path, ".") // of a sentence
		if t.sent[end] == "" && err == nil {
			data, unread := readText(end)
			if unread != nil {
				return path
			}
			t.sent[end], err = sendText(ctx, l, wire.UserFile{Task: t.task, Name: filepath.Base(end)}, data)
		}
		if t.sent[end] == "" {
			return path
		}
		return t.sent[end] + path[len(end):]
	})
	return there, err
}

// readText reads a text of at most [wire.MaxUserFile] bytes, which no link in its directory leads away from.
func readText(path string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return regular.ReadIn(root, filepath.Base(path), wire.MaxUserFile)
}

// sendText sends one text, and returns its path on the worker.
func sendText(ctx context.Context, l wire.Link, q wire.UserFile, data []byte) (path string, err error) {
	if l == nil {
		return "", wire.ErrLost
	}
	s, err := wire.Open(ctx, l, wire.MethodUserFile, q)
	if err != nil {
		return "", err
	}
	defer s.Close(nil)
	if err = wire.Copy(ctx, s, bytes.NewReader(data)); err == nil {
		err = s.Send(ctx, nil)
	}
	var m []byte
	if err == nil {
		m, err = s.Receive(ctx)
	}
	if err != nil {
		return "", err
	}
	if path = string(m); !filepath.IsAbs(path) || wire.Words(path, len(path)) != path ||
		filepath.Base(path) != q.Name || strings.ContainsAny(path, "\"\\") {
		return "", &wire.Violation{What: "named a text without a path"}
	}
	return path, nil
}
