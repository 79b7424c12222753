package git

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"testing"
)

// inflateAll returns what is compressed; at most a number of bytes.
func inflateAll(data []byte, most int64) (all []byte, err error) {
	err = inflate(bytes.NewReader(data), func(from io.Reader) (err error) {
		all, err = io.ReadAll(io.LimitReader(from, most))
		return err
	})
	return all, err
}

func TestStoredDataIsReadByZlib(t *testing.T) {
	for _, size := range []int{0, 1, storedBlock - 1, storedBlock, storedBlock + 1, 2 * storedBlock, 200_000} {
		data := make([]byte, size)
		rng := rand.New(rand.NewPCG(1, uint64(size)))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		file := stored(data)
		for range 2 { // the second with a used reader
			if got, err := inflateAll(file, 1<<20); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d bytes: inflateAll returns %d bytes, %v", size, len(got), err)
			}
		}
		from, err := zlib.NewReader(bytes.NewReader(append(bytes.Clone(file), "rest"...)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(from); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: zlib reads %d bytes, %v", size, len(got), err)
		}
		if file[len(file)-1] ^= 1; size > 0 {
			if _, err := inflateAll(file, 1<<20); err == nil {
				t.Errorf("%d bytes with a wrong sum are read", size)
			}
		}
	}
	if got, err := inflateAll(stored(make([]byte, 100)), 10); err != nil || len(got) != 10 {
		t.Errorf("inflateAll returns %d of 100 bytes, %v; want 10", len(got), err)
	}
}

// TestGitReadsObjectsOfAllSizes compares objects beside each bound with what git reads.
func TestGitReadsObjectsOfAllSizes(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for _, size := range []int{0, storedBytes, storedBytes + 1, storedBlock, 3 * storedBlock} {
		content := bytes.Repeat([]byte("words"), size/5+1)[:size]
		id, err := WriteObject(dir+"/.git/objects", EmptyTree("sha1"), "blob", content)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := In(dir).Output(t.Context(), "cat-file", "blob", id); err != nil || got != string(content) {
			t.Errorf("git reads %d bytes of an object of %d, %v", len(got), size, err)
		}
		got, err := readLoose([]string{dir + "/.git/objects"}, "blob", id)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("an object of %d bytes is read with %d, %v", size, len(got), err)
		}
	}
}
