package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// The newest parts of a session's log that are kept, and the bytes after which a new part
// begins.
const (
	logPart  = 16 << 20
	logParts = 4
)

// rotatingLog is a log in parts; the oldest parts are removed. Each part is a file
// that only its user can read. It is for one goroutine. At most logParts of logPart
// bytes are kept, so a session that prints without end fills no disk.
type rotatingLog struct {
	store *store.Dir[core.World]
	name  string   // of the first part, below .ferrus
	part  int      // number of the open part, from 1
	size  int64    // bytes that were written to the open part
	file  *os.File // the open part
}

// openLog opens the first part of a log for appending.
func openLog(s *store.Dir[core.World], name string) (io.WriteCloser, error) {
	l := &rotatingLog{store: s, name: name, part: 1}
	var err error
	l.file, err = s.Append(name)
	return l, err
}

// LogPart returns the name of a part of a log: x.log, x.2.log, x.3.log and so on. The
// first part keeps the name that the record has, so a short log is where one looks for
// it.
func LogPart(name string, part int) string {
	if part == 1 {
		return name
	}
	return strings.TrimSuffix(name, ".log") + fmt.Sprintf(".%d.log", part)
}

// LogParts returns the numbers of the parts of a log that are left, in ascending order.
// The lowest is above 1 once parts were removed. A log without any has been removed as
// a whole.
func LogParts(p *project.Task, name string) ([]int, error) {
	names, err := p.Store.List(path.Dir(name))
	if err != nil {
		return nil, err
	}
	begin := strings.TrimSuffix(path.Base(name), ".log")
	var parts []int
	for _, n := range names {
		middle, ok := strings.CutPrefix(strings.TrimSuffix(n, ".log"), begin)
		number, err := strconv.Atoi(strings.TrimPrefix(middle, "."))
		switch {
		case ok && middle == "" && strings.HasSuffix(n, ".log"):
			parts = append(parts, 1)
		case ok && err == nil && strings.HasPrefix(middle, "."):
			parts = append(parts, number)
		}
	}
	slices.Sort(parts)
	return parts, nil
}

// Write appends to the open part. A write is never split over two parts.
func (l *rotatingLog) Write(p []byte) (int, error) {
	if l.size > 0 && l.size+int64(len(p)) > logPart {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// The next part is opened before this one is closed: without room for it the log ends
// with an error instead of a gap.
func (l *rotatingLog) rotate() error {
	next, err := l.store.Append(LogPart(l.name, l.part+1))
	if err != nil {
		return err
	}
	err = l.file.Close()
	l.file, l.size, l.part = next, 0, l.part+1
	if old := l.part - logParts; old > 0 {
		err = errors.Join(err, l.store.Remove(LogPart(l.name, old)))
	}
	return err
}

func (l *rotatingLog) Close() error { return l.file.Close() }
