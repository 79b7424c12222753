package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"ferrus/checks/regular"
)

// usageVar names the file into which a plugin writes what a session uses.
const usageVar = "FERRUS_USAGE"

// usageRecorder is a [turnRecorder] whose client records what its requests used.
type usageRecorder interface {
	// readUsage returns what a request used, by the id of its answer: it is recorded with each part of that.
	readUsage(line []byte) (id string, used Usage)
}

// Limits of what is added up for a session: the number of requests, and the bytes at the end of its
// records. A program inside may leave a sparse file, which takes no space but endless reading.
const (
	maxRequests = 100_000
	maxRecorded = 128 << 20
)

// WrittenUsage returns a session's usage from its client's own records; unknown if it keeps none. The
// records have more than the stream if the session was killed, had its program's own screen, or speaks a
// protocol that reports less.
func WrittenUsage(a Adapter, s OwnScreen) Usage {
	if p, ok := resembled(a).(interface{ writtenUsage(OwnScreen) Usage }); ok {
		return p.writtenUsage(s)
	}
	r, ok := a.(turnRecorder)
	u, counts := a.(usageRecorder)
	if !ok || !counts {
		return Usage{}
	}
	requests, left := map[string]Usage{}, int64(maxRecorded)
	for _, file := range s.recordsOf(r) {
		if left > 0 && newest([]string{file}, s.Since) != "" {
			left -= s.addRequests(file, left, u, requests)
		}
	}
	var sum Usage
	for _, used := range requests {
		sum.add(used.Input, used.Cached, used.Output)
	}
	return sum
}

// addRequests adds the requests that the end of a file records since the session's start, and returns its length.
func (s OwnScreen) addRequests(name string, most int64, u usageRecorder, requests map[string]Usage) (length int64) {
	file, err := openInside(name)
	if err != nil {
		return 0
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	length = min(size, most)
	for r := bufio.NewReaderSize(io.NewSectionReader(file, size-length, length), maxTail); ; {
		line, err := r.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // a longer line says nothing that is looked for
			line = nil
			_, err = r.ReadSlice('\n')
		}
		var at struct{ Timestamp time.Time }
		if bytes.Contains(line, []byte("okens")) || bytes.Contains(line, []byte("okenCount")) {
			id, used := u.readUsage(line)
			known := used.Known && json.Unmarshal(line, &at) == nil && !at.Timestamp.Before(s.Since)
			if known && len(requests) < maxRequests {
				requests[id] = used
			}
		}
		if err != nil {
			return length
		}
	}
}

// Larger returns a usage with what two reports of the same session say: the larger counts, and a cost that one
// knows.
func (u Usage) Larger(other Usage) Usage {
	if other.Known {
		u.Known = true
		u.Input, u.Cached = max(u.Input, other.Input), max(u.Cached, other.Cached)
		u.Output = max(u.Output, other.Output)
	}
	if other.Priced {
		u.Cost, u.Priced = max(u.Cost, other.Cost), true
	}
	return u
}

// readSmall returns the content of a small regular file that a program may have replaced by anything.
func readSmall(name string) []byte {
	file, err := openInside(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	data, _ := io.ReadAll(io.LimitReader(file, 4096)) // a part of it is no JSON
	return data
}

// openInside opens a regular file in a directory that a session writes. It waits for no pipe.
func openInside(name string) (*os.File, error) {
	top, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer top.Close()
	return regular.OpenIn(top, filepath.Base(name))
}
