package session

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"ferrus/hq/hqtest"
)

// A log takes a limited amount of disk however much is written, and keeps the newest output.
func TestLogTurns(t *testing.T) {
	p := hqtest.Open(t, t.TempDir())
	log, err := openLog(p.Store, "logs/executor_1_5.log")
	if err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Repeat([]byte("x"), 4<<20)
	for range 6 * logPart / len(chunk) {
		if _, err := log.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	parts, err := LogParts(p, "logs/executor_1_5.log")
	if err != nil || !slices.Equal(parts, []int{3, 4, 5, 6}) {
		t.Errorf("parts %v, %v", parts, err)
	}
	info, err := os.Stat(p.Store.Path(LogPart("logs/executor_1_5.log", 6)))
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != logPart {
		t.Errorf("the full part is %v, %v; want %d bytes, private", info, err, logPart)
	}
}
